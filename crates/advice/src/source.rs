//! The sources that rules cite.

use serde::Serialize;

/// A document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Document {
    /// The Hong Kong comparison of SLOG and L2ARC, 2025-09-29.
    HongKong,
    /// The mirror site's storage design.
    MirrorSite,
    /// ZFS fsync IOPS on FreeBSD, 2014-06-26.
    Fsync,
    /// NVMe SSDs behind a hardware RAID card, a million IOPS.
    Nvme,
    /// MySQL on ZFS.
    Mysql,
    /// zfsprops(7).
    ZfsProps,
    /// zpoolprops(7).
    ZpoolProps,
    /// zpoolconcepts(7).
    ZpoolConcepts,
    /// zfs(4), the module parameters.
    Zfs4,
    /// zpool-features(7).
    ZpoolFeatures,
    /// A command of zpool(8).
    Zpool8,
    /// OpenZFS's source.
    ZfsCode,
    /// OpenZFS documentation.
    ZfsDocs,
    /// PostgreSQL's manual.
    PostgresManual,
    /// MySQL's reference manual.
    MysqlManual,
    /// MariaDB's documentation.
    MariadbManual,
    /// MariaDB's source.
    MariadbCode,
    /// Linux's documentation.
    LinuxDocs,
    /// exports(5).
    Exports,
    /// smb.conf(5).
    SmbConf,
    /// smartctl(8) and the drive's own report.
    Smartctl,
    /// StorCLI's and PERC CLI's reference manual.
    Storcli,
    /// ARCCONF's user's guide.
    Arcconf,
    /// The user guide of ssacli.
    Ssacli,
    /// Arithmetic.
    Arithmetic,
    /// Common practice, without a single document.
    Practice,
}

impl Document {
    /// A place in it: a section, property, parameter or function.
    pub const fn section(self, section: &'static str) -> Source {
        Source { document: self, section }
    }

    /// Its title, in the language it is cited in.
    pub fn title(self) -> &'static str {
        match self {
            Document::HongKong => "Hong Kong SLOG/L2ARC comparison (2025-09-29)",
            Document::MirrorSite => "Third-generation mirror site (2): storage design and tests",
            Document::Fsync => "ZFS fsync IOPS performance in FreeBSD (2014-06-26)",
            Document::Nvme => "NVMe SSD and hardware RAID for a million IOPS",
            Document::Mysql => "MySQL on ZFS: slow writes and their settings",
            Document::ZfsProps => "zfsprops(7)",
            Document::ZpoolProps => "zpoolprops(7)",
            Document::ZpoolConcepts => "zpoolconcepts(7)",
            Document::Zfs4 => "zfs(4)",
            Document::ZpoolFeatures => "zpool-features(7)",
            Document::Zpool8 => "zpool(8)",
            Document::ZfsCode => "OpenZFS source",
            Document::ZfsDocs => "OpenZFS documentation",
            Document::PostgresManual => "PostgreSQL manual",
            Document::MysqlManual => "MySQL reference manual",
            Document::MariadbManual => "MariaDB documentation",
            Document::MariadbCode => "MariaDB source",
            Document::LinuxDocs => "Linux kernel documentation",
            Document::Exports => "exports(5)",
            Document::SmbConf => "smb.conf(5)",
            Document::Smartctl => "smartctl(8)",
            Document::Storcli => "StorCLI/PERC CLI reference manual",
            Document::Ssacli => "HPE Smart Storage Administrator CLI user guide",
            Document::Arcconf => "ARCCONF command line utility user's guide",
            Document::Arithmetic => "arithmetic",
            Document::Practice => "common practice",
        }
    }
}

/// A place in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub struct Source {
    /// The document.
    pub document: Document,
    /// Section, property, parameter or function in it.
    pub section: &'static str,
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.document.title(), self.section)
    }
}
