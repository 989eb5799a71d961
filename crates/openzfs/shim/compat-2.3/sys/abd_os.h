/* The 2.3 package puts this header in libzpool/ and includes it from sys/. */
#include <abd_os.h>
