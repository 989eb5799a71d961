//! English.

use super::{Label, Text};
use crate::audit::Id;

/// What each rule says.
pub fn text(rule: Id) -> Text {
    match rule {
        Id::LogUnprotected => Text {
            what: "The log of {pool} is on {subject}, a drive without power-loss protection ({model}).",
            why: "Such a drive is slow where it obeys flushes (0.5-5 ms each) and loses acknowledged writes at a power cut where it does not. A log is written constantly and read only after a crash: both faults show at the worst time.",
        },
        Id::LogUnmirrored => Text {
            what: "The log of {pool} is a single drive, {subject}.",
            why: "If it fails while the system runs, ZFS goes on with the pool's own log and nothing is lost. If it fails together with the power, or has a bad block in the chain, the last seconds of acknowledged synchronous writes are gone, and the pool needs `zpool import -m`.",
        },
        Id::LogAsynchronous => Text {
            what: "{subject} has a log, but nothing in its workloads asks for stable storage.",
            why: "A log is written by fsync, O_SYNC, sync=always and NFS commits only. Asynchronous writes go to the data vdevs with their transaction group, log or no log.",
        },
        Id::LogMissing => Text {
            what: "{subject} takes synchronous writes on rotating disks and has no log.",
            why: "Each commit waits for the slowest disk of a vdev, about 8-15 ms. A log on a drive with power-loss protection answers in 0.01-0.1 ms until the disks fall behind. Measure the gain before buying: it ends where the disks cannot take what was promised.",
        },
        Id::LogOversized => Text {
            what: "The log of {subject} has {has}; no more than about {needs} of it can ever be in use.",
            why: "What waits in the log is bounded by zfs_wrlog_data_max, twice the dirty-data limit. More room only helps the drive's wear levelling; latency is what a log is bought for.",
        },
        Id::LogUndersized => Text {
            what: "The log of {subject} has {has}; up to {needs} may be in flight.",
            why: "When the log vdev is full, records go to the data vdevs, at their latency.",
        },
        Id::LogSlower => Text {
            what: "The log {subject} of {pool} is on a slower kind of drive than the pool's own.",
            why: "Each commit goes to the log and waits for it. Without this log the commit would go to the faster drives.",
        },
        Id::LogBypassed => Text {
            what: "{subject} has logbias=throughput, so its synchronous writes do not use the log of {pool}.",
            why: "With throughput, data is written to the data vdevs at once and the log gets pointers, on the data vdevs too. The sources disagree on which is faster without a log; with one, throughput cancels it.",
        },
        Id::LogSilenced => Text {
            what: "{subject} has sync=disabled, so the log of {pool} does nothing for it.",
            why: "Every fsync returns at once and nothing is logged: the log drive idles and acknowledged writes of the last seconds die with the power.",
        },
        Id::LogShared => Text {
            what: "The log {subject} of {pool} shares a drive with {other}.",
            why: "Reads, cache fills and txg writes queue in front of commits on the same drive, which is just the latency that a log is to remove.",
        },
        Id::CacheHeaders => Text {
            what: "The {cache} L2ARC of {subject} at {block} blocks needs {headers} of RAM for headers, of {memory}.",
            why: "Each cached block keeps a 96-byte header in the ARC. That RAM would have cached hot data at memory speed; above a third of the ARC, feeding stops.",
        },
        Id::CacheSmall => Text {
            what: "The L2ARC of {subject} ({cache}) is smaller than the ARC before it ({arc}).",
            why: "A second cache that holds less than the first adds little: most of what it would hold is in RAM already, and with a churning hot set its contents are replaced before they are read again.",
        },
        Id::CacheStarved => Text {
            what: "{subject} has primarycache={value}, so its data can never enter the L2ARC of {pool}.",
            why: "The L2ARC is fed from the ends of the ARC's lists. Data that primarycache keeps out of the ARC is freed at once and is never there to be fed, whatever secondarycache says.",
        },
        Id::CacheSlowToFill => Text {
            what: "The {cache} L2ARC of {subject} takes {least} to {hours} hours to fill at {feed} a feed.",
            why: "One feed a second, up to five a second while it keeps up. A five-minute test sees a nearly empty cache, and a hot set that moves within that time is never cached.",
        },
        Id::CacheRotating => Text {
            what: "The L2ARC of {pool} is on a rotating disk, {subject}.",
            why: "A hit there costs a seek, as on the pool itself, and takes the ARC's memory for its headers.",
        },
        Id::CacheForgetful => Text {
            what: "The L2ARC {subject} of {pool} ({cache}) is under {least}: it is not persistent.",
            why: "Log blocks, from which the cache is rebuilt after an import, are not written on devices that small: it starts empty after each restart.",
        },
        Id::CacheRebuildOff => Text {
            what: "{subject}=0: the L2ARC starts empty after each restart.",
            why: "Since OpenZFS 2.0 an L2ARC survives a restart unless this is turned off.",
        },
        Id::CacheWriteOnly => Text {
            what: "{subject} has an L2ARC, but its workloads only write.",
            why: "The L2ARC answers reads. Whole-record writes never ask it; writes of part of a record may, and none of these is.",
        },
        Id::CacheUnused => Text {
            what: "{subject} has an L2ARC, but every dataset says secondarycache=none.",
            why: "Nothing will ever be fed to it.",
        },
        Id::CacheBeforeMemory => Text {
            what: "{subject} has an L2ARC in a machine with {memory} of RAM.",
            why: "RAM answers a hundred times faster than any SSD and the headers of an L2ARC take part of it away. Add memory first, then look at the ghost hits (`poolwright audit --host`).",
        },
        Id::SpecialUnmirrored => Text {
            what: "The special vdev of {pool} is a single drive, {subject}.",
            why: "All of the pool's new metadata is on it. If it fails, the pool is lost, whatever redundancy the data has.",
        },
        Id::DedupVdevUnmirrored => Text {
            what: "The dedup vdev of {pool} is a single drive, {subject}.",
            why: "The deduplication table is on it. If it fails, the pool is lost.",
        },
        Id::SpecialWeaker => Text {
            what: "The special vdev {subject} of {pool} survives {survives} failed drive(s), the data {data}.",
            why: "The pool is as strong as its weakest vdev: with metadata on fewer copies, the data's parity buys nothing.",
        },
        Id::SpecialIrreversible => Text {
            what: "The special vdev {special} cannot be removed from {subject}, which has raidz or dRAID ({raidz}).",
            why: "Top-level vdevs are removed only from pools of mirrors and single disks. Log and cache vdevs can always be removed. Try such a step on a scale model first, or after `zpool checkpoint`, to which a pool can be rewound.",
        },
        Id::SpecialMetadataOnly => Text {
            what: "The special vdev of {subject} holds metadata only: special_small_blocks is 0.",
            why: "Small files stay on the data vdevs until special_small_blocks says otherwise, and then only those written from that time on. Size the special vdev for it first.",
        },
        Id::SpecialEverything => Text {
            what: "{subject} sends all its data to the special vdev: special_small_blocks {small} is not below its blocks of {block}.",
            why: "Every block counts as small. The special vdev fills to three quarters, and what comes after goes to the data vdevs as before.",
        },
        Id::AshiftTooSmall => Text {
            what: "{subject} writes sectors of 2^{ashift} bytes to drives with physical sectors of {sector}.",
            why: "Each write of part of a sector makes the drive read, change and write the whole of it. ashift is fixed when a vdev is made: re-create the pool with ashift={right}. A vdev with another ashift also blocks removal.",
        },
        Id::AshiftNine => Text {
            what: "{subject} has ashift=9, and nothing here says that its drives have 512-byte sectors.",
            why: "Hardly any drive sold in the last ten years has them inside, and a replacement will not. ashift cannot be changed later; 12 costs a little space on small blocks and is right for every drive.",
        },
        Id::AshiftBelieved => Text {
            what: "ashift is left to drives that claim 512-byte sectors though they are SSDs ({drive}).",
            why: "Flash pages are 4K and more; the 512 is for old systems. State ashift=12 when the pool is created: it cannot be changed later.",
        },
        Id::CompressionNoRoom => Text {
            what: "{subject} has blocks of {block} on sectors of {sector}: there is no room to compress.",
            why: "A block takes whole sectors, so one that is a single sector cannot become smaller: compression can save nothing, and metadata is as large as for larger blocks.",
        },
        Id::LayoutStripe => Text {
            what: "{subject} has no redundancy: {drives} data vdev(s) of one drive each.",
            why: "The first drive that fails takes the whole pool with it, and checksums can find damage but not repair it.",
        },
        Id::LayoutMixed => Text {
            what: "The data vdevs of {subject} survive unequal failures: {weakest} {survives}, {strongest} more.",
            why: "Data is striped over all of them, so the pool dies with its weakest vdev. This is what `zpool add -f` does by mistake; in a pool with raidz it cannot be undone.",
        },
        Id::LayoutUneven => Text {
            what: "The raidz vdevs of {subject} have unequal widths: {widths}.",
            why: "Each stores a block with another share of parity, and the narrow one fills at another rate: usable space and speed are hard to tell. Widening a raidz by `zpool attach` needs OpenZFS 2.3.",
        },
        Id::LayoutUnequalDrives => Text {
            what: "The drives of {subject} in {pool} differ in size: each counts as {least}, and {lost} is unused.",
            why: "A mirror or raidz uses of each drive only what its smallest has.",
        },
        Id::LayoutWide => Text {
            what: "{subject} in {pool} is {width} drives wide.",
            why: "A resilver reads all of them, random reads of full records keep all of them busy, and the window in which further failures count grows with the width. Several vdevs, or dRAID, rebuild faster.",
        },
        Id::LayoutSingleParity => Text {
            what: "{subject} in {pool} has single parity over disks of {size}.",
            why: "A resilver takes {hours} hours or more at full speed. Until it ends, a second failure loses the pool, and an unreadable sector loses data.",
        },
        Id::LayoutRaidzPadding => Text {
            what: "Blocks of {block} of {subject} take {takes} on {vdev}: {factor} times their size, where large blocks take {fair}.",
            why: "raidz adds parity for every row and pads each block to a multiple of parity + 1 sectors, so small blocks pay like mirrors or worse.",
        },
        Id::LayoutDraidPadding => Text {
            what: "Blocks of {block} of {subject} take {takes} on {vdev}: {factor} times their size, where large blocks take {fair}.",
            why: "dRAID allocates whole stripes: a block smaller than a stripe's data fills it with zeros.",
        },
        Id::LayoutDatabase => Text {
            what: "{subject} holds {engine} on {vdev}.",
            why: "A random read of a page keeps several drives of a raidz busy, a mirror one; small records also lose much of raidz's space. Mirrors give more operations from the same drives.",
        },
        Id::DraidSpares => Text {
            what: "{subject} in {pool} has no distributed spare.",
            why: "Rebuilding onto spare space spread over all drives is what dRAID is for; without it raidz stores small blocks better.",
        },
        Id::LayoutMiscounted => Text {
            what: "A text says {said} (data + parity), but {subject} is {has}.",
            why: "With data drives counted as all drives, capacity is overstated: {said} needs {drives} drives in each vdev.",
        },
        Id::LayoutUnstableNames => Text {
            what: "{subject} names its drives as the kernel found them ({drive}).",
            why: "Such names change with cabling and boot order. ZFS finds its drives anyway, but a person who replaces \"sda\" may pull the wrong one.",
        },
        Id::LayoutSameDrive => Text {
            what: "{subject} in {pool} has two members on one drive: {one} and {two}.",
            why: "When that drive fails, both copies or two columns go at once.",
        },
        Id::SyncDisabled => Text {
            what: "{subject} has sync=disabled.",
            why: "Programs are told that their data is stable when it is in memory: a crash or power cut loses what was acknowledged in the last seconds. The pool itself stays consistent. It is a choice for data that can be made again.",
        },
        Id::PrimarycacheNone => Text {
            what: "{subject} has primarycache=none.",
            why: "Not even metadata is cached: each read goes to the drives, several times for indirect blocks, and a write of part of a record reads it each time.",
        },
        Id::Atime => Text {
            what: "{subject} writes access times at every read (atime=on, relatime=off).",
            why: "Each read dirties a dnode and with it a path of metadata.",
        },
        Id::CompressionOff => Text {
            what: "{subject} is not compressed.",
            why: "lz4 gives up early on what does not compress and costs next to nothing; without any compression a file's last record is also stored whole.",
        },
        Id::CompressionHeavy => Text {
            what: "{subject} compresses with {value}.",
            why: "gzip compresses at tens of megabytes a second a core. zstd reaches its ratio several times faster, lz4 most of it at memory speed.",
        },
        Id::Xattr => Text {
            what: "{subject} keeps extended attributes in hidden directories (xattr={value}).",
            why: "Each access costs further look-ups and I/O. With xattr=sa they are in the dnode, which matters for SELinux, ACLs and Samba; new attributes only.",
        },
        Id::ChecksumOff => Text {
            what: "{subject} does not checksum its data.",
            why: "Damage is then neither found nor repaired, which is what ZFS is for. The CPU cost of fletcher4 is hardly measurable.",
        },
        Id::Copies => Text {
            what: "{subject} keeps {copies} copies of each block.",
            why: "They may lie on the same drive, do not let the pool survive the loss of a vdev, and multiply writes. Redundancy belongs in the vdevs.",
        },
        Id::Dedup => Text {
            what: "{subject} deduplicates: about {memory} of table for each TiB of unique data at {block} blocks.",
            why: "Every write looks its block up in a table, and when that no longer fits in the ARC each look-up is a random read. What was written with it on stays in the table when it is turned off.",
        },
        Id::EncryptionCcm => Text {
            what: "{subject} is encrypted with {value}.",
            why: "GCM is as strong and several times faster, since processors help with it. It cannot be changed on a dataset: send into a new one.",
        },
        Id::EncryptionDedup => Text {
            what: "{subject} is encrypted and deduplicated.",
            why: "Blocks are only matched within one family of clones, since each encrypts with its own key; the table costs the same. Matching also tells an attacker which blocks are equal.",
        },
        Id::RedundantMetadata => Text {
            what: "{subject} has redundant_metadata={value}.",
            why: "It saves writes of indirect blocks. One damaged block that redundancy cannot repair then costs about 1,000 records with `most` and a whole file with `some`, instead of one record; with `none` more.",
        },
        Id::PartialWrites => Text {
            what: "{load} writes {write} at random into records of {record} on {subject}.",
            why: "Each write of part of a record reads the record where it is not cached, and rewrites all of it: {factor} times the data. Most of what a log would be credited with is this.",
        },
        Id::SmallVolumes => Text {
            what: "The volume {subject} has blocks of {block}.",
            why: "8K was the default up to 2.1 and is 16K since 2.2: small blocks compress badly and cost metadata. It is fixed when the volume is made.",
        },
        Id::DatabaseSyncDisabled => Text {
            what: "{subject} holds {engine} and has sync=disabled.",
            why: "COMMIT returns before anything is stable. A power cut loses up to three transaction groups of committed work, seconds of it; replicas and clients know of transactions that the server has forgotten.",
        },
        Id::DatabaseRecordsTorn => Text {
            what: "{subject} holds {engine} with pages of {page} in records of {record}.",
            why: "A page spans several records, which may reach the drive in different transaction groups: after a crash it may be torn. The server's own protection (full_page_writes, doublewrite) must stay on, and each page costs several blocks.",
        },
        Id::DatabaseRecordsLarge => Text {
            what: "{subject} holds {engine} with pages of {page} in records of {record}.",
            why: "Each page written rewrites a whole record, up to {factor} times the data, and reads it first when it is not cached. 16K suits both 8K and 16K pages with room to compress; others advise 32K, or large records for analysis. Only files written afterwards get the new size.",
        },
        Id::DatabaseLogbias => Text {
            what: "{subject} holds {engine} with logbias=throughput and no log vdev.",
            why: "The sources disagree: one sets latency for OLTP, one throughput for bulk writes. Throughput writes each record once, but where a small commit touches a large record it writes all of it, and it fragments. Measure with your page size and release.",
        },
        Id::DatabasePrimarycache => Text {
            what: "{subject} keeps data out of the ARC (primarycache=metadata) though {setting} is only {cache} of {memory}.",
            why: "What the server does not cache is then read from the drives each time, and appends to logs on this dataset re-read their records. It saves memory only where the server's own cache holds the working set.",
        },
        Id::DatabaseMemory => Text {
            what: "The ARC may take {arc} and {setting} {cache}, of {memory} of RAM.",
            why: "The ARC gives memory back, but slower than a server takes it: the result is reclaim stalls, swapping or the OOM killer. Limit the ARC so that both fit with room for connections and the kernel.",
        },
        Id::PgFsync => Text {
            what: "fsync is off.",
            why: "PostgreSQL does not flush at all: a crash of the machine may corrupt the whole cluster. It is never needed on ZFS; synchronous_commit=off is the safe half of it.",
        },
        Id::PgFullPageWrites => Text {
            what: "full_page_writes is off, and nothing here shows that a page lies within one record.",
            why: "Without full pages in the WAL a torn page cannot be repaired. On ZFS that is safe only where recordsize is a multiple of the page (8K or more): then a page is written whole or not at all.",
        },
        Id::PgFullPageWritesKept => Text {
            what: "full_page_writes is off, with records that hold whole pages.",
            why: "ZFS replaces a record whole or not at all, so a power cut leaves no torn page; files written under a smaller recordsize keep it until they are rewritten. It holds on this file system only: not on a standby elsewhere, not for tools that copy files (pg_rewind asks for it to be on), not if the data moves.",
        },
        Id::PgSynchronousCommit => Text {
            what: "synchronous_commit is off.",
            why: "COMMIT returns before its WAL is stable: a crash loses committed transactions of up to three times wal_writer_delay (0.6 s by default). The database stays consistent.",
        },
        Id::PgWalInitZero => Text {
            what: "wal_init_zero is on, on ZFS ({subject}).",
            why: "New WAL files are filled with zeros so that later writes overwrite allocated blocks. On a copy-on-write file system each write allocates anew, so filling is wasted, and compression drops the zeros anyway.",
        },
        Id::PgWalRecycle => Text {
            what: "wal_recycle is on, on ZFS ({subject}).",
            why: "Old WAL files are renamed and overwritten to save allocation. On copy-on-write there is nothing to save, and writing into an old record that is no longer cached reads it first. A new file avoids that.",
        },
        Id::PgIoConcurrency => Text {
            what: "effective_io_concurrency is {asked}, but this release of OpenZFS ignores posix_fadvise.",
            why: "Up to 2.1 the hints do nothing on Linux and cost a system call each; since 2.2 they start reads. (PostgreSQL 18 with its own asynchronous I/O does not depend on them.)",
        },
        Id::PgRandomPageCost => Text {
            what: "random_page_cost is {cost} although the pool is flash.",
            why: "4 describes a disk, for which a random page costs four sequential ones. On SSDs it makes the planner avoid indexes.",
        },
        Id::PgMaxWalSize => Text {
            what: "max_wal_size is {size}.",
            why: "Busy servers then checkpoint every few seconds, and after each checkpoint the first change of a page writes the whole page to the WAL.",
        },
        Id::MyFlushLog => Text {
            what: "innodb_flush_log_at_trx_commit={value}: commits do not wait for the redo log.",
            why: "With 0 the log is written and flushed once a second, with 2 written at commit and flushed once a second: a power cut loses about a second of committed transactions (with 0 a crash of mysqld does too).",
        },
        Id::MySyncBinlog => Text {
            what: "sync_binlog={value}: the binary log is not flushed at every commit.",
            why: "After a power cut replicas may have events that the source lost, or the reverse: they must be made anew.",
        },
        Id::MyDoublewrite => Text {
            what: "innodb_doublewrite={value}, and nothing here shows that a page of {page} lies within one record.",
            why: "A torn page cannot be repaired from the redo log. It is safe on ZFS only where recordsize is at least the page and a multiple of it.",
        },
        Id::MyDoublewriteKept => Text {
            what: "innodb_doublewrite={value}, with records that hold whole pages of {page}.",
            why: "ZFS replaces a record whole or not at all, so no page is torn by a power cut, and half of the page writes are saved. Files written under a smaller recordsize keep it until they are rewritten, and it holds for this file system only: turn it on again before the data moves.",
        },
        Id::MyNativeAio => Text {
            what: "innodb_use_native_aio={value}, on ZFS.",
            why: "ZFS serves Linux AIO synchronously: submitting waits for the I/O, so few threads carry all of it. With OFF InnoDB's own I/O threads overlap their waits.",
        },
        Id::MyFlushNeighbors => Text {
            what: "innodb_flush_neighbors={value}, on flash.",
            why: "Pages that lie together in the file are flushed together to save seeks. ZFS writes elsewhere anyway and flash does not seek: it only writes more.",
        },
        Id::MyWriteAhead => Text {
            what: "innodb_log_write_ahead_size={value} is above innodb_page_size ({page}).",
            why: "The server cuts it to the page. It is meant to avoid reading a block in order to append to it: put the redo log on a dataset whose records are no larger.",
        },
        Id::MyCompression => Text {
            what: "innodb_compression_default={value} on a compressed dataset.",
            why: "The data is compressed twice, and pages that InnoDB has shrunk no longer fill their records. Leave it to ZFS.",
        },
        Id::MyTwoServers => Text {
            what: "The file sets {subject}, which only MariaDB knows, and {other}, which only MySQL knows.",
            why: "A server refuses to start on an option that it does not know, unless it is written with `loose-` before it.",
        },
        Id::ModuleUnknown => Text {
            what: "No release of OpenZFS has a module parameter {subject}; the nearest is {near}.",
            why: "The kernel ignores it with a line in its log, or the echo fails: whatever it was to do is not done.",
        },
        Id::ModuleOtherRelease => Text {
            what: "{subject} is a parameter of OpenZFS {releases}, not of {release}.",
            why: "It was written for another release and does nothing here.",
        },
        Id::ModuleDefault => Text {
            what: "{subject}={value} is the default.",
            why: "Setting it changes nothing today, and keeps the old value when a later release chooses a better one.",
        },
        Id::ModuleSuffix => Text {
            what: "{subject}={written} has a unit, which the kernel does not read.",
            why: "Module parameters are plain numbers: loading the module with this fails with `invalid for parameter`. Bytes: {value}.",
        },
        Id::ModuleStray => Text {
            what: "A line about {subject} in a module configuration is no `options` line.",
            why: "modprobe ignores it. The form is `options zfs NAME=VALUE`; afterwards rebuild the initramfs where ZFS is loaded from it.",
        },
        Id::ArcMin => Text {
            what: "zfs_arc_min ({min}) is more than half of the ARC's limit ({max}).",
            why: "The ARC cannot give back what lies below the minimum, so that memory is missing when programs need it: the kernel then swaps or kills. A minimum is for keeping metadata, not for steadying the ARC.",
        },
        Id::ArcMaxIgnored => Text {
            what: "zfs_arc_max={value} is out of range and ignored.",
            why: "It is obeyed from {least} to below {memory}; otherwise the default limit stays in force without a word but in the log.",
        },
        Id::Nocacheflush => Text {
            what: "{subject}=1 with drives that are not all known to have power-loss protection.",
            why: "ZFS then never asks a drive to make its cache durable: a power cut loses acknowledged writes and may lose the pool. Drives with protection answer flushes at once, so nothing is gained there either.",
        },
        Id::TxgTimeout => Text {
            what: "zfs_txg_timeout is {seconds} s.",
            why: "Asynchronous writes stay in memory that long, and up to three groups are open: a crash may lose about {loss} s of them. Larger groups also mean longer bursts at the drives.",
        },
        Id::L2arcUnits => Text {
            what: "{subject}={value} is bytes, not megabytes.",
            why: "The unit of this parameter is bytes a feed. {value} bytes feed nothing; {meant} was probably meant.",
        },
        Id::PrefetchOff => Text {
            what: "zfs_prefetch_disable=1.",
            why: "Sequential reads then wait for each block in turn. Prefetch only starts on sequential access; random loads gain next to nothing from this.",
        },
        Id::DirtyData => Text {
            what: "zfs_dirty_data_max={value} is more than a quarter of RAM ({share}).",
            why: "One pool may not have more than a quarter of the ARC's memory in dirty data: above it, writers wait for a whole transaction group, before the smooth throttle of dirty data begins.",
        },
        Id::ReplayOff => Text {
            what: "zil_replay_disable=1.",
            why: "After a crash the log is thrown away: every synchronous write of the last seconds is lost although it was stable.",
        },
        Id::L2arcWithoutCache => Text {
            what: "{subject} is set, but no pool has an L2ARC.",
            why: "It has no effect.",
        },
        Id::PoolFull => Text {
            what: "{subject} is {used} % full.",
            why: "Free space is then in small pieces, allocation searches longer and writes slow down; at the slop space they fail. Databases and volumes feel it first.",
        },
        Id::PoolFragmented => Text {
            what: "The free space of {subject} is {share} % fragmented.",
            why: "It describes the free space, not the files: large blocks no longer find room in one piece, so writes turn into many small ones. Only freeing much, or copying into a new pool, helps.",
        },
        Id::PoolDegraded => Text {
            what: "{subject} is {state}.",
            why: "Redundancy is used up in part or wholly. Replace what has failed before anything else.",
        },
        Id::PoolErrors => Text {
            what: "{subject} in {pool} has errors (read, write, checksum: {counts}).",
            why: "Checksum errors are repaired where there is redundancy, and come from the drive, its cable, the controller or RAM. Look at the drive's own report, scrub, clear and watch.",
        },
        Id::PoolDamaged => Text {
            what: "{subject} has data that cannot be repaired.",
            why: "The files are listed by `zpool status -v`: restore them from a backup.",
        },
        Id::PoolScrub => Text {
            what: "The last scrub of {subject} is {age} days old (\"-\": never).",
            why: "Sectors that decay are found only when they are read. A resilver that meets one without redundancy left loses data.",
        },
        Id::PoolAutotrim => Text {
            what: "{subject} has SSDs ({drive}) and autotrim=off.",
            why: "Freed space is never told to the drives, whose writes slow down and wear as if they were full. A weekly `zpool trim` does the same with less effect on latency.",
        },
        Id::PoolAutotrimEarly => Text {
            what: "{subject} trims by itself, on OpenZFS before 2.2.",
            why: "There each round of trims closes a transaction group: under random writes hundreds a second instead of one in seconds, 1.6 to 1.9 times the bytes written to the drives, and an eighth less throughput (measured by the lab `autotrim`). A weekly `zpool trim` does the same without it; from 2.2 on autotrim is harmless.",
        },
        Id::PoolFeatures => Text {
            what: "{subject} has features that are not enabled (count: {count}).",
            why: "An upgrade cannot be undone: older software and some boot loaders then no longer import the pool. Nothing is wrong without it.",
        },
        Id::PoolUnsupported => Text {
            what: "{subject} has a feature that this software does not know: {feature}.",
            why: "The pool was used by newer software. It may be usable read-only, or not at all on the next import.",
        },
        Id::PoolCheckpoint => Text {
            what: "{subject} holds a checkpoint.",
            why: "Nothing freed since then becomes free, and vdevs cannot be removed, attached or split until it is discarded.",
        },
        Id::PoolResilvering => Text {
            what: "{subject} is being resilvered.",
            why: "Measurements now measure the resilver; redundancy is reduced until it ends.",
        },
        Id::DriveShingled => Text {
            what: "{subject} in {pool} is a shingled disk ({model}).",
            why: "Drive-managed shingled disks fall to a few MB/s under the random writes of a resilver, which then takes days or fails; makers advise against them for ZFS.",
        },
        Id::DriveFailing => Text {
            what: "{subject} reports trouble: {what}.",
            why: "Such drives fail soon more often than not. Replace it while redundancy is whole.",
        },
        Id::DriveWorn => Text {
            what: "{subject} is near the end of its rated life: {what}.",
            why: "A log or cache wears fastest. Plan its replacement; drives of a mirror bought together end together.",
        },
        Id::DriveCable => Text {
            what: "{subject} counted {count} transfer errors on its cable.",
            why: "Old ones stay counted. If the number grows, replace cable or backplane before the drive.",
        },
        Id::DriveUsb => Text {
            what: "{subject} in {pool} is attached by USB.",
            why: "Bridges reset under load, hide errors and often answer flushes that they do not do. The drive vanishes and the pool suspends.",
        },
        Id::DriveCardVolume => Text {
            what: "{subject} in {pool} is a RAID card's volume ({model}), not a drive.",
            why: "ZFS cannot see, repair from or flush single drives behind it; the card's cache acknowledges flushes on its own word, and the pool can be read only behind such a card. Set the card to pass drives through (HBA, IT or JBOD mode).",
        },
        Id::DriveScheduler => Text {
            what: "{subject} has the scheduler {scheduler}.",
            why: "ZFS orders its I/O itself, and an NVMe or SSD gains nothing from sorting: the scheduler adds latency and, above some 100,000 operations a second, a lock. Fix it by a udev rule with a stable name.",
        },
        Id::DriveRotational => Text {
            what: "{subject} ({model}) is flash, but Linux takes it for a disk.",
            why: "ZFS then merges its I/O up to 1 MiB and spreads reads as for a disk. A RAID card or hypervisor usually hides the fact.",
        },
        Id::DriveCacheHidden => Text {
            what: "{subject} has a volatile cache, but write_cache says `write through`: Linux sends it no flushes.",
            why: "What the drive acknowledged and holds in its cache is lost at a power cut, ZFS's own metadata included.",
        },
        Id::DriveReadAhead => Text {
            what: "{subject} is an SSD with {kib} KiB of read-ahead.",
            why: "Random reads then fetch what nobody asked for. (ZFS does not use this setting: it matters to other file systems, md and raw use.)",
        },
        Id::SwapOnVolume => Text {
            what: "Swap lies on a volume of a pool, {subject}.",
            why: "Writing swap needs memory in ZFS just when there is none: the machine may hang. Put swap on a partition.",
        },
        Id::DriveMixedSectors => Text {
            what: "The drives of {subject} in {pool} have different physical sectors ({one} and {two}).",
            why: "The vdev works in the larger, if ashift says so; with the smaller, part of the drives read, change and write.",
        },
        Id::CardUnprotected => Text {
            what: "{subject} acknowledges writes from memory that no battery protects.",
            why: "A power cut loses what the card holds, acknowledged and flushed data included, and breaks the file system above it.",
        },
        Id::CardBattery => Text {
            what: "The battery or capacitor of {subject} is not in order: {state}.",
            why: "Write-back falls back to write-through: writes drop to the drives' own speed, often unnoticed. With \"always write back\" they are unprotected.",
        },
        Id::CardDriveCache => Text {
            what: "The drives' own write caches are on behind {subject}.",
            why: "The card's battery does not protect them, and a card need not pass flushes on. What is in them is lost at a power cut, unless the drives themselves are protected.",
        },
        Id::CardReadAhead => Text {
            what: "{subject} reads ahead on SSDs.",
            why: "Read-ahead saves seeks; on flash it loads the card's memory with what nobody asked for. In the source random 8K reads rose from 210,000 to 910,000 a second after settings that it does not all name; no read-ahead is the one it recommends.",
        },
        Id::CardWriteBack => Text {
            what: "{subject} caches writes in front of SSDs.",
            why: "The card's memory is a bottleneck for NVMe, it breaks down when it is full, and many cards have their fast path only in write-through. Measure both: behind a battery, write-back does serve small RAID 5 writes.",
        },
        Id::CardStrip => Text {
            what: "{subject} has strips of {strip} on SSDs.",
            why: "The source and makers advise 64K: larger strips keep one small read on one drive all the same but make more of RAID 5's writes partial. It is fixed when the volume is made.",
        },
        Id::CardParity => Text {
            what: "{subject} is {level}: a small write costs {cost} operations at the drives.",
            why: "RAID 10 costs two. For databases it gives two to three times the write operations of the same drives.",
        },
        Id::CardDegraded => Text {
            what: "{subject} is {state}.",
            why: "Its redundancy is used up in part or wholly.",
        },
        Id::CardSingleDrives => Text {
            what: "{subject} shows each of {count} drives as a RAID 0 of its own.",
            why: "It looks like pass-through and is not: the card's cache and metadata stay in between, errors and serial numbers are hidden, and a replaced drive needs a new volume. Use JBOD or HBA mode.",
        },
        Id::CardReadShare => Text {
            what: "{subject} gives {share} % of its cache to reading ahead.",
            why: "The operating system's cache is larger and knows more; what only the card can do is to acknowledge writes early behind its battery. The source tried 10 and 70 % and found reads no faster.",
        },
        Id::NfsAsync => Text {
            what: "{subject} is exported with `async`.",
            why: "The server acknowledges NFS writes and commits before they are stable, whatever the dataset says: a crash loses them without the clients' knowledge. A log for commits is the fast way that is safe.",
        },
        Id::SmbStrictSync => Text {
            what: "strict sync is off.",
            why: "Samba ignores clients' requests to flush: what Windows and macOS believe stable is not.",
        },
        Id::SmbSyncAlways => Text {
            what: "sync always is on.",
            why: "Every SMB write is followed by fsync, asked for or not. It is safe and slow; strict sync alone does what clients ask for.",
        },
        Id::MtuMismatch => Text {
            what: "{subject} has an MTU of {small}, {other} of {large}.",
            why: "On one path, large frames are dropped or fragmented: connections hang on the first large packet, or the CPU pays. Both ends and every switch between must agree.",
        },
        Id::NoCommits => Text {
            what: "{rate} commits a second over {seconds} s: you need no SLOG.",
            why: "A log vdev takes part in commits only. With next to none of them it could not be noticed. Count over a busy hour before you decide.",
        },
        Id::SlowCommits => Text {
            what: "{rate} commits a second and no log; a log write waits {mean} ms on average (99 % within {p99} ms), the flush after it takes {flush} ms on average.",
            why: "This is the case for a SLOG: the wait is at the data vdevs. Without a log vdev the drives' time is that of all their writes; the flush is a mean, since nothing counts its percentiles. Try it on the scale model before buying.",
        },
        Id::FastCommits => Text {
            what: "{rate} commits a second, answered fast without a log: you need no SLOG. A log write waits {mean} ms on average (99 % within {p99} ms), the flush after it takes {flush} ms on average.",
            why: "A fast SLOG takes 0.02-0.1 ms itself: little would be saved. Means and percentile are of this window; the flush is a mean, since nothing counts its percentiles.",
        },
        Id::FewMisses => Text {
            what: "The ARC answered {hits} % of demand reads over {seconds} s and missed {misses} a second: you need no L2ARC.",
            why: "An L2ARC answers only what the ARC misses, and its headers take RAM from the ARC. Count over a busy hour before you decide.",
        },
        Id::FewGhosts => Text {
            what: "Only {share} % of {misses} misses a second were on the ghost lists: nothing here asks for an L2ARC or more RAM.",
            why: "The ghost lists remember about as much of what was evicted as the ARC is large. A miss that is not on them is data never read before, or longer ago than that: only a cache several times the ARC could hold it, if it comes back at all.",
        },
        Id::ManyGhosts => Text {
            what: "{share} % of {misses} misses a second had been evicted lately: a larger cache would have held them.",
            why: "More RAM serves them best. An L2ARC serves them if the set is stable for longer than it takes to fill.",
        },
        Id::L2arcIdle => Text {
            what: "The L2ARC of {subject} answered {share} % of what it was asked, and takes {headers} of RAM.",
            why: "It is either not yet filled, or the load does not come back to what was evicted.",
        },
        Id::L2arcErrors => Text {
            what: "The L2ARC had {errors} errors.",
            why: "They are harmless to data, which is then read from the pool, but the drive is wearing out or failing.",
        },
        Id::MemoryThrottled => Text {
            what: "Writers were held back {times} times because memory was short.",
            why: "The kernel could not give pages to the ARC. Limit the ARC or what competes with it.",
        },
        Id::DirtyDelayed => Text {
            what: "The write throttle delayed {rate} transactions a second.",
            why: "The data vdevs do not keep up with what is written. A log makes commits fast until this point and no further; more or faster data vdevs help.",
        },
    }
}

