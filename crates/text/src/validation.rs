//! Which checks of docs/validation cover the case.

use crate::number::{count, share};
use crate::{Language, counted, name, say};
use findings::schema::{Beyond, DriveState, Processor, SizeState, Validation};

/// Where the figures are.
const PAGE: &str = "docs/validation/README.md";

impl Language {
    /// How far a part that results rest on was checked, and where in docs/validation.
    pub fn validation(self, part: &Validation) -> String {
        match part {
            Validation::Drive { kind, profile, state } => say!(self,
                kind = name(kind), profile = name(profile), state = self.drive_state(state);
                "Drives {kind} ({profile}): {state}", "硬盘 {kind}（{profile}）：{state}"),
            Validation::Pool { beyond } => self.pool(beyond),
            Validation::Processor { processor, bound, cells } => {
                self.processor(*processor, *bound, *cells)
            }
            Validation::Size { size, state } => self.size_scale(*size, state),
            Validation::Published { key } => say!(self, key = name(key);
                "Published results: the question comes from published/{key}.toml. docs/validation/labs.md compares this lab’s verdict with the published one.",
                "公开结果：问题出自 published/{key}.toml。本实验结论与公开结论的对照见 docs/validation/labs.md。"),
            Validation::Network => say!(self;
                "Network: not modelled. Clients run on the modelled server.",
                "网络：未建模。客户端运行在模拟主机上。"),
        }
    }

    fn drive_state(self, state: &DriveState) -> String {
        match state {
            DriveState::Compared { held_out, worst, fitted } => {
                let held = match (held_out, worst) {
                    (0, _) | (_, None) => say!(self;
                        "every published figure of this drive was used for its profile, so none is left to check it",
                        "没有独立于参数文件的公开数据"),
                    (n, Some(worst)) => say!(self, figures = self.figures(*n), worst: share;
                        "{figures} not used for the profile: measured in the machine, largest difference {worst}",
                        "{figures}未用于参数选定，已在模拟主机中测量，最大偏差 {worst}"),
                };
                let fitted = match fitted {
                    0 => String::new(),
                    n => say!(self, figures = self.figures(*n);
                        "; {figures} used for the profile", "；另有 {figures}用于参数选定"),
                };
                say!(self; "{held}{fitted} ({PAGE}, Drives).", "{held}{fitted}（{PAGE}，Drives）。")
            }
            DriveState::NotCompared => say!(self;
                "no published figure of this drive was measured in the machine. The profile gives its numbers with their sources ({PAGE}, Drives).",
                "尚未在模拟主机中测量该硬盘的公开数据。参数及其出处见参数文件（{PAGE}，Drives）。"),
            DriveState::Changed => say!(self;
                "the lab file changes numbers of the profile, so the profile’s checks do not apply ({PAGE}, Drives).",
                "实验文件改动了参数，针对原参数的验证不适用（{PAGE}，Drives）。"),
            DriveState::Own => say!(self;
                "the profile belongs to the lab and was not checked ({PAGE}, Drives).",
                "参数文件为实验自带，未经验证（{PAGE}，Drives）。"),
        }
    }

    fn figures(self, n: u32) -> String {
        say!(self, figures = counted(n.into(), "published figure"); "{figures}", "{n} 项公开数据")
    }

    fn pool(self, beyond: &[Beyond]) -> String {
        let covers = self.pick(
            "Linux, OpenZFS and fio together: compared with the same Linux and OpenZFS under QEMU, on a raidz2 and on mirrors of flat-latency drives: synchronous 8K writes with and without a flash log, asynchronous writes, and 8K reads from the drives, through an ARC, an L2ARC and a special vdev",
            "Linux、OpenZFS 与 fio 整体：已与 QEMU 中相同版本的 Linux 和 OpenZFS 对比（固定延迟硬盘组成的 raidz2 与镜像：有、无闪存日志 vdev 的 8K 同步写，异步写，以及直接来自硬盘、经 ARC、经 L2ARC 和经 special vdev 的 8K 读）",
        );
        if beyond.is_empty() {
            return say!(self;
                "{covers}. This lab is of that kind ({PAGE}, Pool).", "{covers}。本实验属于此类（{PAGE}，Pool）。");
        }
        let all: Vec<String> = beyond.iter().map(|beyond| self.beyond(beyond)).collect();
        say!(self, all = all.join(self.pick(", ", "、"));
            "{covers}. Not covered: {all} ({PAGE}, Pool).", "{covers}。未覆盖：{all}（{PAGE}，Pool）。")
    }

