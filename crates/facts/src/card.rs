//! A RAID card as its own program describes it: what storcli, arcconf and ssacli have in common.

use crate::At;

/// A RAID card or host bus adapter. A field is none where the program did not say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Card {
    /// Its number or slot in the program's output: `0` for `/c0` and `slot=0`.
    pub id: String,
    /// Model.
    pub model: Option<At<String>>,
    /// Share of the cache used to read ahead, percent (Microchip); the rest caches writes.
    pub read_share: Option<At<u64>>,
    /// State of battery or capacitor: `Optimal`, `OK`, `Failed`, `Not present`.
    pub battery: Option<At<String>>,
    /// How many batteries or capacitors there are.
    pub batteries: Option<At<u64>>,
    /// Whether writes are cached although there is no battery (ssacli's `No-Battery Write Cache`).
    pub unprotected_cache: Option<At<bool>>,
    /// Policy for the drives' own write caches, in the program's words.
    pub drive_cache: Option<At<String>>,
    /// Logical drives.
    pub volumes: Vec<Volume>,
    /// Physical drives.
    pub drives: Vec<CardDrive>,
}

impl Card {
    /// Whether a battery or capacitor protects the cache now; none when the text does not say.
    pub fn protected(&self) -> Option<At<bool>> {
        if let Some(state) = &self.battery {
            let word = state.value.to_ascii_lowercase();
            // Broadcom prints flag words; charging and learning still protect.
            let good = ["optimal", "ok", "ready", "opt", "charging", "learning"];
            let bad = word.starts_with("not") || word.contains("fail");
            return Some(At::new(
                !bad && good.iter().any(|g| word == *g || word.starts_with(&format!("{g} "))),
                state.line,
            ));
        }
        self.batteries.map(|count| count.map(|count| count > 0))
    }
}

/// A logical drive.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Volume {
    /// The line its description begins on.
    pub line: u32,
    /// Its number: `0` of `0/0`, `1` of `Logical Drive: 1`.
    pub id: String,
    /// RAID level in the program's words: `RAID6`, `6`, `1+0`.
    pub level: Option<At<String>>,
    /// State: `Optl`, `Optimal`, `OK`, `Degraded`.
    pub state: Option<At<String>>,
    /// Strip (stripe unit) on one drive, bytes.
    pub strip: Option<At<u64>>,
    /// What happens to a write.
    pub write: Option<At<WritePolicy>>,
    /// Whether the card reads ahead.
    pub read_ahead: Option<At<bool>>,
    /// Drives' own caches, in the program's words.
    pub drive_cache: Option<At<String>>,
}

/// What a line with a name and a value belongs to, in the text of arcconf or ssacli.
pub(crate) enum Object {
    /// The card.
    Controller,
    /// The last logical drive.
    Volume,
    /// The last physical drive.
    Drive,
    /// An array, cage, expander or processor, or nothing yet: nothing of it is kept.
    Other,
}

/// The share of a cache ratio, percent: `10% Read/90% Write`, `10 %`.
pub(crate) fn read_share(text: &str) -> Option<u64> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|share| *share <= 100)
}

/// What a card does with a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WritePolicy {
    /// Acknowledged when it is on the drives.
    Through,
    /// Acknowledged from the card's memory while battery or capacitor protect it.
    Back,
    /// Acknowledged from the card's memory, protected or not.
    AlwaysBack,
}

/// A drive behind a card.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CardDrive {
    /// Enclosure and slot, or port:box:bay.
    pub slot: String,
    /// `HDD` or `SSD`.
    pub media: Option<At<String>>,
}
