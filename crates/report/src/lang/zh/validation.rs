//! Which checks of docs/validation cover the case, in Chinese.

use crate::lang::name;
use crate::number::{count, share};
use findings::schema::{Beyond, DriveState, Processor, SizeState, Validation};

/// Where the figures are.
const PAGE: &str = "docs/validation/README.md";

/// One part, and how far it was checked.
pub fn sentence(part: &Validation) -> String {
    match part {
        Validation::Drive { kind, profile, state } => {
            format!("硬盘 {}（{}）：{}", name(kind), name(profile), drive(state))
        }
        Validation::Pool { beyond } => pool(beyond),
        Validation::Processor { processor, bound, cells } => compute(*processor, *bound, *cells),
        Validation::Size { size, state } => size_scale(*size, state),
        Validation::Published { key } => format!(
            "公开结果：问题出自 published/{}.toml。docs/validation/labs.md 把本实验的结论与其并列。",
            name(key)
        ),
        Validation::Network => "网络：未建模。客户端就在被建模的服务器上运行。".to_owned(),
    }
}

fn drive(state: &DriveState) -> String {
    match state {
        DriveState::Compared { held_out, worst, fitted } => {
            let held = match (held_out, worst) {
                (0, _) | (_, None) => "没有独立于该参数文件的公开数据".to_owned(),
                (n, Some(worst)) => format!(
                    "{n} 项未用于选定参数的公开数据已在机器中实测，最大偏差 {}",
                    share(*worst)
                ),
            };
            let fitted = match fitted {
                0 => String::new(),
                n => format!("；另有 {n} 项曾用于选定参数"),
            };
            format!("{held}{fitted}（{PAGE}，Drives）。")
        }
        DriveState::NotCompared => format!(
            "没有在机器中实测过该硬盘的公开数据。参数及其出处见参数文件（{PAGE}，Drives）。"
        ),
        DriveState::Changed => {
            format!("实验文件改动了参数，对原参数的检验不适用（{PAGE}，Drives）。")
        }
        DriveState::Own => format!("实验自带的参数文件，未经检验（{PAGE}，Drives）。"),
    }
}

fn pool(beyond: &[Beyond]) -> String {
    const COVERS: &str = "Linux、OpenZFS 与 fio 整体：已与一次独立测量对比，即固定延迟硬盘组成的一个 raidz2 上的 8K 同步写，含有无闪存日志两种情况";
    if beyond.is_empty() {
        return format!("{COVERS}。本例属于此类（{PAGE}，Pool）。");
    }
    let all: Vec<String> = beyond.iter().map(what_differs).collect();
    format!("{COVERS}。未被其覆盖：{}（{PAGE}，Pool）。", all.join("、"))
}

fn what_differs(beyond: &Beyond) -> String {
    match beyond {
        Beyond::Stack { stack } => format!("用 {} 而非 ZFS", name(stack)),
        Beyond::Release { release } => format!("OpenZFS {}", name(release)),
        Beyond::Layout { layout } => format!("{} vdev", name(layout)),
        Beyond::LogOnDisks => "位于机械硬盘或 RAID 卡后的日志".to_owned(),
        Beyond::Cache => "L2ARC".to_owned(),
        Beyond::Special => "special 或 dedup vdev".to_owned(),
        Beyond::Reads { workload } => format!("{} 的读取", name(workload)),
        Beyond::Asynchronous { workload } => format!("{} 的异步写", name(workload)),
    }
}

fn compute(processor: Processor, bound: u32, cells: u32) -> String {
    const COSTS: &str = "docs/reference/processor.md";
    match (processor, bound) {
        (Processor::Free, _) => {
            format!("处理器：免费。计算不占时间，受其限制的结果是上界（{COSTS}）。")
        }
        (Processor::Charged, 0) => format!(
            "处理器：按计算开销表计入。已运行的 {cells} 个单元均未受模型核心限制；在 [host] 中设 processor = \"free\" 可得区间的另一端（{COSTS}）。"
        ),
        (Processor::Charged, bound) => format!(
            "处理器：{cells} 个单元中有 {bound} 个的模型核心忙碌达 90 % 以上。这些结果取决于计算开销表，而该表未经整池对比；请在 [host] 中设 processor = \"free\" 再测（{COSTS}）。"
        ),
    }
}

fn size_scale(size: f64, state: &SizeState) -> String {
    let at = count(size);
    match state {
        SizeState::Whole => format!("大小比例：未缩放，S = {at}。"),
        SizeState::Measured { cells, moved: 0 } => {
            format!("大小比例 S = {at}：本次在其他 S 下做了 {cells} 项对比，偏差均不超过 10 %。")
        }
        SizeState::Measured { cells, moved } => format!(
            "大小比例 S = {at}：本次在其他 S 下的 {cells} 项对比中，有 {moved} 项偏差超过 10 %，见下文。"
        ),
        SizeState::Elsewhere { from, to } => format!(
            "大小比例 S = {at}：本次未检验。实验 self-check（另一存储池）覆盖 S = {} 至 {}（{PAGE}，Size scale）；在 [method] 中设 size_check = [2] 可检验本例。",
            count(*from),
            count(*to)
        ),
        SizeState::Unchecked { from: Some(from), to: Some(to) } => format!(
            "大小比例 S = {at}：未检验。实验 self-check 覆盖 S = {} 至 {}（{PAGE}，Size scale）；在 [method] 中设 size_check = [2] 可检验本例。",
            count(*from),
            count(*to)
        ),
        SizeState::Unchecked { .. } => format!(
            "大小比例 S = {at}：未检验；在 [method] 中设 size_check = [2] 可以检验（{PAGE}，Size scale）。"
        ),
    }
}
