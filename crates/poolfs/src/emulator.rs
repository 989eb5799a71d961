//! Emulated drives: a timing model, a durable backing file and a log of what a power cut may lose.
