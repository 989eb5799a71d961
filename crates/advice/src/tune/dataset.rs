//! Properties of the dataset.

use super::choice::{Choice, Need, Server, Target, Workload};
use crate::source::Document;
use facts::zpool_status::Class;

fn on(need: &Need, name: &str, value: impl ToString, reason: &str) -> Choice {
    Choice::new(Target::Dataset(need.dataset()), name, value, reason)
}

/// The size of a whole record.
pub fn recordsize(need: &Need) -> Option<Choice> {
    let choice = match (need.server, need.workload) {
        (Server::Postgresql | Server::Mysql, Workload::Analytics) => on(
            need,
            "recordsize",
            "128K",
            "Scans read whole records; larger ones compress better and need fewer operations. A random page write rewrites 128K.",
        )
        .but("for transactions 16K; both on one server means two datasets or tablespaces"),
        (Server::Postgresql, _) => on(
            need,
            "recordsize",
            "16K",
            "Holds two 8K pages: a page write rewrites 16K instead of 128K, each page lies within one record, and there is room to compress.",
        )
        .but("8K equals the page and hardly compresses; 32K halves metadata and compresses better at twice the rewriting"),
        (Server::Mysql, _) => on(
            need,
            "recordsize",
            "16K",
            "Equals InnoDB's page: a page is one record, written whole, and a read of a page reads nothing else.",
        )
        .but("others take 32K for compression; below 16K pages could tear"),
        (_, Workload::LargeFiles | Workload::Analytics) => on(
            need,
            "recordsize",
            "1M",
            "Files are read and written in long runs: fewer operations and less metadata. Small files take only what they need.",
        ),
        (_, Workload::Vm | Workload::Oltp) => on(
            need,
            "recordsize",
            "16K",
            "Guests write 4K to 64K at random: a write of part of a record reads and rewrites all of it.",
        )
        .but("64K serves streaming guests better and needs less metadata"),
        (_, Workload::SmallFiles | Workload::Mixed) => on(
            need,
            "recordsize",
            "128K",
            "A file smaller than a record is one block of its own size, so small files need no small records; larger ones keep few blocks.",
        )
        .but("the Hong Kong source sets 16K for small files, which matters only to files over 16K that are written in part"),
    };
    Some(
        choice
            .from(Document::HongKong, "databases and file servers, recordsize")
            .from(Document::ZfsProps, "recordsize")
            .lab("hk-recordsize"),
    )
}

/// Compression.
pub fn compression(need: &Need) -> Option<Choice> {
    let (value, reason) = if need.workload == Workload::Analytics {
        (
            "zstd",
            "Scanned data is read more often than written: zstd packs tighter and decompresses fast.",
        )
    } else {
        (
            "lz4",
            "Costs next to nothing, gives up early on what does not compress, and writes fewer bytes.",
        )
    };
    Some(
        on(need, "compression", value, reason)
            .from(Document::ZfsProps, "compression")
            .from(Document::Mysql, "compression=lz4"),
    )
}

/// Access times.
pub fn atime(need: &Need) -> Option<Choice> {
    let choice = on(
        need,
        "atime",
        "off",
        "A read must not write. Set relatime=on instead where mail or backup software looks at access times.",
    );
    Some(
        choice
            .from(Document::HongKong, "databases, atime=off")
            .from(Document::ZfsProps, "atime"),
    )
}

/// Extended attributes.
pub fn xattr(need: &Need) -> Option<Choice> {
    // The default since 2.3.
    if need.release().is_some_and(|release| release >= (2, 3)) {
        return None;
    }
    let choice = on(
        need,
        "xattr",
        "sa",
        "Extended attributes (SELinux, ACLs, Samba's DOS attributes) in the dnode instead of hidden directories.",
    );
    Some(
        choice
            .from(Document::ZfsProps, "xattr")
            .from(Document::Mysql, "xattr=sa"),
    )
}

/// ACLs for file servers.
pub fn acltype(need: &Need) -> Option<Choice> {
    let wants = matches!(need.server, Server::Smb | Server::Nfs);
    wants.then(|| {
        on(
            need,
            "acltype",
            "posix",
            "POSIX ACLs are off by default on Linux; file servers map theirs onto them.",
        )
        .from(Document::ZfsProps, "acltype")
    })
}

