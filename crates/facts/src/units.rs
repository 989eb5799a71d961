//! Sizes and switches as the tools print them.

/// Bytes of a size with a binary suffix, as zpool, zfs, lsblk, MySQL and kernel modules use them:
/// `7.28T`, `128K`, `0B`, `64M`. One letter, optionally followed by `B` or `iB`; a bare number is
/// bytes.
pub fn binary(text: &str) -> Option<u64> {
    zfs::units::size(text.trim_end_matches("bytes")).ok()
}

/// Bytes of a size as PostgreSQL writes it: `8kB`, `128MB`, `1GB`, `1TB`, `512B`, all binary; none
/// without a unit, whose meaning depends on the parameter.
pub fn postgresql(text: &str) -> Option<u64> {
    let text = text.trim();
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
    matches!(unit, "B" | "kB" | "MB" | "GB" | "TB").then(|| binary(text)).flatten()
}

/// A switch as MySQL and Samba read it: `1`, `ON`, `TRUE`, `YES` and their opposites, in any case.
pub fn switch(value: &str) -> Option<bool> {
    match value.to_ascii_uppercase().as_str() {
        "1" | "ON" | "TRUE" | "YES" => Some(true),
        "0" | "OFF" | "FALSE" | "NO" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suffixes_of_each_tool_are_read() {
        assert_eq!(binary("128K"), Some(131_072));
        assert_eq!(binary("7.28T"), Some(8_004_444_650_209));
        assert_eq!(binary("0B"), Some(0));
        assert_eq!(binary("893.750 GB"), Some(959_656_755_200));
        assert_eq!(binary("18446744073709551615"), Some(u64::MAX));
        assert_eq!(postgresql("8kB"), Some(8192));
        assert_eq!(postgresql("8"), None);
        assert_eq!(postgresql("8K"), None);
    }

    #[test]
    fn an_invalid_size_is_none() {
        for text in ["", "-", "none", "1.2.3K", "K", "-5K", "9e999T", "12 parsecs", "é"] {
            assert_eq!(binary(text), None, "{text}");
        }
    }
}
