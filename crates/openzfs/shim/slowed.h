/* Included before everything else in the other shim files: they live in virtual time, too. */
#define	clock_gettime pw_clock_gettime
#define	gettimeofday pw_gettimeofday
#define	nanosleep pw_nanosleep
#define	pthread_cond_timedwait pw_pthread_cond_timedwait
