//! What is kept of the acknowledged writes after a cut.

/// Damage to the blocks of one writer or of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Damage {
    /// Acknowledged blocks that are missing, empty or cannot be read.
    pub lost: u64,
    /// Blocks that are partial, or contain data that was never written there.
    pub corrupt: u64,
}

impl std::ops::AddAssign for Damage {
    fn add_assign(&mut self, other: Damage) {
        self.lost += other.lost;
        self.corrupt += other.corrupt;
    }
}

/// What a recovered database or files have of the acknowledged writes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Kept {
    pub damage: Damage,
    /// Number of the first writes of each writer that are present.
    pub first: Vec<u64>,
    /// Virtual seconds until a database accepts statements.
    pub recovery_s: Option<f64>,
    pub faults: Vec<String>,
}
