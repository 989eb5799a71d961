//! The one list of rules: variant, name, function, sources, the lab that demonstrates it.

use super::{
    Finding, Rule, cache, card, counters, database, dataset, drive, layout, log, module, padding,
};
use super::{mysql, pool, postgresql, sectors, server, special};
use crate::source::{Document, Source};
use crate::system::System;
use serde::{Serialize, Serializer};

macro_rules! rules {
    ($($variant:ident $name:literal $check:path [$($document:ident $section:literal)+] $($lab:literal)?;)*) => {
        /// A rule's identity: its name in output, in documentation and in fixtures.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Id {
            $(#[doc = $name] $variant,)*
        }

        impl Id {
            /// Its name: lower case, words joined by hyphens.
            pub fn name(self) -> &'static str {
                match self {
                    $(Id::$variant => $name,)*
                }
            }
        }

        /// Every rule, in the order of [`Id`].
        pub const RULES: &[Rule] = &[$(Rule {
            id: Id::$variant,
            check: $check as fn(&System) -> Vec<Finding>,
            sources: &[$(Source { document: Document::$document, section: $section }),+],
            lab: lab(&[$($lab)?]),
        },)*];
    };
}

const fn lab(labs: &[&'static str]) -> Option<&'static str> {
    match labs {
        [lab] => Some(lab),
        _ => None,
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

rules! {
    LogUnprotected "log-unprotected" log::unprotected [HongKong "when to add a SLOG" ZfsDocs "Hardware, NVRAM and power-loss protection"];
    LogUnmirrored "log-unmirrored" log::unmirrored [HongKong "when to add a SLOG" ZpoolConcepts "Intent Log"];
    LogAsynchronous "log-asynchronous" log::asynchronous [HongKong "pitfalls met, asynchronous writes" ZpoolConcepts "Intent Log"] "hk-async";
    LogMissing "log-missing" log::missing [HongKong "result 2, forced synchronous writes" ZpoolConcepts "Intent Log"] "hk-sync-slog";
    LogOversized "log-oversized" log::oversized [HongKong "when to add a SLOG" Zfs4 "zfs_wrlog_data_max"] "hk-slog-size";
    LogUndersized "log-undersized" log::undersized [Zfs4 "zfs_wrlog_data_max" Arithmetic "1.5 x zfs_wrlog_data_max"] "hk-slog-size";
    LogSlower "log-slower" log::slower [HongKong "when to add a SLOG" Practice "a log is worth its latency"] "hk-sync-slog";
    LogBypassed "log-bypassed" log::bypassed [ZfsProps "logbias" Mysql "logbias=throughput"] "hk-logbias";
    LogSilenced "log-silenced" log::silenced [ZfsProps "sync"] "hk-async";
    LogShared "log-shared" log::shared [ZfsDocs "Performance, whole disks against partitions" Practice "a log alone on its drive"];
    CacheHeaders "cache-headers" cache::headers [HongKong "pitfalls met, L2ARC too small" ZfsCode "arc.h, L2ARC header of 96 bytes"];
    CacheSmall "cache-small" cache::small [HongKong "pitfalls met, L2ARC too small" Practice "a second cache larger than the first"];
    CacheStarved "cache-starved" cache::starved [ZfsProps "secondarycache" ZfsCode "dbuf.c, buffers of primarycache=metadata are freed"] "hk-smb-l2arc";
    CacheSlowToFill "cache-slow-to-fill" cache::slow_to_fill [Zfs4 "l2arc_write_max" Arithmetic "size / feed rate"] "hk-smb-l2arc";
    CacheRotating "cache-rotating" cache::rotating [Practice "a cache faster than what it caches"];
    CacheForgetful "cache-forgetful" cache::forgetful [Zfs4 "l2arc_rebuild_blocks_min_l2size"] "hk-persist";
    CacheRebuildOff "cache-rebuild-off" cache::rebuild_off [Zfs4 "l2arc_rebuild_enabled"] "hk-persist";
    CacheWriteOnly "cache-write-only" cache::write_only [HongKong "result 2, L2ARC does nothing for writes"] "hk-sync-l2arc";
    CacheUnused "cache-unused" cache::unused [ZfsProps "secondarycache"];
    CacheBeforeMemory "cache-before-memory" cache::before_memory [HongKong "when to add an L2ARC" Arithmetic "96 bytes of RAM a block"];
    SpecialUnmirrored "special-unmirrored" special::unmirrored [HongKong "pitfalls met, special vdev not mirrored" ZpoolConcepts "Special Allocation Class"];
    DedupVdevUnmirrored "dedup-vdev-unmirrored" special::dedup_unmirrored [ZpoolConcepts "dedup vdev"];
    SpecialWeaker "special-weaker" special::weaker [ZpoolConcepts "Special Allocation Class"];
    SpecialIrreversible "special-irreversible" special::irreversible [Zpool8 "zpool-remove(8), top-level vdevs and raidz"];
    SpecialMetadataOnly "special-metadata-only" special::metadata_only [ZfsProps "special_small_blocks" HongKong "result 3"] "hk-smb-l2arc";
    SpecialEverything "special-everything" special::everything [ZfsProps "special_small_blocks"];
    AshiftTooSmall "ashift-too-small" sectors::too_small [HongKong "pitfalls met, ashift" ZpoolProps "ashift"] "hk-ashift";
    AshiftNine "ashift-nine" sectors::nine [HongKong "pitfalls met, ashift" ZpoolProps "ashift"] "hk-ashift";
    AshiftBelieved "ashift-believed" sectors::believed [ZpoolProps "ashift" ZfsDocs "Hardware, sector size"] "hk-ashift";
    CompressionNoRoom "compression-no-room" sectors::no_room [ZfsProps "compression" Arithmetic "blocks are whole sectors"];
    LayoutStripe "layout-stripe" layout::stripe [ZpoolConcepts "Virtual Devices" Fsync "zpool create of twelve single disks"];
    LayoutMixed "layout-mixed" layout::mixed [ZpoolConcepts "Virtual Devices"];
    LayoutUneven "layout-uneven" layout::uneven [ZpoolConcepts "Virtual Devices"];
    LayoutUnequalDrives "layout-unequal-drives" layout::unequal_drives [ZpoolConcepts "Virtual Devices, raidz"];
    LayoutWide "layout-wide" layout::wide [ZpoolConcepts "raidz, recommended number of devices" MirrorSite "ZFS layouts, raidz3 of 30"];
    LayoutSingleParity "layout-single-parity" layout::single_parity [Arithmetic "capacity / disk rate" Practice "a second failure during a long resilver"];
    LayoutDatabase "layout-database" layout::database [HongKong "databases, mirrors before raidz"];
    DraidSpares "draid-spares" layout::draid_spares [ZpoolConcepts "dRAID, distributed spares"];
    LayoutMiscounted "layout-miscounted" layout::miscounted [HongKong "node B, 12 disks as two raidz2 of 6D+2P" Arithmetic "drives - parity"];
    LayoutUnstableNames "layout-unstable-names" layout::unstable_names [ZfsDocs "selecting /dev names when creating a pool"];
    LayoutSameDrive "layout-same-drive" layout::same_drive [ZpoolConcepts "Virtual Devices"];
    LayoutRaidzPadding "layout-raidz-padding" padding::raidz [ZfsCode "vdev_raidz_asize"] "hk-recordsize";
    LayoutDraidPadding "layout-draid-padding" padding::draid [ZpoolConcepts "dRAID, fixed stripe width"];
    SyncDisabled "sync-disabled" dataset::sync_disabled [ZfsProps "sync" Mysql "sync=disabled" Fsync "zfs get all"] "hk-async";
    PrimarycacheNone "primarycache-none" dataset::primarycache_none [ZfsProps "primarycache"];
    Atime "atime" dataset::atime [ZfsProps "atime" Mysql "zfs set atime=off"];
    CompressionOff "compression-off" dataset::compression_off [ZfsProps "compression" Mysql "compression=lz4"];
    CompressionHeavy "compression-heavy" dataset::compression_heavy [ZfsProps "compression"];
    Xattr "xattr" dataset::xattr [ZfsProps "xattr" Mysql "xattr=sa"];
    ChecksumOff "checksum-off" dataset::checksum_off [ZfsProps "checksum"];
    Copies "copies" dataset::copies [ZfsProps "copies"];
    Dedup "dedup" dataset::dedup [ZfsProps "dedup" ZfsDocs "Performance, deduplication"];
    EncryptionCcm "encryption-ccm" dataset::encryption_ccm [ZfsProps "encryption"];
    EncryptionDedup "encryption-dedup" dataset::encryption_dedup [ZfsProps "encryption"];
    RedundantMetadata "redundant-metadata" dataset::redundant_metadata [ZfsProps "redundant_metadata" Mysql "redundant_metadata=most"];
    PartialWrites "partial-writes" dataset::partial_writes [HongKong "result 2, 8K into records of 1M" ZfsProps "recordsize"] "hk-sync-slog";
    SmallVolumes "small-volumes" dataset::small_volumes [ZfsProps "volblocksize"];
    DatabaseSyncDisabled "database-sync-disabled" database::sync_disabled [ZfsProps "sync" Mysql "sync=disabled"];
    DatabaseRecordsTorn "database-records-torn" database::records_torn [Mysql "innodb_doublewrite=0" ZfsProps "recordsize"] "hk-recordsize";
    DatabaseRecordsLarge "database-records-large" database::records_large [HongKong "databases, recordsize=16K" Mysql "recordsize=16k" ZfsProps "recordsize"] "hk-recordsize";
    DatabaseLogbias "database-logbias" database::logbias [HongKong "databases, logbias=latency" Mysql "logbias=throughput" ZfsProps "logbias"] "hk-logbias";
    DatabasePrimarycache "database-primarycache" database::primarycache [Mysql "primarycache=metadata" ZfsProps "primarycache"];
    DatabaseMemory "database-memory" database::memory [Zfs4 "zfs_arc_max" Practice "leave room for both caches"];
    PgFsync "pg-fsync" postgresql::fsync [PostgresManual "fsync"];
    PgFullPageWrites "pg-full-page-writes" postgresql::full_page_writes [PostgresManual "full_page_writes"];
    PgFullPageWritesKept "pg-full-page-writes-kept" postgresql::full_page_writes_kept [PostgresManual "full_page_writes" ZfsCode "zfs_write, one transaction a block"];
    PgSynchronousCommit "pg-synchronous-commit" postgresql::synchronous_commit [PostgresManual "synchronous_commit"];
    PgWalInitZero "pg-wal-init-zero" postgresql::wal_init_zero [PostgresManual "wal_init_zero"];
    PgWalRecycle "pg-wal-recycle" postgresql::wal_recycle [PostgresManual "wal_recycle"];
    PgIoConcurrency "pg-io-concurrency" postgresql::effective_io_concurrency [PostgresManual "effective_io_concurrency" ZfsCode "zpl_file.c, fadvise since 2.2" HongKong "databases"];
    PgRandomPageCost "pg-random-page-cost" postgresql::random_page_cost [PostgresManual "random_page_cost"];
    PgMaxWalSize "pg-max-wal-size" postgresql::max_wal_size [PostgresManual "max_wal_size, full_page_writes" HongKong "databases, checkpoint settings"];
    MyFlushLog "my-flush-log" mysql::flush_log [MysqlManual "innodb_flush_log_at_trx_commit" Mysql "innodb_flush_log_at_trx_commit=0"];
    MySyncBinlog "my-sync-binlog" mysql::sync_binlog [MysqlManual "sync_binlog" Mysql "sync_binlog=0"];
    MyDoublewrite "my-doublewrite" mysql::doublewrite [MysqlManual "innodb_doublewrite" Mysql "innodb_doublewrite=0"];
    MyDoublewriteKept "my-doublewrite-kept" mysql::doublewrite_kept [MysqlManual "innodb_doublewrite" ZfsCode "zfs_write, one transaction a block"];
    MyNativeAio "my-native-aio" mysql::native_aio [MysqlManual "innodb_use_native_aio" Mysql "innodb_use_native_aio=0"];
    MyFlushNeighbors "my-flush-neighbors" mysql::flush_neighbors [MysqlManual "innodb_flush_neighbors" Mysql "innodb_flush_neighbors=0"];
    MyWriteAhead "my-write-ahead" mysql::write_ahead [MysqlManual "innodb_log_write_ahead_size" Mysql "innodb_log_write_ahead_size"];
    MyCompression "my-compression" mysql::compression [MariadbManual "innodb_compression_default" Mysql "innodb_compression_default=OFF"];
    MyTwoServers "my-two-servers" mysql::two_servers [MysqlManual "server option reference" MariadbManual "InnoDB system variables"];
    ModuleUnknown "module-unknown" module::unknown [HongKong "tuning fragments, l2arc_write_max_mb" Zfs4 "list of parameters"];
    ModuleOtherRelease "module-other-release" module::other_release [Zfs4 "list of parameters of each release"];
    ModuleDefault "module-default" module::default [HongKong "tuning fragments, zfs_txg_timeout=5" Zfs4 "defaults"];
    ModuleSuffix "module-suffix" module::suffix [LinuxDocs "kernel parameters, numbers"];
    ModuleStray "module-stray" module::stray [LinuxDocs "modprobe.d(5)"];
    ArcMin "arc-min" module::arc_min [HongKong "tuning fragments, zfs_arc_min" Zfs4 "zfs_arc_min"];
    ArcMaxIgnored "arc-max-ignored" module::arc_max_ignored [Zfs4 "zfs_arc_max" ZfsCode "arc_tuning_update"];
    Nocacheflush "nocacheflush" module::nocacheflush [Zfs4 "zfs_nocacheflush, zil_nocacheflush"];
    TxgTimeout "txg-timeout" module::txg_timeout [Zfs4 "zfs_txg_timeout" HongKong "tuning fragments"];
    L2arcUnits "l2arc-units" module::l2arc_units [Zfs4 "l2arc_write_max" HongKong "tuning fragments"];
    PrefetchOff "prefetch-off" module::prefetch_off [Zfs4 "zfs_prefetch_disable"];
    DirtyData "dirty-data" module::dirty_data [Zfs4 "zfs_dirty_data_max" ZfsCode "arc_tempreserve_space"];
    ReplayOff "replay-off" module::replay_off [Zfs4 "zil_replay_disable"];
    L2arcWithoutCache "l2arc-without-cache" module::l2arc_without_cache [Zfs4 "l2arc parameters"];
    PoolFull "pool-full" pool::full [ZfsDocs "Performance, free space" Practice "20 % free"];
    PoolFragmented "pool-fragmented" pool::fragmented [ZpoolProps "fragmentation"];
    PoolDegraded "pool-degraded" pool::degraded [ZpoolConcepts "Device Failure and Recovery"];
    PoolErrors "pool-errors" pool::errors [Zpool8 "zpool-status(8)"];
    PoolDamaged "pool-damaged" pool::damaged [Zpool8 "zpool-status(8)"];
    PoolScrub "pool-scrub" pool::scrub [Zpool8 "zpool-scrub(8)"];
    PoolAutotrim "pool-autotrim" pool::autotrim [HongKong "databases, autotrim=on" ZpoolProps "autotrim"];
    PoolAutotrimEarly "pool-autotrim-early" pool::autotrim_early [ZfsCode "vdev_autotrim_thread before 2.2"] "autotrim";
    PoolFeatures "pool-features" pool::features [ZpoolFeatures "Feature states"];
    PoolUnsupported "pool-unsupported" pool::unsupported [ZpoolFeatures "Feature states"];
    PoolCheckpoint "pool-checkpoint" pool::checkpoint [ZpoolConcepts "Pool checkpoint"];
    PoolResilvering "pool-resilvering" pool::resilvering [Zpool8 "zpool-status(8)"];
    DriveShingled "drive-shingled" drive::shingled [Practice "makers' lists of shingled disks, 2020"];
    DriveFailing "drive-failing" drive::failing [Smartctl "overall health, attributes 197 and 198"];
    DriveWorn "drive-worn" drive::worn [Smartctl "NVMe percentage used, available spare"];
    DriveCable "drive-cable" drive::cable [Smartctl "attribute 199"];
    DriveUsb "drive-usb" drive::usb [ZfsDocs "Hardware, USB"];
    DriveCardVolume "drive-card-volume" drive::card_volume [ZfsDocs "Hardware, hardware RAID controllers" Nvme "pass-through mode"];
    DriveScheduler "drive-scheduler" drive::scheduler [Nvme "scheduler none by udev" LinuxDocs "block, switching schedulers"];
    DriveRotational "drive-rotational" drive::rotational [ZfsCode "vdev_queue.c, aggregation limits"];
    DriveCacheHidden "drive-cache-hidden" drive::cache_hidden [LinuxDocs "block, queue/write_cache"];
    DriveReadAhead "drive-read-ahead" drive::read_ahead [Nvme "no read-ahead" LinuxDocs "block, queue/read_ahead_kb"];
    SwapOnVolume "swap-on-volume" drive::swap_on_volume [ZfsDocs "FAQ, using a zvol for a swap device"];
    DriveMixedSectors "drive-mixed-sectors" drive::mixed_sectors [ZpoolProps "ashift"] "hk-ashift";
    CardUnprotected "card-unprotected" card::unprotected [Storcli "write cache policy" Nvme "write policy and the battery"];
    CardBattery "card-battery" card::battery [Storcli "CacheVault and BBU" Nvme "write policy and the battery"];
    CardDriveCache "card-drive-cache" card::drive_cache [Storcli "pdcache" MirrorSite "write cache state"];
    CardReadAhead "card-read-ahead" card::read_ahead [Nvme "recommended settings, no read ahead"];
    CardWriteBack "card-write-back" card::write_back [Nvme "recommended settings, write through"];
    CardStrip "card-strip" card::strip [Nvme "recommended settings, stripe size 64K"];
    CardParity "card-parity" card::parity [Nvme "RAID levels, write penalty" Arithmetic "2, 4 and 6 operations"];
    CardDegraded "card-degraded" card::degraded [Storcli "virtual drive states"];
    CardSingleDrives "card-single-drives" card::single_drives [ZfsDocs "Hardware, hardware RAID controllers" MirrorSite "RAID card modes"];
    CardReadShare "card-read-share" card::read_share [MirrorSite "cache ratio" Arcconf "cache ratio"];
    NfsAsync "nfs-async" server::nfs_async [Exports "async"];
    SmbStrictSync "smb-strict-sync" server::strict_sync [SmbConf "strict sync"];
    SmbSyncAlways "smb-sync-always" server::sync_always [SmbConf "sync always"] "hk-smb-slog";
    MtuMismatch "mtu-mismatch" server::mtu [HongKong "pitfalls met, jumbo frames"];
    NoCommits "no-commits" counters::no_commits [ZfsCode "zil kstat, zil_commit_count" HongKong "when to add a SLOG"] "hk-async";
    SlowCommits "slow-commits" counters::slow_commits [ZfsCode "zil kstat" Zpool8 "zpool-iostat(8), latency histograms"] "hk-sync-slog";
    FastCommits "fast-commits" counters::fast_commits [Zpool8 "zpool-iostat(8), latency histograms" LinuxDocs "iostats, flush requests" HongKong "when to add a SLOG"] "hk-sync-slog";
    FewMisses "few-misses" counters::few_misses [ZfsCode "arcstats, demand hits and misses" HongKong "when to add an L2ARC"] "hk-sync-l2arc";
    FewGhosts "few-ghosts" counters::few_ghosts [ZfsCode "arcstats, ghost lists" HongKong "when to add an L2ARC"] "hk-sync-l2arc";
    ManyGhosts "many-ghosts" counters::many_ghosts [ZfsCode "arcstats, ghost lists"] "hk-smb-l2arc";
    L2arcIdle "l2arc-idle" counters::l2arc_idle [ZfsCode "arcstats, l2_hits"] "hk-smb-l2arc";
    L2arcErrors "l2arc-errors" counters::l2arc_errors [ZfsCode "arcstats, l2_cksum_bad"];
    MemoryThrottled "memory-throttled" counters::memory_throttled [ZfsCode "arcstats, memory_throttle_count"];
    DirtyDelayed "dirty-delayed" counters::dirty_delayed [ZfsCode "dmu_tx kstat, dmu_tx_dirty_delay"] "hk-sync-slog";
}