/// Fixed words.
pub fn label(label: Label) -> &'static str {
    match label {
        Label::Error => "error",
        Label::Warning => "warning",
        Label::Note => "note",
        Label::Variants => "variants",
        Label::Evidence => "evidence",
        Label::Fix => "fix",
        Label::Source => "source",
        Label::Lab => "lab",
        Label::Results => "results",
        Label::Rows => "rows",
        Label::Summary => {
            "errors {errors} · warnings {warnings} · notes {notes} · rules applied {rules} · texts read {texts}"
        }
        Label::Wrote => "wrote {path}",
        Label::LosesNothing => "durability  nothing set here loses acknowledged writes",
        Label::Loses => {
            "durability  {name} = {value} MAY LOSE acknowledged writes of up to {seconds} s"
        }
        Label::NoChanges => "changes     none: all is as it should be",
        Label::Changes => "changes",
        Label::Offered => "Offered, not set:",
        Label::Disagree => "Sources disagree: {others}.",
        Label::MayLose => "MAY LOSE acknowledged writes of up to {seconds} s at a power cut.",
        Label::Sources => "Source: {sources}",
        Label::Measure => "Measure it: poolwright run {lab}",
        Label::ReadBeforeRunning => "Read each line before you run this.",
        Label::RestartNfs => "Afterwards: systemctl restart nfs-server",
        Label::IncludeInSamba => {
            "Include this from [global] of smb.conf: include = /etc/samba/poolwright.conf"
        }
        Label::IncludeInPostgresql => "Include this from postgresql.conf with include_dir.",
        Label::RebuildInitramfs => {
            "Afterwards: update-initramfs -u (or dracut -f), where ZFS is loaded from it."
        }
        Label::Reexport => "Afterwards: exportfs -ra",
        Label::ReloadUdev => {
            "Afterwards: udevadm control --reload && udevadm trigger --subsystem-match=block"
        }
    }
}
