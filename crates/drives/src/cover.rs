//! Whether a range is held piece by piece.

/// Whether all of `start..end` is held, where `reach` tells how far what holds a byte goes on; none
/// where nothing holds it.
pub(crate) fn covers(start: u64, end: u64, reach: impl Fn(u64) -> Option<u64>) -> bool {
    let mut at = start;
    while at < end {
        match reach(at) {
            Some(to) if to > at => at = to,
            _ => return false,
        }
    }
    true
}
