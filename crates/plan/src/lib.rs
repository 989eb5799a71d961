//! Arithmetic of pool layouts.
