//! The fixed words around findings and settings, in each language. Sentences of rules stand beside
//! the rules.

use crate::Language;

/// A fixed text, some with a name in braces to fill in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// Severity: error.
    Error,
    /// Severity: warning.
    Warning,
    /// Severity: note.
    Note,
    /// The variants of a lab that have a finding.
    Variants,
    /// The places that show a finding.
    Evidence,
    /// What to do.
    Fix,
    /// A source.
    Source,
    /// The lab that demonstrates a rule.
    Lab,
    /// Rows of a table of results.
    Rows,
    /// Totals: `{errors}`, `{warnings}`, `{notes}`, `{results}` (contradictions), `{rules}`, `{texts}`.
    Summary,
    /// A file that was written: `{path}`.
    Wrote,
    /// No setting loses acknowledged writes.
    LosesNothing,
    /// A setting that may lose some: `{name}`, `{value}`, `{seconds}`.
    Loses,
    /// Nothing to change.
    NoChanges,
    /// What would change.
    Changes,
    /// Above a setting that is only offered, as a comment.
    Offered,
    /// Other sources: `{others}`.
    Disagree,
    /// Above a setting that may lose acknowledged writes: `{seconds}`.
    MayLose,
    /// The sources of a setting: `{sources}`.
    Sources,
    /// The lab that measures a setting: `{lab}`.
    Measure,
    /// Above a script.
    ReadBeforeRunning,
    /// Above settings of the NFS server.
    RestartNfs,
    /// Above settings of Samba.
    IncludeInSamba,
    /// Above settings of PostgreSQL.
    IncludeInPostgresql,
    /// Above module parameters.
    RebuildInitramfs,
    /// Above exports.
    Reexport,
    /// Above udev rules.
    ReloadUdev,
}

impl Label {
    /// Its text in a language.
    pub fn text(self, language: Language) -> &'static str {
        let (english, chinese) = self.texts();
        match language {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }

    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Label::Error => ("error", "错误"),
            Label::Warning => ("warning", "警告"),
            Label::Note => ("note", "提示"),
            Label::Variants => ("variants", "方案"),
            Label::Evidence => ("evidence", "依据"),
            Label::Fix => ("fix", "措施"),
            Label::Source => ("source", "来源"),
            Label::Lab => ("lab", "实验"),
            Label::Rows => ("rows", "行"),
            Label::Summary => (
                "errors {errors} · warnings {warnings} · notes {notes} · contradictions {results} · rules applied {rules} · texts read {texts}",
                "错误 {errors} · 警告 {warnings} · 提示 {notes} · 矛盾 {results} · 规则 {rules} 条 · 读入文本 {texts} 份",
            ),
            Label::Wrote => ("wrote {path}", "已写入 {path}"),
            Label::LosesNothing => (
                "durability  no setting here loses acknowledged writes",
                "持久性  此处的设置都不会导致已确认的写入丢失",
            ),
            Label::Loses => (
                "durability  {name} = {value} MAY LOSE up to {seconds} s of acknowledged writes",
                "持久性  {name} = {value} 可能导致最多 {seconds} 秒内已确认的写入丢失",
            ),
            Label::NoChanges => (
                "changes     none: every setting has its value already",
                "变更    无：所有设置都已是目标值",
            ),
            Label::Changes => ("changes", "变更"),
            Label::Offered => ("Optional, not set:", "可选，未设置："),
            Label::Disagree => ("Sources disagree: {others}.", "各来源说法不一：{others}。"),
            Label::MayLose => (
                "MAY LOSE up to {seconds} s of acknowledged writes in a power cut.",
                "断电时可能导致最多 {seconds} 秒内已确认的写入丢失。",
            ),
            Label::Sources => ("Source: {sources}", "来源：{sources}"),
            Label::Measure => ("Measure it: poolwright {lab}", "测量：poolwright {lab}"),
            Label::ReadBeforeRunning => {
                ("Read every line before you run this script.", "运行此脚本前请逐行阅读。")
            }
            Label::RestartNfs => (
                "Afterwards: systemctl restart nfs-server",
                "之后执行：systemctl restart nfs-server",
            ),
            Label::IncludeInSamba => (
                "Include this file in [global] of smb.conf: include = /etc/samba/poolwright.conf",
                "在 smb.conf 的 [global] 中包含此文件：include = /etc/samba/poolwright.conf",
            ),
            Label::IncludeInPostgresql => (
                "Include this file in postgresql.conf with include_dir.",
                "在 postgresql.conf 中用 include_dir 包含此文件。",
            ),
            Label::RebuildInitramfs => (
                "Afterwards, if the initramfs loads ZFS: update-initramfs -u (or dracut -f)",
                "之后，若 ZFS 从 initramfs 加载，执行：update-initramfs -u（或 dracut -f）",
            ),
            Label::Reexport => ("Afterwards: exportfs -ra", "之后执行：exportfs -ra"),
            Label::ReloadUdev => (
                "Afterwards: udevadm control --reload && udevadm trigger --subsystem-match=block",
                "之后执行：udevadm control --reload && udevadm trigger --subsystem-match=block",
            ),
        }
    }
}
