//! The server being modelled.

use serde::{Deserialize, Serialize};

/// The server being modelled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// RAM, bytes.
    pub memory: u64,
    /// Processor cores.
    pub cores: u32,
    /// Whether computation takes virtual time.
    #[serde(default)]
    pub processor: Processor,
    /// Price of a GiB of memory, in the lab's own currency, where it is stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_price: Option<f64>,
}

zfs::named! {
    /// Cost of computation in the machine. A real server is between the two: a result that is the same with both
    /// does not depend on the processor.
    #[derive(Default)]
    pub enum Processor {
        /// Virtual time by a fixed table, over the modelled cores.
        #[default]
        Charged = "charged",
        /// No virtual time.
        Free = "free",
    }
}
