//! `draid[1-3][:<d>d][:<c>c][:<s>s]`, with the rules of `draid_config_by_type` (zpool_vdev.c).

use crate::campaign::Layout;

/// Most distributed spares that zpool accepts.
const MOST_SPARES: u64 = 100;

/// Reads the part after the parity digit, for a vdev of `children` drives.
pub(super) fn layout(parity: u8, options: &str, children: usize) -> Result<Layout, String> {
    let children = children as u64;
    let (mut data, mut spares) = (None, 0);
    for option in options.split(':').skip(1) {
        let wrong = || {
            format!(
                "`:{option}` is none of `:<data>d`, `:<children>c`, `:<spares>s`, as in `draid2:8d:30c:2s`"
            )
        };
        let (number, suffix) =
            option.split_at(option.len() - option.chars().last().map_or(0, char::len_utf8));
        let number: u64 = number.parse().map_err(|_| wrong())?;
        match suffix {
            "d" | "D" => data = Some(number),
            "s" | "S" => spares = number,
            "c" | "C" if number == children => {}
            "c" | "C" => {
                return Err(format!(":{number}c says {number} drives, here are {children}"));
            }
            _ => return Err(wrong()),
        }
    }
    let parity_ = u64::from(parity);
    let usable = children.saturating_sub(spares);
    if spares > MOST_SPARES || usable <= parity_ {
        return Err(format!(
            "{spares} distributed spares and parity {parity} leave no drive of {children} for data"
        ));
    }
    let data = data.unwrap_or_else(|| (usable - parity_).min(8));
    if data == 0 || data.saturating_add(parity_) > usable {
        let so_many = if data == 0 { "too few" } else { "too many" };
        return Err(format!(
            "{data} data drives a group are {so_many}: of {children} drives, {} can hold data beside parity {parity} and {spares} spares",
            usable - parity_
        ));
    }
    Ok(Layout::Draid { parity, data: data as u32, spares: spares as u32 })
}
