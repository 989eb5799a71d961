//! Audit and tuning rules, each with its reason and source.
