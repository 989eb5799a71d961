//! The sentences about layouts, each in every language. Names of layouts and drives stay as they are.

use crate::label::labels;
use crate::number::percent;
use crate::{Language, counted, say};
use plan::assess::Note;
use plan::tolerance::Counted;

labels! {
    /// A fixed phrase or sentence about layouts.
    Assumptions:
        "files: capacity at this recordsize, with padding, slop and allocation classes as in OpenZFS, without indirect blocks. survives: how many failed drives it survives, whichever they are (k); k+1 and k+2: of all sets of so many failed drives, the share that it survives. loss a year: the chance of losing data within a year, by more failed drives than a group survives or by an unreadable sector when no redundancy is left; computed with a Markov chain with correlated failures, only for comparing layouts. random reads (operations per second) and stream write: upper limits of the drives."
        | "可用容量：此 recordsize 下可存的文件，按 OpenZFS 的规则计入补齐（padding）、slop 和分配类别，间接块占用的空间未扣除。容错：能承受的故障盘数 k，无论坏哪几块；k+1 和 k+2：坏这么多块盘的所有组合中，能承受的比例。年丢失率：一年内丢失数据的概率，即故障盘数超过一组的容错能力，或失去冗余后遇到读不出的扇区；用带相关故障的马尔可夫链计算，仅用于比较布局。随机读（每秒次数）和顺序写：盘的性能上限。",
    Thinned:
        " Layouts of one kind of drive that are not on its Pareto front were left out before kinds were combined."
        | "组合不同种类的盘之前，已去掉各类盘中不在帕累托前沿上的布局。",
    NoLayout:
        "No layout meets the requirements: lower --need or --survive, or raise --spares."
        | "没有布局满足要求：请降低 --need 或 --survive，或提高 --spares。",
    MirrorSite:
        "the file sizes of a mirror site (an estimate; measure yours with --histogram)"
        | "镜像站的文件大小（估计值；请用 --histogram 统计自己的）",
    NoMetadata:
        "special  this histogram does not separate metadata from data: pass the whole output of `zdb -Lbbbs POOL`"
        | "special  此直方图没有区分元数据：请提供 `zdb -Lbbbs POOL` 的完整输出",
    Chart: "Capacity for files and chance of data loss within a year" | "可用容量与一年内丢失数据的概率",
    AxisCapacity: "capacity for files, TB" | "可用容量，TB",
    AxisLosses: "losses a year" | "每年数据丢失次数",
}

/// The sentences about layouts in a language. Figures are passed as text with their units.
#[derive(Debug, Clone, Copy)]
pub struct Sentences(pub Language);

impl Sentences {
    /// Column heads of the table.
    pub fn heads(self) -> [&'static str; 10] {
        match self.0 {
            Language::English => [
                "layout", "files", "zfs list", "of raw", "survives", "k+1 / k+2", "rebuild",
                "loss a year", "random reads", "stream write",
            ],
            Language::Chinese => [
                "布局", "可用容量", "zfs list", "占裸容量", "容错", "k+1 / k+2", "重建",
                "年丢失率", "随机读", "顺序写",
            ],
        }
    }

    /// The title of a page.
    pub fn title(self, drives: &str) -> String {
        say!(self.0; "Layouts of {drives}", "{drives} 的布局")
    }

    /// Counts of layouts: considered, fitting, on the Pareto front, shown.
    pub fn summary(self, considered: &str, fitting: &str, front: &str, shown: usize) -> String {
        say!(self.0;
            "{considered} layouts considered, {fitting} meet the requirements, {front} of these are on the Pareto front (no other layout of ZFS, or of RAID, is at least as good in every figure); {shown} shown.",
            "考察了 {considered} 种布局，{fitting} 种满足要求，其中 {front} 种在帕累托前沿上（ZFS 与 RAID 各自比较：没有其他布局的各项指标都不差于它）；列出 {shown} 种。")
    }

    /// The mark of a layout that variants of a lab have.
    pub fn lab_layout(self, name: &str, variants: &[String]) -> String {
        say!(self.0, variants = self.0.names(variants);
            "* {name}: layout of this lab ({variants})",
            "* {name}：本实验的布局（{variants}）")
    }

    /// Another layout dominates it.
    pub fn dominated(self, by: &str) -> String {
        say!(self.0; " {by} is at least as good in every figure.", "{by} 的各项指标都不差于它。")
    }

    /// Capacity, and failures survived. The sentence goes on.
    pub fn capacity(self, files: &str, listed: &str, survived: u32) -> String {
        say!(self.0, failures = counted(survived.into(), "failure");
            "Holds {files} of files ({listed} in zfs list). Survives any {failures}",
            "可用容量 {files}（zfs list 显示 {listed}）。能承受任意 {survived} 块盘故障")
    }

    /// Failures survived one after another. The sentence goes on.
    pub fn in_sequence(self, failures: u32) -> String {
        say!(self.0;
            " (any {failures} one after another, if each is rebuilt onto a spare before the next)",
            "（如果每次都先重建到热备，则可先后承受任意 {failures} 块）")
    }

    /// A share of sets of failed drives that it survives. The sentence goes on.
    pub fn share(self, share: &str, failed: u32, by: Counted) -> String {
        let how = match by {
            Counted::Enumeration => self.0.pick("all sets enumerated", "逐一枚举"),
            Counted::ClosedForm => self.0.pick("computed by group", "按组计算"),
        };
        say!(self.0;
            ", {share} of all sets of {failed} ({how})",
            "，任意 {failed} 块盘的组合中能承受 {share}（{how}）")
    }

