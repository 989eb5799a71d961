//! The campaign directory: journal, series, raw outputs, lock, resume.
