//! Chinese (simplified). ZFS's own words, settings and names of programs stay as they are.

use super::{Label, Text};
use crate::audit::Id;

/// What each rule says.
pub fn text(rule: Id) -> Text {
    match rule {
        Id::LogUnprotected => Text {
            what: "{pool} 的日志在 {subject} 上，该盘没有掉电保护（{model}）。",
            why: "这类盘若遵守刷写命令就很慢（每次 0.5–5 毫秒），若不遵守则断电时丢失已确认的写入。日志一直在写，只在崩溃后才读：两种毛病都在最坏的时刻出现。",
        },
        Id::LogUnmirrored => Text {
            what: "{pool} 的日志只有一块盘：{subject}。",
            why: "它在系统运行中坏掉时，ZFS 改用存储池自身的日志，什么也不丢。若它与断电同时发生，或日志链中有坏块，最后几秒已确认的同步写入就没有了，并且导入存储池需要 `zpool import -m`。",
        },
        Id::LogAsynchronous => Text {
            what: "{subject} 有日志 vdev，但其负载中没有任何操作要求落盘。",
            why: "只有 fsync、O_SYNC、sync=always 和 NFS 提交才写日志。异步写入随事务组写到数据 vdev，有没有日志都一样。",
        },
        Id::LogMissing => Text {
            what: "{subject} 在机械盘上处理同步写入，却没有日志 vdev。",
            why: "每次提交要等 vdev 中最慢的那块盘，约 8–15 毫秒。在带掉电保护的盘上，日志 0.01–0.1 毫秒就能应答，直到磁盘跟不上为止。购买之前先测出收益：磁盘吃不下已答应的数据时，收益就到头了。",
        },
        Id::LogOversized => Text {
            what: "{subject} 的日志有 {has}；最多只有约 {needs} 会被用到。",
            why: "日志中等待的数据以 zfs_wrlog_data_max 为上限，即脏数据上限的两倍。更大的空间只帮助盘的磨损均衡；买日志盘买的是延迟。",
        },
        Id::LogUndersized => Text {
            what: "{subject} 的日志有 {has}；在途数据可达 {needs}。",
            why: "日志 vdev 写满后，记录会写到数据 vdev，延迟也就变成数据 vdev 的延迟。",
        },
        Id::LogSlower => Text {
            what: "{pool} 的日志 {subject} 所在的盘比存储池自身的盘更慢。",
            why: "每次提交都写日志并等待它。没有这个日志，提交会写到更快的盘上。",
        },
        Id::LogBypassed => Text {
            what: "{subject} 设置了 logbias=throughput，因此它的同步写入不用 {pool} 的日志 vdev。",
            why: "设为 throughput 时，数据立即写到数据 vdev，日志里只有指针，而且也在数据 vdev 上。没有日志 vdev 时哪种更快，各来源说法不一；有日志 vdev 时，throughput 使它失效。",
        },
        Id::LogSilenced => Text {
            what: "{subject} 设置了 sync=disabled，因此 {pool} 的日志 vdev 对它不起作用。",
            why: "每次 fsync 都立即返回，什么也不记日志：日志盘闲置，断电时最后几秒已确认的写入丢失。",
        },
        Id::LogShared => Text {
            what: "{pool} 的日志 {subject} 与 {other} 在同一块盘上。",
            why: "读取、缓存填充和事务组写入会在同一块盘上排到提交前面，而日志要消除的正是这种延迟。",
        },
        Id::CacheHeaders => Text {
            what: "{subject} 的 {cache} L2ARC 以 {block} 的块计，头部需要 {headers} 内存，而内存共 {memory}。",
            why: "每个被缓存的块在 ARC 中保留 96 字节的头部。这些内存本可以用内存的速度缓存热数据；头部超过 ARC 的三分之一时停止填充。",
        },
        Id::CacheSmall => Text {
            what: "{subject} 的 L2ARC（{cache}）比它前面的 ARC（{arc}）还小。",
            why: "容量小于第一级的第二级缓存用处不大：它要存的内容大多已在内存里；热集变动时，内容在再次被读之前就被替换。",
        },
        Id::CacheStarved => Text {
            what: "{subject} 设置了 primarycache={value}，因此它的数据永远进不了 {pool} 的 L2ARC。",
            why: "L2ARC 从 ARC 各链表的末端取数据。primarycache 不让进 ARC 的数据会立即释放，没有机会被送入 L2ARC，secondarycache 怎么设都一样。",
        },
        Id::CacheSlowToFill => Text {
            what: "{subject} 的 {cache} L2ARC 以每次 {feed} 的填充量，需要 {least} 到 {hours} 小时才能填满。",
            why: "每秒填充一次，跟得上时最多每秒五次。五分钟的测试看到的是几乎空的缓存；在这段时间内变动的热集永远缓存不上。",
        },
        Id::CacheRotating => Text {
            what: "{pool} 的 L2ARC 在机械盘 {subject} 上。",
            why: "在那里命中要寻道，与存储池本身一样慢，而它的头部还占用 ARC 的内存。",
        },
        Id::CacheForgetful => Text {
            what: "{pool} 的 L2ARC {subject}（{cache}）小于 {least}：它不是持久的。",
            why: "导入后重建缓存所用的日志块不会写到这么小的设备上：每次重启后它都从空开始。",
        },
        Id::CacheRebuildOff => Text {
            what: "{subject}=0：每次重启后 L2ARC 都从空开始。",
            why: "自 OpenZFS 2.0 起，L2ARC 在重启后仍然保留，除非关闭此项。",
        },
        Id::CacheWriteOnly => Text {
            what: "{subject} 有 L2ARC，但其负载只有写入。",
            why: "L2ARC 应答的是读取。整条记录的写入从不查它；只写记录一部分时才可能查，而这里没有这样的写入。",
        },
        Id::CacheUnused => Text {
            what: "{subject} 有 L2ARC，但每个数据集都设了 secondarycache=none。",
            why: "永远不会有数据送入它。",
        },
        Id::CacheBeforeMemory => Text {
            what: "{subject} 有 L2ARC，而机器只有 {memory} 内存。",
            why: "内存的应答比任何 SSD 快上百倍，L2ARC 的头部还要占去一部分。先加内存，再看 ghost 命中（`poolwright audit --host`）。",
        },
        Id::SpecialUnmirrored => Text {
            what: "{pool} 的 special vdev 只有一块盘：{subject}。",
            why: "存储池所有新的元数据都在它上面。它一坏，不管数据有多少冗余，整个存储池都没有了。",
        },
        Id::DedupVdevUnmirrored => Text {
            what: "{pool} 的 dedup vdev 只有一块盘：{subject}。",
            why: "去重表在它上面。它一坏，存储池就没有了。",
        },
        Id::SpecialWeaker => Text {
            what: "{pool} 的 special vdev {subject} 能承受 {survives} 块盘故障，数据 vdev 能承受 {data} 块。",
            why: "存储池的强度等于最弱的 vdev：元数据的副本更少时，数据的校验盘就白费了。",
        },
        Id::SpecialIrreversible => Text {
            what: "special vdev {special} 无法从 {subject} 中移除，因为它含有 raidz 或 dRAID（{raidz}）。",
            why: "只有由镜像和单盘组成的存储池才能移除顶层 vdev。日志和缓存 vdev 随时可以移除。这类步骤先在缩尺模型上试，或先做 `zpool checkpoint`，之后可以回退。",
        },
        Id::SpecialMetadataOnly => Text {
            what: "{subject} 的 special vdev 只放元数据：special_small_blocks 为 0。",
            why: "在 special_small_blocks 另作规定之前，小文件一直放在数据 vdev 上；设定之后也只影响新写入的文件。请先为它确定 special vdev 的大小。",
        },
        Id::SpecialEverything => Text {
            what: "{subject} 把全部数据都送到 special vdev：special_small_blocks {small} 不小于它的块 {block}。",
            why: "每个块都算小块。special vdev 填到四分之三后，后来的数据又像以前一样写到数据 vdev。",
        },
        Id::AshiftTooSmall => Text {
            what: "{subject} 以 2^{ashift} 字节的扇区写到物理扇区为 {sector} 的盘上。",
            why: "只写扇区的一部分时，盘要先读、改、再写整个扇区。ashift 在创建 vdev 时固定：用 ashift={right} 重建存储池。ashift 不同的 vdev 还会使移除无法进行。",
        },
        Id::AshiftNine => Text {
            what: "{subject} 的 ashift=9，而这里没有任何信息表明它的盘是 512 字节扇区。",
            why: "近十年出售的盘内部几乎都不是 512 字节，将来的替换盘也不会是。ashift 以后不能改；12 只在小块上多用一点空间，对任何盘都合适。",
        },
        Id::AshiftBelieved => Text {
            what: "ashift 由自称 512 字节扇区的盘决定，而它们是 SSD（{drive}）。",
            why: "闪存页是 4K 或更大；512 是给旧系统看的。创建存储池时写明 ashift=12：以后不能改。",
        },
        Id::CompressionNoRoom => Text {
            what: "{subject} 的块为 {block}，扇区为 {sector}：没有压缩的余地。",
            why: "块占用整数个扇区，只有一个扇区的块不可能更小：压缩省不了任何空间，而元数据与大块时一样多。",
        },
        Id::LayoutStripe => Text {
            what: "{subject} 没有冗余：{drives} 个数据 vdev，每个只有一块盘。",
            why: "第一块坏盘就会带走整个存储池；校验和能发现损坏，但无法修复。",
        },
        Id::LayoutMixed => Text {
            what: "{subject} 的数据 vdev 容错能力不同：{weakest} 能承受 {survives} 块盘故障，{strongest} 更多。",
            why: "数据条带化分布在所有 vdev 上，因此存储池随最弱的 vdev 一起失效。这正是误用 `zpool add -f` 的结果；在含 raidz 的存储池里无法撤销。",
        },
        Id::LayoutUneven => Text {
            what: "{subject} 的 raidz vdev 宽度不同：{widths}。",
            why: "各自存一个块所用的校验份额不同，窄的那个填满的速度也不同：可用空间和速度都难以估计。用 `zpool attach` 加宽 raidz 需要 OpenZFS 2.3。",
        },
        Id::LayoutUnequalDrives => Text {
            what: "{pool} 中 {subject} 的盘大小不同：每块按 {least} 计，{lost} 用不上。",
            why: "镜像和 raidz 从每块盘只用最小那块盘的容量。",
        },
        Id::LayoutWide => Text {
            what: "{pool} 中的 {subject} 有 {width} 块盘宽。",
            why: "重建要读所有的盘，对整条记录的随机读会使它们全部忙碌，宽度越大，再次故障的危险窗口也越长。分成几个 vdev，或用 dRAID，重建更快。",
        },
        Id::LayoutSingleParity => Text {
            what: "{pool} 中的 {subject} 在 {size} 的盘上只有单校验。",
            why: "全速重建也要 {hours} 小时以上。在结束之前，再坏一块盘就失去存储池，读不出的扇区则丢失数据。",
        },
        Id::LayoutRaidzPadding => Text {
            what: "{subject} 的 {block} 块在 {vdev} 上占用 {takes}：是其大小的 {factor} 倍，而大块是 {fair} 倍。",
            why: "raidz 为每一行加校验，并把每个块补齐到（校验数 + 1）个扇区的倍数，因此小块的开销与镜像相当甚至更大。",
        },
        Id::LayoutDraidPadding => Text {
            what: "{subject} 的 {block} 块在 {vdev} 上占用 {takes}：是其大小的 {factor} 倍，而大块是 {fair} 倍。",
            why: "dRAID 按整条带分配：比条带数据部分小的块用零填满。",
        },
        Id::LayoutDatabase => Text {
            what: "{subject} 把 {engine} 放在 {vdev} 上。",
            why: "随机读一页会使 raidz 的几块盘忙碌，镜像只用一块；小记录还会损失 raidz 的许多空间。同样的盘做成镜像，操作数更多。",
        },
        Id::DraidSpares => Text {
            what: "{pool} 中的 {subject} 没有分布式热备。",
            why: "dRAID 的意义就在于把重建写到分布于所有盘的热备空间上；没有它，raidz 存小块更省。",
        },
        Id::LayoutMiscounted => Text {
            what: "文中说 {said}（数据 + 校验），但 {subject} 是 {has}。",
            why: "把总盘数当成数据盘数，容量就报高了：{said} 要求每个 vdev 有 {drives} 块盘。",
        },
        Id::LayoutUnstableNames => Text {
            what: "{subject} 用内核发现的名字称呼它的盘（{drive}）。",
            why: "这种名字随接线和启动次序变化。ZFS 总能找到自己的盘，但换“sda”的人可能拔错。",
        },
        Id::LayoutSameDrive => Text {
            what: "{pool} 中的 {subject} 有两个成员在同一块盘上：{one} 和 {two}。",
            why: "那块盘一坏，两个副本或两列同时失去。",
        },
        Id::SyncDisabled => Text {
            what: "{subject} 设置了 sync=disabled。",
            why: "数据还在内存里，程序就被告知已经落盘：崩溃或断电会丢失最后几秒已确认的写入。存储池本身保持一致。只适合可以重新生成的数据。",
        },
        Id::PrimarycacheNone => Text {
            what: "{subject} 设置了 primarycache=none。",
            why: "连元数据也不缓存：每次读都要访问盘，间接块还要多次；写记录的一部分时每次都要先读它。",
        },
        Id::Atime => Text {
            what: "{subject} 每次读都写访问时间（atime=on，relatime=off）。",
            why: "每次读都弄脏一个 dnode 以及一条元数据路径。",
        },
        Id::CompressionOff => Text {
            what: "{subject} 没有压缩。",
            why: "lz4 对不可压缩的数据会尽早放弃，几乎没有代价；完全不压缩时，文件的最后一条记录也按整条存储。",
        },
        Id::CompressionHeavy => Text {
            what: "{subject} 用 {value} 压缩。",
            why: "gzip 每核每秒只压缩几十兆字节。zstd 以快几倍的速度达到同样的压缩率，lz4 以内存的速度达到其中大部分。",
        },
        Id::Xattr => Text {
            what: "{subject} 把扩展属性放在隐藏目录里（xattr={value}）。",
            why: "每次访问都要多次查找和 I/O。xattr=sa 把它们放进 dnode，对 SELinux、ACL 和 Samba 很重要；只影响新属性。",
        },
        Id::ChecksumOff => Text {
            what: "{subject} 不对数据做校验和。",
            why: "这样损坏既发现不了也修复不了，而这正是 ZFS 的用途。fletcher4 的 CPU 开销几乎测不出来。",
        },
        Id::Copies => Text {
            what: "{subject} 对每个块保存 {copies} 份。",
            why: "几份可能在同一块盘上，不能让存储池承受失去一个 vdev，却成倍增加写入。冗余应放在 vdev 里。",
        },
        Id::Dedup => Text {
            what: "{subject} 启用了去重：块为 {block} 时，每 TiB 唯一数据约需 {memory} 的表。",
            why: "每次写都要查表；表放不进 ARC 后，每次查找都是一次随机读。启用期间写入的数据，在关闭之后仍留在表里。",
        },
        Id::EncryptionCcm => Text {
            what: "{subject} 用 {value} 加密。",
            why: "GCM 同样安全，而且因为有处理器指令支持而快几倍。已有数据集不能改：发送到一个新的数据集。",
        },
        Id::EncryptionDedup => Text {
            what: "{subject} 既加密又去重。",
            why: "各家族用自己的密钥加密，所以只在同一克隆家族内匹配；表的开销不变。匹配还会让攻击者知道哪些块相同。",
        },
        Id::RedundantMetadata => Text {
            what: "{subject} 设置了 redundant_metadata={value}。",
            why: "它省下间接块的写入。冗余无法修复的一个坏块，在 `most` 下损失约 1,000 条记录，在 `some` 下损失整个文件，而不是一条记录；`none` 更多。",
        },
        Id::PartialWrites => Text {
            what: "{load} 以 {write} 随机写入 {subject} 上 {record} 的记录。",
            why: "只写记录的一部分时，若未缓存就要先读，然后重写整条：数据量是 {factor} 倍。本来会归功于日志的收益，大多出自这里。",
        },
        Id::SmallVolumes => Text {
            what: "卷 {subject} 的块为 {block}。",
            why: "8K 是 2.1 及以前的默认值，自 2.2 起为 16K：小块压缩差、元数据多。创建卷时固定。",
        },
        Id::DatabaseSyncDisabled => Text {
            what: "{subject} 存放 {engine}，并设置了 sync=disabled。",
            why: "COMMIT 在落盘之前就返回。断电会丢失最多三个事务组、几秒内已提交的工作；副本和客户端知道的事务，服务器却忘了。",
        },
        Id::DatabaseRecordsTorn => Text {
            what: "{subject} 存放 {engine}，其页为 {page}，记录为 {record}。",
            why: "一页跨几条记录，它们可能在不同事务组中落盘：崩溃后页可能撕裂。服务器自身的保护（full_page_writes、doublewrite）必须保留，而且每页要占几个块。",
        },
        Id::DatabaseRecordsLarge => Text {
            what: "{subject} 存放 {engine}，其页为 {page}，记录为 {record}。",
            why: "每写一页都重写整条记录，数据量最多 {factor} 倍，未缓存时还要先读。16K 对 8K 和 16K 的页都合适，还有压缩余地；也有人主张 32K，或为分析负载用大记录。只有之后写入的文件采用新大小。",
        },
        Id::DatabaseLogbias => Text {
            what: "{subject} 存放 {engine}，设置了 logbias=throughput，而且没有日志 vdev。",
            why: "各来源说法不一：一个为 OLTP 设 latency，一个为大批写入设 throughput。throughput 使每条记录只写一次，但小提交碰到大记录时要写整条，而且产生碎片。请按自己的页大小和版本测量。",
        },
        Id::DatabasePrimarycache => Text {
            what: "{subject} 不让数据进 ARC（primarycache=metadata），而 {setting} 只有 {cache}，内存共 {memory}。",
            why: "服务器自己没有缓存的数据每次都要从盘上读，在此数据集上追加日志时还要重读记录。只有服务器自身的缓存装得下工作集时才省内存。",
        },
        Id::DatabaseMemory => Text {
            what: "ARC 可占 {arc}，{setting} 占 {cache}，而内存共 {memory}。",
            why: "ARC 会归还内存，但比服务器索取得慢：结果是回收停顿、换页或 OOM。限制 ARC，使两者都放得下，并给连接和内核留出余地。",
        },
        Id::PgFsync => Text {
            what: "fsync 已关闭。",
            why: "PostgreSQL 完全不刷写：机器崩溃可能损坏整个集群。在 ZFS 上从来不需要这样；synchronous_commit=off 是其中安全的那一半。",
        },
        Id::PgFullPageWrites => Text {
            what: "full_page_writes 已关闭，而这里没有任何信息表明一页落在一条记录之内。",
            why: "WAL 里没有整页，撕裂的页就无法修复。在 ZFS 上，只有 recordsize 是页的整数倍（8K 或更大）时才安全：这时一页要么整个写入，要么没有写。",
        },
        Id::PgFullPageWritesKept => Text {
            what: "full_page_writes 已关闭，而记录容纳整页。",
            why: "ZFS 替换一条记录要么全部、要么没有，因此断电不会留下撕裂的页；在更小 recordsize 下写的文件在重写之前仍保持原样。这只对本文件系统成立：对别处的备库、复制文件的工具（pg_rewind 要求开启）以及数据迁移之后都不成立。",
        },
        Id::PgSynchronousCommit => Text {
            what: "synchronous_commit 已关闭。",
            why: "COMMIT 在其 WAL 落盘之前返回：崩溃会丢失最多三倍 wal_writer_delay（默认 0.6 秒）内已提交的事务。数据库保持一致。",
        },
        Id::PgWalInitZero => Text {
            what: "ZFS 上（{subject}）wal_init_zero 为 on。",
            why: "新的 WAL 文件先填零，以便以后覆盖已分配的块。在写时复制文件系统上每次写都重新分配，填零是浪费，而且压缩会把零丢掉。",
        },
        Id::PgWalRecycle => Text {
            what: "ZFS 上（{subject}）wal_recycle 为 on。",
            why: "旧 WAL 文件改名后被覆盖，以省去分配。在写时复制上没有可省的；写进已不在缓存里的旧记录还要先读。新文件可以避免。",
        },
        Id::PgIoConcurrency => Text {
            what: "effective_io_concurrency 为 {asked}，但此版本的 OpenZFS 忽略 posix_fadvise。",
            why: "在 Linux 上，2.1 及以前这些提示不起作用，每次还耗一个系统调用；自 2.2 起它们会启动读取。（PostgreSQL 18 用自己的异步 I/O 时不依赖它。）",
        },
        Id::PgRandomPageCost => Text {
            what: "存储池是闪存，random_page_cost 却为 {cost}。",
            why: "4 描述的是机械盘，一次随机页相当于四次顺序页。在 SSD 上它使规划器避开索引。",
        },
        Id::PgMaxWalSize => Text {
            what: "max_wal_size 为 {size}。",
            why: "繁忙的服务器因此每隔几秒就做检查点，而每次检查点后，对一页的首次修改都把整页写进 WAL。",
        },
        Id::MyFlushLog => Text {
            what: "innodb_flush_log_at_trx_commit={value}：提交不等待重做日志落盘。",
            why: "0 表示日志每秒写一次并刷一次，2 表示提交时写、每秒刷一次：断电丢失约一秒已提交的事务（为 0 时 mysqld 崩溃也会丢）。",
        },
        Id::MySyncBinlog => Text {
            what: "sync_binlog={value}：二进制日志不在每次提交时刷写。",
            why: "断电之后，副本可能有源库丢失的事件，或者相反：副本必须重建。",
        },
        Id::MyDoublewrite => Text {
            what: "innodb_doublewrite={value}，而这里没有任何信息表明 {page} 的页落在一条记录之内。",
            why: "撕裂的页无法用重做日志修复。在 ZFS 上，只有 recordsize 不小于页并且是它的整数倍时才安全。",
        },
        Id::MyDoublewriteKept => Text {
            what: "innodb_doublewrite={value}，而记录容纳 {page} 的整页。",
            why: "ZFS 替换一条记录要么全部、要么没有，因此断电不会撕裂页，并省下一半的页写入。在更小 recordsize 下写的文件在重写之前仍保持原样；这只对本文件系统成立：数据迁走之前要重新打开。",
        },
        Id::MyNativeAio => Text {
            what: "ZFS 上 innodb_use_native_aio={value}。",
            why: "ZFS 同步地处理 Linux AIO：提交请求时就在等 I/O，于是全部 I/O 由少数线程承担。设为 OFF 时，InnoDB 自己的 I/O 线程可以重叠等待。",
        },
        Id::MyFlushNeighbors => Text {
            what: "闪存上 innodb_flush_neighbors={value}。",
            why: "文件中相邻的页一起刷写是为了省寻道。ZFS 本来就写到别处，闪存也不寻道：这只会写得更多。",
        },
        Id::MyWriteAhead => Text {
            what: "innodb_log_write_ahead_size={value} 大于 innodb_page_size（{page}）。",
            why: "服务器会把它截到页大小。它的用途是避免为了追加而先读一个块：应把重做日志放在记录不更大的数据集上。",
        },
        Id::MyCompression => Text {
            what: "压缩的数据集上 innodb_compression_default={value}。",
            why: "数据压缩了两次，而且 InnoDB 缩小的页不再填满记录。交给 ZFS 压缩。",
        },
        Id::MyTwoServers => Text {
            what: "文件设置了只有 MariaDB 认识的 {subject}，也设置了只有 MySQL 认识的 {other}。",
            why: "服务器遇到不认识的选项会拒绝启动，除非前面写 `loose-`。",
        },
        Id::ModuleUnknown => Text {
            what: "没有任何 OpenZFS 版本有模块参数 {subject}；最接近的是 {near}。",
            why: "内核忽略它并在日志里记一行，或者 echo 失败：它要做的事没有做。",
        },
        Id::ModuleOtherRelease => Text {
            what: "{subject} 是 OpenZFS {releases} 的参数，不是 {release} 的。",
            why: "它是为另一版本写的，在这里不起作用。",
        },
        Id::ModuleDefault => Text {
            what: "{subject}={value} 就是默认值。",
            why: "今天设它什么也不变；以后的版本选了更好的值时，它却保留旧值。",
        },
        Id::ModuleSuffix => Text {
            what: "{subject}={written} 带单位，内核不认。",
            why: "模块参数是纯数字：这样加载模块会以 `invalid for parameter` 失败。字节数：{value}。",
        },
        Id::ModuleStray => Text {
            what: "模块配置中关于 {subject} 的一行不是 `options` 行。",
            why: "modprobe 会忽略它。格式是 `options zfs NAME=VALUE`；若 ZFS 从 initramfs 加载，之后要重建 initramfs。",
        },
        Id::ArcMin => Text {
            what: "zfs_arc_min（{min}）大于 ARC 上限（{max}）的一半。",
            why: "ARC 不能归还最小值以下的内存，程序需要时就没有了：内核于是换页或杀进程。最小值是用来保住元数据的，不是用来让 ARC 保持平稳。",
        },
        Id::ArcMaxIgnored => Text {
            what: "zfs_arc_max={value} 超出范围，被忽略。",
            why: "只有从 {least} 到小于 {memory} 的值才有效；否则默认上限继续生效，只在日志里提一句。",
        },
        Id::Nocacheflush => Text {
            what: "{subject}=1，而并非所有的盘都已知带掉电保护。",
            why: "ZFS 于是从不要求盘把缓存落盘：断电会丢失已确认的写入，甚至失去存储池。带保护的盘立即应答刷写，所以在那里也没有收益。",
        },
        Id::TxgTimeout => Text {
            what: "zfs_txg_timeout 为 {seconds} 秒。",
            why: "异步写入在内存里停留这么久，而且最多有三个事务组未写完：崩溃可能丢失约 {loss} 秒的数据。更大的事务组也意味着盘上更长的突发写。",
        },
        Id::L2arcUnits => Text {
            what: "{subject}={value} 是字节，不是兆字节。",
            why: "此参数的单位是每次填充的字节数。{value} 字节等于不填充；想写的多半是 {meant}。",
        },
        Id::PrefetchOff => Text {
            what: "zfs_prefetch_disable=1。",
            why: "顺序读于是要逐块等待。预取只在顺序访问时启动；随机负载从中几乎得不到好处。",
        },
        Id::DirtyData => Text {
            what: "zfs_dirty_data_max={value} 超过内存的四分之一（{share}）。",
            why: "一个存储池的脏数据不得超过 ARC 内存的四分之一：超过后，在平滑的脏数据节流起作用之前，写入者就要等一整个事务组。",
        },
        Id::ReplayOff => Text {
            what: "zil_replay_disable=1。",
            why: "崩溃后日志被丢弃：最后几秒的同步写入虽然已落盘，仍全部丢失。",
        },
        Id::L2arcWithoutCache => Text {
            what: "设置了 {subject}，但没有存储池有 L2ARC。",
            why: "它不起作用。",
        },
        Id::PoolFull => Text {
            what: "{subject} 已用 {used} %。",
            why: "空闲空间于是零碎，分配要找更久，写入变慢；到 slop 空间时写入失败。数据库和卷最先感到。",
        },
        Id::PoolFragmented => Text {
            what: "{subject} 的空闲空间碎片率为 {share} %。",
            why: "它描述空闲空间，不是文件：大块找不到连续的位置，一次写变成许多小写。只有大量释放，或复制到新的存储池，才有帮助。",
        },
        Id::PoolDegraded => Text {
            what: "{subject} 处于 {state} 状态。",
            why: "冗余已部分或全部用尽。先更换故障的部分，再做别的。",
        },
        Id::PoolErrors => Text {
            what: "{pool} 中的 {subject} 有错误（读、写、校验和：{counts}）。",
            why: "有冗余时校验和错误会被修复；它们来自盘、线缆、控制器或内存。看盘自身的报告，做 scrub，清零，再观察。",
        },
        Id::PoolDamaged => Text {
            what: "{subject} 有无法修复的数据。",
            why: "`zpool status -v` 列出这些文件：从备份恢复。",
        },
        Id::PoolScrub => Text {
            what: "{subject} 上次 scrub 已过 {age} 天（“-”表示从未做过）。",
            why: "衰变的扇区只有读到时才发现。重建时若没有余下的冗余而碰到它，就会丢数据。",
        },
        Id::PoolAutotrim => Text {
            what: "{subject} 有 SSD（{drive}），而 autotrim=off。",
            why: "释放的空间从不告诉盘，盘的写入和磨损就像装满了一样。每周一次 `zpool trim` 效果相同，对延迟影响更小。",
        },
        Id::PoolAutotrimEarly => Text {
            what: "{subject} 在 2.2 之前的 OpenZFS 上开着 autotrim。",
            why: "在那里每一轮 TRIM 都会结束一个事务组：随机写时每秒数百个，而不是数秒一个，写到盘上的字节是 1.6 到 1.9 倍，吞吐量少八分之一（实验 `autotrim` 所测）。每周一次 `zpool trim` 效果相同而没有这个代价；从 2.2 起 autotrim 无妨。",
        },
        Id::PoolFeatures => Text {
            what: "{subject} 有未启用的特性（共 {count} 个）。",
            why: "升级不能撤销：旧软件和某些引导程序之后不能再导入此存储池。不升级也没有任何问题。",
        },
        Id::PoolUnsupported => Text {
            what: "{subject} 有本软件不认识的特性：{feature}。",
            why: "此存储池曾被更新的软件使用。下次导入时可能只能只读，或根本不能导入。",
        },
        Id::PoolCheckpoint => Text {
            what: "{subject} 保留着一个检查点。",
            why: "此后释放的空间都不会变为空闲；在丢弃它之前，不能移除、附加或拆分 vdev。",
        },
        Id::PoolResilvering => Text {
            what: "{subject} 正在重建（resilver）。",
            why: "此时测量的是重建；在结束之前冗余减少。",
        },
        Id::DriveShingled => Text {
            what: "{pool} 中的 {subject} 是叠瓦盘（{model}）。",
            why: "由盘自己管理的叠瓦盘，在重建的随机写下降到每秒几 MB，重建要几天或失败；厂商不建议用于 ZFS。",
        },
        Id::DriveFailing => Text {
            what: "{subject} 报告有问题：{what}。",
            why: "这样的盘多半很快就坏。趁冗余完整时更换。",
        },
        Id::DriveWorn => Text {
            what: "{subject} 接近额定寿命：{what}。",
            why: "日志盘和缓存盘磨损最快。请计划更换；一起购买的镜像盘会一起到期。",
        },
        Id::DriveCable => Text {
            what: "{subject} 的线缆上计有 {count} 次传输错误。",
            why: "旧的错误一直计着。若数字增长，先换线缆或背板，再换盘。",
        },
        Id::DriveUsb => Text {
            what: "{pool} 中的 {subject} 通过 USB 连接。",
            why: "转接芯片在负载下会复位、掩盖错误，并常常应答却不执行刷写。盘会消失，存储池挂起。",
        },
        Id::DriveCardVolume => Text {
            what: "{pool} 中的 {subject} 是 RAID 卡的卷（{model}），不是盘。",
            why: "ZFS 看不到它后面的单块盘，不能从中修复，也不能刷写它们；卡的缓存自行确认刷写，而且存储池只能在这种卡后面读出。把卡设成直通（HBA、IT 或 JBOD 模式）。",
        },
        Id::DriveScheduler => Text {
            what: "{subject} 的调度器是 {scheduler}。",
            why: "ZFS 自己安排 I/O 次序，NVMe 和 SSD 也不从排序得益：调度器增加延迟，每秒超过约十万次操作时还有锁。用稳定的名字写 udev 规则固定它。",
        },
        Id::DriveRotational => Text {
            what: "{subject}（{model}）是闪存，但 Linux 把它当作机械盘。",
            why: "ZFS 于是像对机械盘那样把 I/O 合并到 1 MiB 并分散读取。通常是 RAID 卡或虚拟机管理程序掩盖了事实。",
        },
        Id::DriveCacheHidden => Text {
            what: "{subject} 有易失缓存，但 write_cache 为 `write through`：Linux 不向它发刷写命令。",
            why: "盘已确认、仍在其缓存里的内容断电时丢失，包括 ZFS 自己的元数据。",
        },
        Id::DriveReadAhead => Text {
            what: "{subject} 是 SSD，预读为 {kib} KiB。",
            why: "随机读于是取来没人要的数据。（ZFS 不用此设置：它影响其他文件系统、md 和裸设备。）",
        },
        Id::SwapOnVolume => Text {
            what: "交换空间在存储池的卷 {subject} 上。",
            why: "写交换空间时 ZFS 需要内存，而那时恰恰没有：机器可能挂住。把交换空间放在分区上。",
        },
        Id::DriveMixedSectors => Text {
            what: "{pool} 中 {subject} 的盘物理扇区不同（{one} 和 {two}）。",
            why: "若 ashift 如此规定，vdev 按较大的工作；按较小的，则一部分盘要读、改、写。",
        },
        Id::CardUnprotected => Text {
            what: "{subject} 从没有电池保护的内存确认写入。",
            why: "断电会丢失卡上的内容，包括已确认、已刷写的数据，并破坏其上的文件系统。",
        },
        Id::CardBattery => Text {
            what: "{subject} 的电池或电容不正常：{state}。",
            why: "回写会退回直写：写入降到盘自身的速度，常常没人注意。若设为“总是回写”，则没有保护。",
        },
        Id::CardDriveCache => Text {
            what: "{subject} 后面的盘自身写缓存是打开的。",
            why: "卡的电池不保护它们，而且卡不一定转发刷写命令。断电时其中的内容丢失，除非盘自带保护。",
        },
        Id::CardReadAhead => Text {
            what: "{subject} 在 SSD 上预读。",
            why: "预读是为省寻道；在闪存上它只用没人要的数据占满卡的内存。来源中，改了一组没有全部列明的设置之后，8K 随机读从每秒 210,000 升到 910,000 次；它建议的是关闭预读。",
        },
        Id::CardWriteBack => Text {
            what: "{subject} 在 SSD 前面缓存写入。",
            why: "对 NVMe 来说卡的内存是瓶颈，满了就塌下来，而且许多卡只有在直写时才有快速通道。两种都测：有电池时，回写对 RAID 5 的小写确实有用。",
        },
        Id::CardStrip => Text {
            what: "{subject} 在 SSD 上的条带单元为 {strip}。",
            why: "来源和厂商建议 64K：更大的单元同样使一次小读只落在一块盘上，却使 RAID 5 的写入更多是部分条带。创建卷时固定。",
        },
        Id::CardParity => Text {
            what: "{subject} 是 {level}：一次小写在盘上要 {cost} 次操作。",
            why: "RAID 10 只要两次。对数据库，同样的盘写操作数是其两到三倍。",
        },
        Id::CardDegraded => Text {
            what: "{subject} 处于 {state} 状态。",
            why: "它的冗余已部分或全部用尽。",
        },
        Id::CardSingleDrives => Text {
            what: "{subject} 把 {count} 块盘各做成一个 RAID 0。",
            why: "看起来像直通，其实不是：卡的缓存和元数据仍夹在中间，错误和序列号被掩盖，换盘要重新建卷。用 JBOD 或 HBA 模式。",
        },
        Id::CardReadShare => Text {
            what: "{subject} 把 {share} % 的缓存用于预读。",
            why: "操作系统的缓存更大，知道得也更多；只有卡能做的事，是在电池保护下提前确认写入。来源试过 10 % 和 70 %，读取并没有更快。",
        },
        Id::NfsAsync => Text {
            what: "{subject} 以 `async` 导出。",
            why: "不管数据集怎么设，服务器在落盘之前就确认 NFS 的写入和提交：崩溃时丢失，而客户端不知道。给提交用的日志 vdev 才是又快又安全的办法。",
        },
        Id::SmbStrictSync => Text {
            what: "strict sync 已关闭。",
            why: "Samba 忽略客户端的刷写请求：Windows 和 macOS 以为已落盘的数据并没有落盘。",
        },
        Id::SmbSyncAlways => Text {
            what: "sync always 已打开。",
            why: "每次 SMB 写之后都 fsync，不管有没有要求。安全但慢；只用 strict sync 就会照客户端的要求做。",
        },
        Id::MtuMismatch => Text {
            what: "{subject} 的 MTU 为 {small}，{other} 的为 {large}。",
            why: "在同一条路径上，大帧会被丢弃或分片：连接在第一个大包处卡住，或由 CPU 付出代价。两端和中间每台交换机必须一致。",
        },
        Id::NoCommits => Text {
            what: "{seconds} 秒内每秒 {rate} 次提交：不需要 SLOG。",
            why: "日志 vdev 只参与提交。几乎没有提交时，根本察觉不到它。决定之前，请在繁忙的一小时里计数。",
        },
        Id::SlowCommits => Text {
            what: "每秒 {rate} 次提交，没有日志 vdev；日志写入平均等待 {mean} 毫秒（99 % 在 {p99} 毫秒以内），其后的刷写平均 {flush} 毫秒。",
            why: "这正是用 SLOG 的情形：等待发生在数据 vdev 上。没有日志 vdev 时，盘的时间是其全部写入的时间；刷写只有平均值，因为没有任何计数器给出它的分位数。购买之前先在缩尺模型上试。",
        },
        Id::FastCommits => Text {
            what: "每秒 {rate} 次提交，没有日志 vdev 也应答很快：不需要 SLOG。日志写入平均等待 {mean} 毫秒（99 % 在 {p99} 毫秒以内），其后的刷写平均 {flush} 毫秒。",
            why: "快的 SLOG 自身也要 0.02–0.1 毫秒：省不下多少。平均值和分位数只代表这段时间；刷写只有平均值，因为没有任何计数器给出它的分位数。",
        },
        Id::FewMisses => Text {
            what: "{seconds} 秒内 ARC 应答了 {hits} % 的按需读取，每秒只有 {misses} 次未命中：不需要 L2ARC。",
            why: "L2ARC 只应答 ARC 未命中的读取，而它的头部占用 ARC 的内存。决定之前，请在繁忙的一小时里计数。",
        },
        Id::FewGhosts => Text {
            what: "每秒 {misses} 次未命中，其中只有 {share} % 在 ghost 链表上：这里没有理由增加 L2ARC 或内存。",
            why: "ghost 链表记住的已淘汰数据，约等于 ARC 的大小。不在其上的未命中，是从未读过或更早以前读过的数据：只有比 ARC 大几倍的缓存才可能留住它，而且要它真的会再来。",
        },
        Id::ManyGhosts => Text {
            what: "每秒 {misses} 次未命中，其中 {share} % 是最近淘汰的：更大的缓存本可以留住它们。",
            why: "加内存效果最好。如果工作集稳定的时间长于填满 L2ARC 的时间，L2ARC 也能应答它们。",
        },
        Id::L2arcIdle => Text {
            what: "{subject} 的 L2ARC 应答了 {share} % 的查询，占用 {headers} 内存。",
            why: "它要么还没填满，要么负载不会再回到已淘汰的数据。",
        },
        Id::L2arcErrors => Text {
            what: "L2ARC 出现过 {errors} 次错误。",
            why: "对数据无害，数据会改从存储池读取，但那块盘正在磨损或损坏。",
        },
        Id::MemoryThrottled => Text {
            what: "因为内存不足，写入者被拦住 {times} 次。",
            why: "内核给不出 ARC 要的页。限制 ARC，或限制与它竞争的程序。",
        },
        Id::DirtyDelayed => Text {
            what: "写入节流每秒延迟 {rate} 个事务。",
            why: "数据 vdev 跟不上写入。日志 vdev 只在到达这一点之前使提交变快；更多或更快的数据 vdev 才有帮助。",
        },
    }
}