    fn beyond(self, beyond: &Beyond) -> String {
        match beyond {
            Beyond::Stack { stack } => say!(self, stack = name(stack);
                "{stack} instead of ZFS", "用 {stack} 而非 ZFS"),
            Beyond::Release { release } => format!("OpenZFS {}", name(release)),
            Beyond::Layout { layout } => say!(self, layout = name(layout);
                "{layout} vdevs", "{layout} vdev"),
            Beyond::LogOnDisks => say!(self;
                "a log on disks or behind a RAID card",
                "日志位于机械盘上或 RAID 卡之后"),
            Beyond::Dedup => say!(self; "dedup vdevs", "dedup vdev"),
            Beyond::Client { workload } => say!(self, workload = name(workload);
                "{workload}, whose client is not fio", "{workload}（客户端不是 fio）"),
        }
    }

    fn processor(self, processor: Processor, bound: u32, cells: u32) -> String {
        const COSTS: &str = "docs/reference/processor.md";
        match (processor, bound) {
            (Processor::Free, _) => say!(self;
                "Processor: free. CPU work takes no time, so results that the CPU would limit are upper bounds ({COSTS}).",
                "处理器：不计 CPU 时间。受 CPU 限制的结果只是上限（{COSTS}）。"),
            (Processor::Charged, 0) => say!(self, limit = match cells {
                1 => "do not limit the cell".to_owned(),
                cells => format!("limit none of the {cells} cells"),
            };
                "Processor: CPU time is charged by the table of compute costs. The modelled cores {limit}; processor = \"free\" in [host] gives the upper bound ({COSTS}).",
                "处理器：按计算开销表计入 CPU 时间。{cells} 个组合均未受 CPU 限制；在 [host] 中设 processor = \"free\" 可得上限（{COSTS}）。"),
            (Processor::Charged, bound) => say!(self, of = counted(cells.into(), "cell");
                "Processor: in {bound} of {of} the modelled cores are at least 90 % busy. Those results depend on the table of compute costs, which was not checked against a whole pool; measure again with processor = \"free\" in [host] ({COSTS}).",
                "处理器：{cells} 个组合中有 {bound} 个的模拟主机核心繁忙度达 90 % 以上。这些结果取决于计算开销表，该表未经整池实测验证；请在 [host] 中设 processor = \"free\" 再测（{COSTS}）。"),
        }
    }

    fn size_scale(self, size: f64, state: &SizeState) -> String {
        let at = count(size);
        match state {
            SizeState::Whole => say!(self;
                "Size scale: not scaled, S = {at}.", "缩放倍数：未缩放，S = {at}。"),
            SizeState::Measured { cells, moved: 0 } => say!(self,
                of = counted((*cells).into(), "comparison"), all = if *cells == 1 { "" } else { "all " };
                "Size scale S = {at}: {of} at other S in this campaign, {all}within 10 %.",
                "缩放倍数 S = {at}：本轮在其他 S 下对比 {cells} 项，偏差均在 10 % 以内。"),
            SizeState::Measured { cells, moved } => say!(self,
                of = counted((*cells).into(), "comparison"), differ = if *moved == 1 { "differs" } else { "differ" };
                "Size scale S = {at}: {moved} of {of} at other S in this campaign {differ} by more than 10 % (listed below).",
                "缩放倍数 S = {at}：本轮在其他 S 下的 {cells} 项对比中，{moved} 项偏差超过 10 %（见下文）。"),
            SizeState::Elsewhere { from, to } => say!(self, from: count, to: count;
                "Size scale S = {at}: not checked in this campaign. The self-check lab (another pool) covers S = {from} to {to} ({PAGE}, Size scale); to check this lab set size_check = [2] in [method].",
                "缩放倍数 S = {at}：本轮未验证。self-check 实验（另一存储池）覆盖 S = {from} 至 {to}（{PAGE}，Size scale）；要验证本实验，请在 [method] 中设 size_check = [2]。"),
            SizeState::Unchecked { from: Some(from), to: Some(to) } => say!(self,
                from: count, to: count;
                "Size scale S = {at}: not checked. The self-check lab covers S = {from} to {to} ({PAGE}, Size scale); to check this lab set size_check = [2] in [method].",
                "缩放倍数 S = {at}：未验证。self-check 实验覆盖 S = {from} 至 {to}（{PAGE}，Size scale）；要验证本实验，请在 [method] 中设 size_check = [2]。"),
            SizeState::Unchecked { .. } => say!(self;
                "Size scale S = {at}: not checked. To check it set size_check = [2] in [method] ({PAGE}, Size scale).",
                "缩放倍数 S = {at}：未验证。请在 [method] 中设 size_check = [2]（{PAGE}，Size scale）。"),
        }
    }
}
