//! Output of zpool, lsblk, smartctl and others as typed facts.
