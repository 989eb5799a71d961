//! The fixed words around findings and settings, in each language. Sentences of rules stand beside
//! the rules.

use crate::Language;
use crate::label::labels;

labels! {
    /// A fixed text, some with names in braces to fill in.
    // Findings.
    Error: "error" | "错误",
    Warning: "warning" | "警告",
    Note: "note" | "提示",
    Variants: "variants" | "方案",
    Evidence: "evidence" | "依据",
    Fix: "fix" | "措施",
    Source: "source" | "来源",
    Lab: "lab" | "实验",
    Rows: "rows" | "行名",
    Summary: "errors {errors} · warnings {warnings} · notes {notes} · contradictions {results} · rules applied {rules} · texts read {texts}" | "错误 {errors} · 警告 {warnings} · 提示 {notes} · 矛盾 {results} · 规则 {rules} 条 · 读入文本 {texts} 份",
    // Settings.
    Wrote: "wrote {path}" | "已写入 {path}",
    LosesNothing: "durability  no setting here loses acknowledged writes" | "持久性  此处的设置都不会导致已确认的写入丢失",
    Loses: "durability  {name} = {value} MAY LOSE up to {seconds} s of acknowledged writes" | "持久性  {name} = {value} 可能导致最多 {seconds} 秒内已确认的写入丢失",
    NoChanges: "changes     none: every setting already has the recommended value" | "变更    无：所有设置都已是推荐值",
    Changes: "changes" | "变更",
    // Above a setting in a file.
    Offered: "Optional, not set:" | "可选，未设置：",
    Disagree: "Sources disagree: {others}." | "各来源说法不一：{others}。",
    MayLose: "MAY LOSE up to {seconds} s of acknowledged writes in a power cut." | "断电时可能导致最多 {seconds} 秒内已确认的写入丢失。",
    Sources: "Source: {sources}" | "来源：{sources}",
    Measure: "Measure it: poolwright {lab}" | "测量：poolwright {lab}",
    // At the head of a file.
    ReadBeforeRunning: "Read every line before you run this script." | "运行此脚本前请逐行阅读。",
    RestartNfs: "Afterwards: systemctl restart nfs-server" | "之后执行：systemctl restart nfs-server",
    IncludeInSamba: "Include this file in [global] of smb.conf: include = /etc/samba/poolwright.conf" | "在 smb.conf 的 [global] 中包含此文件：include = /etc/samba/poolwright.conf",
    IncludeInPostgresql: "Include this file in postgresql.conf with include_dir." | "在 postgresql.conf 中用 include_dir 包含此文件。",
    RebuildInitramfs: "Afterwards, if the initramfs loads ZFS: update-initramfs -u (or dracut -f)" | "之后，若 ZFS 从 initramfs 加载，执行：update-initramfs -u（或 dracut -f）",
    Reexport: "Afterwards: exportfs -ra" | "之后执行：exportfs -ra",
    ReloadUdev: "Afterwards: udevadm control --reload && udevadm trigger --subsystem-match=block" | "之后执行：udevadm control --reload && udevadm trigger --subsystem-match=block",
}
