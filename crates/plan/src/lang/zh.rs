//! Chinese (simplified).

use super::Words;
use crate::assess::Note;
use crate::tolerance::Counted;

pub(super) struct Chinese;

impl Words for Chinese {
    fn heads(&self) -> [&'static str; 10] {
        [
            "布局",
            "可存文件",
            "zfs list",
            "占裸容量",
            "容错",
            "k+1 / k+2",
            "重建",
            "年损失",
            "随机读",
            "顺序写",
        ]
    }

    fn assumed(&self) -> &'static str {
        "可存文件：按此 recordsize 可存的文件，填充、slop 和元数据类别照 OpenZFS 的算法计，间接块不计。容错：任意这么多块盘同时故障；k+1 和 k+2：再多一块、两块时能承受的组合所占份额。年损失：故障盘数超过一组所能承受，或没有余下冗余时遇到读不出的扇区；用带相关故障的马尔可夫链计算，用于比较布局，不是承诺。随机读和顺序写：盘所能给出的上限。"
    }

    fn title(&self, drives: &str) -> String {
        format!("{drives} 的布局")
    }

    fn summary(&self, considered: &str, fitting: &str, front: &str, shown: usize) -> String {
        format!(
            "考察了 {considered} 种布局，{fitting} 种满足要求，其中 {front} 种不被任何其他布局全面胜过；列出 {shown} 种。"
        )
    }

    fn thinned(&self) -> &'static str {
        "在组合各种盘之前，已去掉被同样盘的另一布局全面胜过的布局。"
    }

    fn own(&self, name: &str, variants: &str) -> String {
        format!("* {name}：即本实验所用（{variants}）")
    }

    fn beaten(&self, by: &str) -> String {
        format!("{by} 在每个数字上都不差于它。")
    }

    fn none(&self) -> &'static str {
        "没有布局满足要求：减少所需空间（--need）、容错数（--survive），或增加热备（--spares）。"
    }

    fn holds(&self, files: &str, listed: &str, survived: u32) -> String {
        format!("可存文件 {files}，zfs list 显示 {listed}。能承受任意 {survived} 块盘故障")
    }

    fn in_sequence(&self, failures: u32) -> String {
        format!("（先后发生、其间重建到热备，则任意 {failures} 块）")
    }

    fn share(&self, share: &str, failed: u32, by: Counted) -> String {
        let how = match by {
            Counted::Enumeration => "逐一考察",
            Counted::ClosedForm => "按组计算",
        };
        format!("，{failed} 块盘的组合中能承受 {share}（{how}）")
    }

    fn stop(&self) -> &'static str {
        "。"
    }

    fn rebuild(&self, time: &str, exposed: &str) -> String {
        format!("一块故障盘 {time} 内重建完，连同等待新盘共有 {exposed} 冗余不足。")
    }

    fn loss(&self, year: &str, mttdl: &str, sector: &str) -> String {
        format!(
            "因盘故障而损失：每年 {year}（MTTDL {mttdl} 年）；没有冗余时遇到读不出的扇区：每年 {sector}。"
        )
    }

    fn price(&self, price: f64, each: f64) -> String {
        format!("价格 {price:.0}，每 TB 文件 {each:.1}。")
    }

    fn note(&self, note: &Note) -> String {
        match note {
            Note::Padding(share) => format!(
                "在 zfs list 显示的空间里，此 recordsize 的文件只能用 {}：其余被小块的填充和校验占去。",
                crate::text::percent(*share)
            ),
            Note::Wide(width) => format!(
                "一个 raidz 里 {width} 块盘太多：重建时全部忙碌，整宽的块要从所有盘读。"
            ),
            Note::OneParity => "重建期间再坏一块盘，或遇到读不出的扇区，就会丢数据。".to_string(),
            Note::NoRedundancy => "坏一块盘就失去存储池。".to_string(),
            Note::Mixed => "一个存储池里有不同的盘：强度等于最弱的部分，块按空闲空间分布，不分快慢。".to_string(),
            Note::Forced => "各 vdev 宽度不同：`zpool create` 需要 -f。".to_string(),
            Note::NotZfs => "只是某个文件系统下面的块设备，文件系统自身的开销另计；没有任何东西核对盘返回的数据。".to_string(),
        }
    }

    fn blank(&self) -> &'static str {
        ""
    }

    fn log(&self, needed: &str, waits: &str, dirty: &str, txg_s: f64, arrives: &str) -> String {
        format!(
            "log      {needed} 就够：最多有 {waits} 同步写入在等自己的事务组（脏数据上限 {dirty}，每 {txg_s} 秒一个事务组，到达速率 {arrives}）"
        )
    }

    fn cache(&self, sensible: &str, arc: &str) -> String {
        format!("cache    按此 recordsize 最大 {sensible}：这时头部占 {arc} ARC 的十分之一")
    }

    fn cache_own(&self, size: &str, headers: &str, share: &str) -> String {
        format!("         本实验的 {size} 最多占头部 {headers}，即该 ARC 的 {share}")
    }

    fn mirror_site(&self) -> &'static str {
        "镜像站的文件大小（估计；请用 --histogram 统计自己的）"
    }

    fn files(&self, count: &str, bytes: &str) -> String {
        format!("这 {count} 个文件（{bytes}）")
    }

    fn blocks(&self, count: &str, bytes: &str) -> String {
        format!("这 {count} 个块（{bytes}）")
    }

    fn special(&self, needed: &str, small_blocks: Option<&str>, of: &str) -> String {
        match small_blocks {
            None => format!("special  {needed}，对应{of}：只放元数据"),
            Some(small) => format!("special  {needed}，对应{of}：元数据和不大于 {small} 的块"),
        }
    }

    fn no_metadata(&self) -> &'static str {
        "special  此直方图分不出元数据：请给出 `zdb -Lbbbs POOL` 的全部文本"
    }

    fn beside_disks(&self, kind: &str, vdevs: &str, room: &str) -> String {
        format!("{kind:8} 与机械盘并用：{vdevs}（每个 {room}）；作为数据 vdev 会与机械盘一样慢")
    }

    fn chart(&self) -> &'static str {
        "可存文件与一年内损失的概率"
    }

    fn axis_room(&self) -> &'static str {
        "可存文件，TB"
    }

    fn axis_losses(&self) -> &'static str {
        "每年损失次数"
    }
}