    /// Duration of a rebuild, and of reduced redundancy where the rebuild has to wait for a replacement.
    pub fn rebuild(self, time: &str, exposed: Option<&str>) -> String {
        match exposed {
            None => say!(self.0;
                " A failed drive is rebuilt in {time}; redundancy is reduced until then.",
                "重建一块故障盘需要 {time}，其间冗余降低。"),
            Some(exposed) => say!(self.0;
                " A failed drive is rebuilt in {time}; with the wait for a replacement, redundancy is reduced for {exposed}.",
                "重建一块故障盘需要 {time}；加上等待更换的时间，冗余降低的状态共持续 {exposed}。"),
        }
    }

    /// Chances of data loss.
    pub fn loss(self, year: &str, mttdl: &str, sector: &str) -> String {
        say!(self.0;
            " Chance of data loss a year: {year} by failed drives (MTTDL {mttdl} years), {sector} by an unreadable sector without redundancy.",
            "每年丢失数据的概率：因盘故障 {year}（MTTDL {mttdl} 年），因失去冗余时遇到读不出的扇区 {sector}。")
    }

    /// Money.
    pub fn price(self, price: f64, each: f64) -> String {
        say!(self.0;
            " Costs {price:.0}, or {each:.1} a terabyte of files.",
            "价格 {price:.0}，每 TB 文件 {each:.1}。")
    }

    /// A remark on a layout.
    pub fn note(self, note: &Note) -> String {
        match note {
            Note::Padding(share) => say!(self.0, share: percent;
                " Files of this recordsize can use {share} of the space in zfs list; padding and parity of small blocks take the rest.",
                "此 recordsize 的文件只能用 zfs list 所示空间的 {share}，其余被小块的补齐（padding）和校验占用。"),
            Note::Wide(width) => say!(self.0;
                " {width} drives are many for one raidz: a resilver and every read of a full-width block occupy all of them.",
                "一个 raidz 用 {width} 块盘偏多：重建以及每次读取占满整个条带的块，都会占用所有盘。"),
            Note::OneParity => say!(self.0;
                " A second failed drive, or an unreadable sector, during the rebuild loses data.",
                "重建期间再坏一块盘，或遇到读不出的扇区，就会丢失数据。"),
            Note::NoRedundancy => say!(self.0;
                " One failed drive loses the pool.",
                "坏一块盘就会丢失存储池。"),
            Note::Mixed => say!(self.0;
                " Different drives in one pool: it survives only what its weakest vdev survives, and blocks go to vdevs by free space, not by speed.",
                "同一存储池混用了不同的盘：容错能力取决于最弱的 vdev；块按空闲空间分配，不分快慢。"),
            Note::Forced => say!(self.0;
                " Its vdevs differ in width: `zpool create` needs -f.",
                "各 vdev 宽度不同：`zpool create` 需要 -f。"),
            Note::NotZfs => say!(self.0;
                " This is a block device: the file system on it has its own overhead, and nothing verifies what the drives return.",
                "这是块设备：其上的文件系统另有开销，而且没有机制校验盘返回的数据。"),
        }
    }

    /// Size of the log vdev.
    pub fn log(self, needed: &str, waits: &str, dirty: &str, txg_s: f64, arrives: &str) -> String {
        say!(self.0;
            "log      {needed} is enough: at most {waits} of synchronous writes wait for their txg (dirty-data limit {dirty}, a txg every {txg_s} s, {arrives} arriving)",
            "log      {needed} 足够：最多有 {waits} 同步写入在等待事务组（脏数据上限 {dirty}，每 {txg_s} 秒一个事务组，到达速率 {arrives}）")
    }

    /// Largest sensible L2ARC.
    pub fn cache(self, sensible: &str, arc: &str) -> String {
        say!(self.0;
            "cache    up to {sensible} at this recordsize: the headers then take a tenth of an ARC of {arc}",
            "cache    此 recordsize 下最大 {sensible}：头部此时占用 {arc} ARC 的十分之一")
    }

    /// The L2ARC of a lab.
    pub fn lab_cache(self, size: &str, headers: &str, share: &str) -> String {
        say!(self.0;
            "         the lab's {size} takes up to {headers} for headers, {share} of that ARC",
            "         本实验为 {size}，头部最多占用 {headers}，即该 ARC 的 {share}")
    }

    /// Source of file sizes: counted files.
    pub fn files(self, count: &str, bytes: &str) -> String {
        say!(self.0; "these {count} files of {bytes}", "这 {count} 个文件（{bytes}）")
    }

    /// Source of block sizes: zdb's histogram.
    pub fn blocks(self, count: &str, bytes: &str) -> String {
        say!(self.0; "these {count} blocks of {bytes}", "这 {count} 个块（{bytes}）")
    }

    /// Size of a special vdev.
    pub fn special(self, needed: &str, small_blocks: Option<&str>, source: &str) -> String {
        let content = match small_blocks {
            None => say!(self.0; "metadata only", "只存元数据"),
            Some(small) => say!(self.0;
                "metadata and blocks up to {small}", "元数据和不大于 {small} 的块"),
        };
        say!(self.0;
            "special  {needed} for {source}: {content}",
            "special  {needed}，对应{source}：{content}")
    }

    /// Flash beside hard disks: the vdevs it suits, and the capacity of each.
    pub fn flash_beside_disks(self, kind: &str, vdevs: &[String], capacity: &str) -> String {
        say!(self.0, vdevs = vdevs.join(self.0.pick(", ", "、"));
            "{kind:8} beside hard disks: {vdevs} ({capacity} each); as data vdevs they would be as slow as the disks",
            "{kind:8} 与机械盘并用：{vdevs}（每个 {capacity}）；作为数据 vdev 会与机械盘一样慢")
    }
}
