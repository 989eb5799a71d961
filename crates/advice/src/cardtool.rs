//! The three command lines in which RAID cards are told the same things.

use serde::Serialize;

/// The program that describes and sets a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CardTool {
    /// Broadcom MegaRAID.
    Storcli,
    /// Dell PERC, which takes storcli's words under its own name.
    Perccli,
    /// Adaptec and Microchip SmartRAID, H3C P460 among them.
    Arcconf,
    /// HPE Smart Array and MR.
    Ssacli,
}

impl CardTool {
    /// The program's name.
    pub fn program(self) -> &'static str {
        match self {
            CardTool::Storcli => "storcli",
            CardTool::Perccli => "perccli",
            CardTool::Arcconf => "arcconf",
            CardTool::Ssacli => "ssacli",
        }
    }

    /// Whether it takes storcli's words.
    pub fn megaraid(self) -> bool {
        matches!(self, CardTool::Storcli | CardTool::Perccli)
    }
}

/// What to tell a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Acknowledge a volume's writes when they are on the drives.
    WriteThrough,
    /// Acknowledge them from protected memory, and only while it is protected.
    WriteBack,
    /// No read-ahead.
    NoReadAhead,
    /// The drives' own volatile caches off.
    DriveCacheOff,
    /// No caching of writes without a working battery.
    NoUnprotectedCache,
    /// Share of the cache for reading ahead, percent.
    ReadShare(u8),
    /// Pass drives through.
    PassThrough,
}

/// The command for `setting` on a card (and one of its volumes), or none where that maker has no
/// such setting apart from others.
pub fn command(tool: CardTool, card: &str, volume: &str, setting: Setting) -> Option<Vec<String>> {
    let words: Vec<String> = match (tool, setting) {
        (CardTool::Storcli | CardTool::Perccli, Setting::PassThrough) => {
            let mode = match tool {
                CardTool::Perccli => "personality=HBA",
                _ => "jbod=on",
            };
            vec![
                tool.program().into(),
                format!("/c{card}"),
                "set".into(),
                mode.into(),
            ]
        }
        (CardTool::Storcli | CardTool::Perccli, setting) => {
            let value = match setting {
                Setting::WriteThrough => "wrcache=wt",
                // `wb` falls back to write-through without a battery; `awb` would not.
                Setting::WriteBack | Setting::NoUnprotectedCache => "wrcache=wb",
                Setting::NoReadAhead => "rdcache=nora",
                Setting::DriveCacheOff => "pdcache=off",
                Setting::ReadShare(_) | Setting::PassThrough => return None,
            };
            vec![
                tool.program().into(),
                format!("/c{card}/v{volume}"),
                "set".into(),
                value.into(),
            ]
        }
        (CardTool::Arcconf, setting) => {
            let mut words = vec!["arcconf".to_string(), "SETCACHE".into(), card.to_string()];
            match setting {
                Setting::WriteThrough => {
                    words.extend(["LOGICALDRIVE".into(), volume.into(), "coff".into()])
                }
                Setting::WriteBack => {
                    words.extend(["LOGICALDRIVE".into(), volume.into(), "con".into()])
                }
                Setting::DriveCacheOff => {
                    // 0 is the drive's default, 1 enabled, 2 disabled.
                    words.extend(["DRIVEWRITECACHEPOLICY", "Configured", "2"].map(String::from));
                }
                Setting::NoUnprotectedCache => {
                    words.extend(["NOBATTERYWRITECACHE", "disable"].map(String::from));
                }
                Setting::NoReadAhead => words.extend(["CACHERATIO", "0", "100"].map(String::from)),
                Setting::ReadShare(share) => {
                    let share = share.min(100);
                    words.extend([
                        "CACHERATIO".into(),
                        share.to_string(),
                        (100 - share).to_string(),
                    ]);
                }
                Setting::PassThrough => {
                    // 2 is HBA mode, 3 RAID, 5 both.
                    return Some(
                        ["arcconf", "SETCONTROLLERMODE", card, "2"]
                            .map(String::from)
                            .to_vec(),
                    );
                }
            }
            words
        }
        (CardTool::Ssacli, setting) => {
            let mut words = vec!["ssacli".to_string(), "ctrl".into(), format!("slot={card}")];
            match setting {
                Setting::WriteThrough | Setting::WriteBack => {
                    let on = if setting == Setting::WriteBack {
                        "enable"
                    } else {
                        "disable"
                    };
                    words.extend([
                        "logicaldrive".into(),
                        volume.into(),
                        "modify".into(),
                        format!("caching={on}"),
                    ]);
                }
                Setting::DriveCacheOff => {
                    words.extend(["modify", "drivewritecache=disable"].map(String::from))
                }
                Setting::NoUnprotectedCache => {
                    words.extend(["modify", "nobatterywritecache=disable"].map(String::from))
                }
                Setting::NoReadAhead => {
                    words.extend(["modify", "cacheratio=0/100"].map(String::from))
                }
                Setting::ReadShare(share) => {
                    let share = share.min(100);
                    words.extend([
                        "modify".into(),
                        format!("cacheratio={share}/{}", 100 - share),
                    ]);
                }
                Setting::PassThrough => words.extend(["modify", "hbamode=on"].map(String::from)),
            }
            words
        }
    };
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_maker_is_told_in_its_own_words() {
        let say = |tool| {
            command(tool, "1", "0", Setting::DriveCacheOff)
                .unwrap()
                .join(" ")
        };
        assert_eq!(say(CardTool::Storcli), "storcli /c1/v0 set pdcache=off");
        assert_eq!(say(CardTool::Perccli), "perccli /c1/v0 set pdcache=off");
        assert_eq!(
            say(CardTool::Arcconf),
            "arcconf SETCACHE 1 DRIVEWRITECACHEPOLICY Configured 2"
        );
        assert_eq!(
            say(CardTool::Ssacli),
            "ssacli ctrl slot=1 modify drivewritecache=disable"
        );
        assert_eq!(
            command(CardTool::Storcli, "0", "0", Setting::ReadShare(10)),
            None
        );
    }
}