/// The size of a dnode.
pub fn dnodesize(need: &Need) -> Option<Choice> {
    (need.server == Server::Smb).then(|| {
        on(need, "dnodesize", "auto", "Room in the dnode for attributes: without it those of Samba spill into a block of their own. Needs the large_dnode feature; not for a pool that a boot loader reads.")
            .from(Document::ZfsProps, "dnodesize")
    })
}

/// How synchronous writes reach the pool.
pub fn logbias(need: &Need) -> Option<Choice> {
    let logged = !need.leaves(Class::Log).is_empty();
    let reason = if logged {
        "Commits go to the log vdev. With throughput it would not be used."
    } else {
        "The default. Small commits are written once to the log and once with their transaction group; with throughput each small commit writes its whole record."
    };
    need.database().then(|| {
        on(need, "logbias", "latency", reason)
            .but("the MySQL source sets throughput, the Hong Kong source latency; the lab measures both by release and write size")
            .from(Document::HongKong, "databases, logbias=latency")
            .from(Document::Mysql, "logbias=throughput")
            .from(Document::ZfsProps, "logbias")
            .lab("hk-logbias")
    })
}

/// What the ARC keeps.
pub fn primarycache(need: &Need) -> Option<Choice> {
    need.database().then(|| {
        on(need, "primarycache", "all", "The ARC serves what the server's own cache does not hold, keeps records that are written in part, and is all that can feed an L2ARC.")
            .but("the MySQL source sets metadata, which saves RAM only where the server's own cache holds the working set, and makes appends re-read their records")
            .from(Document::Mysql, "primarycache=metadata")
            .from(Document::ZfsProps, "primarycache")
    })
}

/// Whether requests for stable storage are obeyed.
pub fn sync(need: &Need) -> Option<Choice> {
    // Three transaction groups may be open, each of zfs_txg_timeout.
    let timeout = need
        .system
        .parameter("zfs_txg_timeout")
        .map_or(5, |set| set.value.max(1));
    let loss = timeout.saturating_mul(3) as f64;
    if need.allow_loss_s >= loss {
        return Some(
            on(need, "sync", "disabled", "Asked for by --allow-loss: every flush returns at once. A power cut takes what up to three transaction groups held; the pool itself stays whole.")
                .loses(loss)
                .from(Document::ZfsProps, "sync")
                .from(Document::Mysql, "sync=disabled"),
        );
    }
    Some(
        on(
            need,
            "sync",
            "standard",
            "Programs get the durability that they ask for, and pay only for that.",
        )
        .from(Document::ZfsProps, "sync")
        .lab("hk-async"),
    )
}

/// Which blocks go to the special vdev.
pub fn special_small_blocks(need: &Need) -> Option<Choice> {
    if need.leaves(Class::Special).is_empty() {
        return None;
    }
    let (value, reason) = match (need.database(), need.workload) {
        (true, _) => (
            "0",
            "Records of a database are small blocks: any threshold at or above them would send all of it to the special vdev.",
        ),
        (false, Workload::SmallFiles | Workload::Mixed) => (
            "32K",
            "Small files then lie on the special vdev and not only their metadata. Size it for them: above three quarters it takes no more.",
        ),
        (false, _) => (
            "0",
            "Metadata alone gains most; large files gain nothing from more.",
        ),
    };
    Some(
        on(need, "special_small_blocks", value, reason)
            .from(Document::ZfsProps, "special_small_blocks")
            .from(Document::HongKong, "file servers, special vdev")
            .lab("hk-smb-l2arc"),
    )
}

/// Records of the dataset for the server's log.
pub fn log_recordsize(need: &Need) -> Option<Choice> {
    let dataset = need.log_dataset()?;
    let choice = Choice::new(
        Target::Dataset(dataset),
        "recordsize",
        "128K",
        "Logs are appended and read in order. On a dataset of their own they need not share the tables' small records, and snapshots of tables and log can still be taken together.",
    );
    Some(choice.from(Document::ZfsProps, "recordsize"))
}
