//! Which checks of docs/validation cover the case, in English.

use crate::lang::name;
use crate::number::{count, share};
use findings::schema::{Beyond, DriveState, Processor, SizeState, Validation};

/// Where the figures are.
const PAGE: &str = "docs/validation/README.md";

/// One part, and how far it was checked.
pub fn sentence(part: &Validation) -> String {
    match part {
        Validation::Drive { kind, profile, state } => {
            format!("Drives {} ({}): {}", name(kind), name(profile), drive(state))
        }
        Validation::Pool { beyond } => pool(beyond),
        Validation::Processor { processor, bound, cells } => compute(*processor, *bound, *cells),
        Validation::Size { size, state } => size_scale(*size, state),
        Validation::Published { key } => format!(
            "Published results: the question comes from published/{}.toml. docs/validation/labs.md has this lab’s verdict beside the published one.",
            name(key)
        ),
        Validation::Network => {
            "Network: not modelled. Clients run on the modelled server.".to_owned()
        }
    }
}

fn drive(state: &DriveState) -> String {
    match state {
        DriveState::Compared { held_out, worst, fitted } => {
            let held = match (held_out, worst) {
                (0, _) | (_, None) => {
                    "no published figure of this drive is independent of the profile".to_owned()
                }
                (n, Some(worst)) => format!(
                    "{} not used to choose its numbers, measured in the machine, largest difference {}",
                    figures(*n),
                    share(*worst)
                ),
            };
            let fitted = match fitted {
                0 => String::new(),
                n => format!("; {} used to choose them", figures(*n)),
            };
            format!("{held}{fitted} ({PAGE}, Drives).")
        }
        DriveState::NotCompared => format!(
            "no published figure of this drive was measured in the machine. Its numbers are the profile’s, with their sources ({PAGE}, Drives)."
        ),
        DriveState::Changed => format!(
            "the lab changes numbers of the profile, so its checks do not apply ({PAGE}, Drives)."
        ),
        DriveState::Own => {
            format!("a profile of the lab’s own: nothing was checked ({PAGE}, Drives).")
        }
    }
}

fn figures(n: u32) -> String {
    match n {
        1 => "1 published figure".to_owned(),
        n => format!("{n} published figures"),
    }
}

fn pool(beyond: &[Beyond]) -> String {
    const COVERS: &str = "Linux, OpenZFS and fio together: compared with an independent measurement of synchronous 8K writes on one raidz2 of flat-latency drives, with and without a flash log";
    if beyond.is_empty() {
        return format!("{COVERS}. It is of this kind ({PAGE}, Pool).");
    }
    let all: Vec<String> = beyond.iter().map(what_differs).collect();
    format!("{COVERS}. Not covered by it: {} ({PAGE}, Pool).", all.join(", "))
}

fn what_differs(beyond: &Beyond) -> String {
    match beyond {
        Beyond::Stack { stack } => format!("{} instead of ZFS", name(stack)),
        Beyond::Release { release } => format!("OpenZFS {}", name(release)),
        Beyond::Layout { layout } => format!("{} vdevs", name(layout)),
        Beyond::LogOnDisks => "a log on disks or behind a RAID card".to_owned(),
        Beyond::Cache => "L2ARC".to_owned(),
        Beyond::Special => "special or dedup vdevs".to_owned(),
        Beyond::Reads { workload } => format!("reads of {}", name(workload)),
        Beyond::Asynchronous { workload } => format!("asynchronous writes of {}", name(workload)),
    }
}

fn compute(processor: Processor, bound: u32, cells: u32) -> String {
    const COSTS: &str = "docs/reference/processor.md";
    match (processor, bound) {
        (Processor::Free, _) => format!(
            "Processor: free. Compute takes no time, so a result that it would limit is an upper bound ({COSTS})."
        ),
        (Processor::Charged, 0) => format!(
            "Processor: charged by the table of compute costs. The modelled cores limit none of the {cells} cells that ran; processor = \"free\" in [host] gives the other end of the bracket ({COSTS})."
        ),
        (Processor::Charged, bound) => format!(
            "Processor: in {bound} of {cells} cells the modelled cores are 90 % busy or more. Those results depend on the table of compute costs, which no whole pool was compared by; measure again with processor = \"free\" in [host] ({COSTS})."
        ),
    }
}

fn size_scale(size: f64, state: &SizeState) -> String {
    let at = count(size);
    match state {
        SizeState::Whole => format!("Size scale: none, S = {at}."),
        SizeState::Measured { cells, moved: 0 } => format!(
            "Size scale S = {at}: {cells} comparisons at other S in this campaign, none more than 10 % apart."
        ),
        SizeState::Measured { cells, moved } => format!(
            "Size scale S = {at}: {moved} of {cells} comparisons at other S in this campaign differ by more than 10 %, see below."
        ),
        SizeState::Elsewhere { from, to } => format!(
            "Size scale S = {at}: not checked in this campaign. The lab self-check, another pool, covers S = {} to {} ({PAGE}, Size scale); size_check = [2] in [method] checks this one.",
            count(*from),
            count(*to)
        ),
        SizeState::Unchecked { from: Some(from), to: Some(to) } => format!(
            "Size scale S = {at}: not checked. The lab self-check covers S = {} to {} ({PAGE}, Size scale); size_check = [2] in [method] checks this one.",
            count(*from),
            count(*to)
        ),
        SizeState::Unchecked { .. } => format!(
            "Size scale S = {at}: not checked; size_check = [2] in [method] does it ({PAGE}, Size scale)."
        ),
    }
}
