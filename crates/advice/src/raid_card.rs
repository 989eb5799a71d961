//! Commands for RAID cards: each maker's program and its words for the same setting.

/// The program that describes and sets a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CardTool {
    /// Broadcom MegaRAID.
    Storcli,
    /// Dell PERC; storcli under another name.
    Perccli,
    /// Adaptec and Microchip SmartRAID, H3C P460 among them.
    Arcconf,
    /// HPE Smart Array and MR.
    Ssacli,
}

impl CardTool {
    /// Whether it is storcli, under either name.
    pub fn megaraid(self) -> bool {
        matches!(self, CardTool::Storcli | CardTool::Perccli)
    }
}

/// What a command does to a card or to one of its volumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CardCommand {
    Show,
    /// Acknowledges a volume's writes when they are on the drives.
    WriteThrough,
    /// Acknowledges them from protected memory, and only while it is protected.
    WriteBack,
    NoReadAhead,
    /// Turns the drives' own volatile caches off.
    DriveCacheOff,
    /// Caches no writes without a working battery.
    NoUnprotectedCache,
    /// Share of the cache for read-ahead, percent.
    ReadShare(u8),
    PassThrough,
    /// Creates a RAID 10 volume.
    Create {
        /// Its strip, KiB.
        strip_kib: u32,
    },
}

impl CardCommand {
    /// The command as arguments; none where the maker has no such setting apart from others.
    pub fn words(self, tool: CardTool, card: &str, volume: &str) -> Option<Vec<String>> {
        let (share, strip) = match self {
            CardCommand::ReadShare(share) => (share.min(100), 0),
            CardCommand::Create { strip_kib } => (0, strip_kib),
            _ => (0, 0),
        };
        let program = if tool == CardTool::Perccli { "perccli" } else { "storcli" };
        let words = self.template(tool)?.split(' ').map(|word| {
            word.replace("{tool}", program)
                .replace("{card}", card)
                .replace("{volume}", volume)
                .replace("{share}", &share.to_string())
                .replace("{rest}", &(100 - share).to_string())
                .replace("{strip}", &strip.to_string())
        });
        Some(words.collect())
    }

    fn template(self, tool: CardTool) -> Option<&'static str> {
        use CardCommand::{
            Create, DriveCacheOff, NoReadAhead, NoUnprotectedCache, PassThrough, ReadShare, Show,
            WriteBack, WriteThrough,
        };
        use CardTool::{Arcconf, Perccli, Ssacli, Storcli};
        Some(match (tool, self) {
            (Storcli | Perccli, Show) => "{tool} /c{card} show all",
            (Storcli | Perccli, WriteThrough) => "{tool} /c{card}/v{volume} set wrcache=wt",
            // `wb` falls back to write-through without a battery; `awb` would not.
            (Storcli | Perccli, WriteBack | NoUnprotectedCache) => {
                "{tool} /c{card}/v{volume} set wrcache=wb"
            }
            (Storcli | Perccli, NoReadAhead) => "{tool} /c{card}/v{volume} set rdcache=nora",
            (Storcli | Perccli, DriveCacheOff) => "{tool} /c{card}/v{volume} set pdcache=off",
            (Perccli, PassThrough) => "{tool} /c{card} set personality=HBA",
            (Storcli, PassThrough) => "{tool} /c{card} set jbod=on",
            (Storcli | Perccli, Create { .. }) => {
                "{tool} /c{card} add vd r10 drives=ENCLOSURE:SLOTS pdperarray=2 strip={strip}"
            }
            (Storcli | Perccli, ReadShare(_)) => return None,

            (Arcconf, Show) => "arcconf GETCONFIG {card} AL",
            (Arcconf, WriteThrough) => "arcconf SETCACHE {card} LOGICALDRIVE {volume} coff",
            (Arcconf, WriteBack) => "arcconf SETCACHE {card} LOGICALDRIVE {volume} con",
            (Arcconf, NoReadAhead) => "arcconf SETCACHE {card} CACHERATIO 0 100",
            // 0 is the drive's default, 1 enabled, 2 disabled.
            (Arcconf, DriveCacheOff) => {
                "arcconf SETCACHE {card} DRIVEWRITECACHEPOLICY Configured 2"
            }
            (Arcconf, NoUnprotectedCache) => "arcconf SETCACHE {card} NOBATTERYWRITECACHE disable",
            (Arcconf, ReadShare(_)) => "arcconf SETCACHE {card} CACHERATIO {share} {rest}",
            // 2 is HBA mode, 3 RAID, 5 both.
            (Arcconf, PassThrough) => "arcconf SETCONTROLLERMODE {card} 2",
            (Arcconf, Create { .. }) => {
                "arcconf CREATE {card} LOGICALDRIVE Stripesize {strip} MAX 10 CHANNEL DEVICE CHANNEL DEVICE …"
            }

            (Ssacli, Show) => "ssacli ctrl slot={card} show",
            (Ssacli, WriteThrough) => {
                "ssacli ctrl slot={card} logicaldrive {volume} modify caching=disable"
            }
            (Ssacli, WriteBack) => {
                "ssacli ctrl slot={card} logicaldrive {volume} modify caching=enable"
            }
            (Ssacli, NoReadAhead) => "ssacli ctrl slot={card} modify cacheratio=0/100",
            (Ssacli, DriveCacheOff) => "ssacli ctrl slot={card} modify drivewritecache=disable",
            (Ssacli, NoUnprotectedCache) => {
                "ssacli ctrl slot={card} modify nobatterywritecache=disable"
            }
            (Ssacli, ReadShare(_)) => "ssacli ctrl slot={card} modify cacheratio={share}/{rest}",
            (Ssacli, PassThrough) => "ssacli ctrl slot={card} modify hbamode=on",
            (Ssacli, Create { .. }) => {
                "ssacli ctrl slot={card} create type=ld drives=DRIVES raid=1+0 ss={strip}"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(command: CardCommand, tool: CardTool) -> Option<String> {
        Some(command.words(tool, "1", "0")?.join(" "))
    }

    #[test]
    fn each_program_has_its_own_words_for_a_setting() {
        let off = |tool| line(CardCommand::DriveCacheOff, tool).unwrap();
        assert_eq!(off(CardTool::Storcli), "storcli /c1/v0 set pdcache=off");
        assert_eq!(off(CardTool::Perccli), "perccli /c1/v0 set pdcache=off");
        assert_eq!(off(CardTool::Arcconf), "arcconf SETCACHE 1 DRIVEWRITECACHEPOLICY Configured 2");
        assert_eq!(off(CardTool::Ssacli), "ssacli ctrl slot=1 modify drivewritecache=disable");
    }

    #[test]
    fn the_read_share_is_of_100_percent_and_broadcom_has_none() {
        let share = CardCommand::ReadShare(10);
        assert_eq!(line(share, CardTool::Arcconf).unwrap(), "arcconf SETCACHE 1 CACHERATIO 10 90");
        assert_eq!(line(share, CardTool::Storcli), None);
    }
}
