//! The sources that rules cite.

use serde::Serialize;

macro_rules! documents {
    ($($name:ident: $title:literal),* $(,)?) => {
        /// A document.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Document {
            $(#[doc = $title] $name,)*
        }

        impl Document {
            /// Its title, in the language it is cited in.
            pub fn title(self) -> &'static str {
                match self {
                    $(Document::$name => $title,)*
                }
            }
        }
    };
}

documents! {
    HongKong: "Hong Kong SLOG/L2ARC comparison (2025-09-29)",
    MirrorSite: "Third-generation mirror site (2): storage design and tests",
    Fsync: "ZFS fsync IOPS performance in FreeBSD (2014-06-26)",
    Nvme: "NVMe SSD and hardware RAID for a million IOPS",
    Mysql: "MySQL on ZFS: slow writes and their settings",
    ZfsProps: "zfsprops(7)",
    ZpoolProps: "zpoolprops(7)",
    ZpoolConcepts: "zpoolconcepts(7)",
    // The manual page of the module parameters.
    Zfs4: "zfs(4)",
    ZpoolFeatures: "zpool-features(7)",
    Zpool8: "zpool(8)",
    ZfsCode: "OpenZFS source code",
    ZfsDocs: "OpenZFS documentation",
    PostgresManual: "PostgreSQL manual",
    MysqlManual: "MySQL reference manual",
    MysqlCode: "MySQL source code",
    MariadbManual: "MariaDB documentation",
    MariadbCode: "MariaDB source code",
    LinuxDocs: "Linux kernel documentation",
    Exports: "exports(5)",
    SmbConf: "smb.conf(5)",
    // Also cited for the drive's own report, which it prints.
    Smartctl: "smartctl(8)",
    Storcli: "StorCLI/PERC CLI reference manual",
    Arcconf: "ARCCONF command line utility user's guide",
    Ssacli: "HPE Smart Storage Administrator CLI user guide",
    Arithmetic: "arithmetic",
    // What no single document says.
    Practice: "common practice",
}

impl Document {
    /// A place in it: a section, property, parameter or function.
    pub const fn section(self, section: &'static str) -> Source {
        Source { document: self, section }
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
