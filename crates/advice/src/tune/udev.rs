//! udev rules: a drive's scheduler, fixed by a name that does not change.

/// The rule that turns the scheduler off for a drive, matched by its world-wide name or serial
/// number where one is known, else by its kernel name.
pub fn scheduler_rule(drive: &str, stable: Option<&str>) -> String {
    let clean = |text: &str| -> String {
        // udev's rules have no escape for a quote.
        text.chars().filter(|c| !c.is_control() && *c != '"').collect()
    };
    let matched = match stable {
        Some(id) if id.starts_with("0x") || id.starts_with("eui.") || id.starts_with("naa.") || id.starts_with("uuid.") => {
            format!("ENV{{ID_WWN}}==\"{}\"", clean(id))
        }
        Some(id) => format!("ENV{{ID_SERIAL_SHORT}}==\"{}\"", clean(id)),
        None => format!("KERNEL==\"{}\"", clean(drive)),
    };
    format!(
        "ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{{DEVTYPE}}==\"disk\", {matched}, ATTR{{queue/scheduler}}=\"none\""
    )
}
