//! Numbers in, numbers with intervals out.