/// Fixed words.
pub fn label(label: Label) -> &'static str {
    match label {
        Label::Error => "错误",
        Label::Warning => "警告",
        Label::Note => "提示",
        Label::Variants => "变体",
        Label::Evidence => "依据",
        Label::Fix => "办法",
        Label::Source => "来源",
        Label::Lab => "实验",
        Label::Results => "结果",
        Label::Rows => "行",
        Label::Summary => {
            "错误 {errors} · 警告 {warnings} · 提示 {notes} · 应用规则 {rules} 条 · 读入文本 {texts} 份"
        }
        Label::Wrote => "已写入 {path}",
        Label::LosesNothing => "持久性  这里设置的任何一项都不会丢失已确认的写入",
        Label::Loses => "持久性  {name} = {value} 可能丢失最多 {seconds} 秒已确认的写入",
        Label::NoChanges => "改动    无：一切都已如此",
        Label::Changes => "改动",
        Label::Offered => "仅供选择，未设置：",
        Label::Disagree => "各来源说法不一：{others}。",
        Label::MayLose => "断电时可能丢失最多 {seconds} 秒已确认的写入。",
        Label::Sources => "来源：{sources}",
        Label::Measure => "测量：poolwright run {lab}",
        Label::ReadBeforeRunning => "运行之前请逐行阅读。",
        Label::RestartNfs => "之后：systemctl restart nfs-server",
        Label::IncludeInSamba => {
            "在 smb.conf 的 [global] 中包含：include = /etc/samba/poolwright.conf"
        }
        Label::IncludeInPostgresql => "在 postgresql.conf 中用 include_dir 包含此文件。",
        Label::RebuildInitramfs => {
            "之后：update-initramfs -u（或 dracut -f），若 ZFS 从 initramfs 加载。"
        }
        Label::Reexport => "之后：exportfs -ra",
        Label::ReloadUdev => {
            "之后：udevadm control --reload && udevadm trigger --subsystem-match=block"
        }
    }
}
