//! Trial records in; checks, attribution, effects and verdicts out.

pub mod record;
