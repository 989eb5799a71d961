//! How OpenZFS takes a page of a file into the intent log, and whether it can divide it there.

/// Smallest write that the log of a pool without a log vdev holds a pointer to, bytes (`zfs_immediate_write_sz`).
pub const IMMEDIATE_WRITE: u64 = 32 << 10;
/// First release whose writes can bypass the ARC, as major and minor version.
const DIRECT_IO: (u32, u32) = (2, 3);

/// What decides it: properties of the dataset with ZFS's values, none for its default; parameters of the module; and
/// how the file is opened.
#[derive(Debug, Clone, Copy)]
pub struct WritePath<'a> {
    /// Major and minor version; none where it is not known.
    pub release: Option<(u32, u32)>,
    /// The property.
    pub sync: Option<&'a str>,
    /// The property, from 2.3 on.
    pub direct: Option<&'a str>,
    /// The property.
    pub logbias: Option<&'a str>,
    /// Bytes of a whole record.
    pub record: u64,
    /// Whether the file is opened with O_DIRECT.
    pub o_direct: bool,
    /// Whether `zfs_dio_enabled` is not 0.
    pub direct_io_enabled: bool,
    /// `zfs_immediate_write_sz`, bytes.
    pub immediate_write: u64,
    /// Whether the pool has a log vdev, or from 2.4 on a special vdev, which the intent log may go to.
    pub has_log_or_special: bool,
}

impl WritePath<'_> {
    /// Whether a power cut can tear a page of this many bytes. A write is in one transaction group as a whole
    /// (`zfs_write`, OpenZFS 2.3 and 2.4). But fsync puts it into the intent log, which divides what does not fit into the
    /// rest of a log block (`zil_lwb_assign`), and replay ends where the log does. Where the log has a pointer to each
    /// record instead, a page that is a record is there or not.
    pub fn tears(&self, page: u64) -> bool {
        // With sync=disabled nothing is in the log.
        let whole = self.logs_pointers(page) && self.record == page;
        !(whole || self.sync == Some("disabled"))
    }

    /// Whether the log has a pointer to the data and not the data: `zil_write_state` in zil.c of 2.4, `zfs_log_write` in
    /// zfs_log.c before.
    fn logs_pointers(&self, write: u64) -> bool {
        let large = write >= self.immediate_write && !self.has_log_or_special;
        self.always_logs_pointers() || large
    }

    /// The same of writes of any size.
    pub fn always_logs_pointers(&self) -> bool {
        self.bypasses_cache() || self.logbias == Some("throughput")
    }

    /// Whether reads and writes go past the ARC.
    pub fn bypasses_cache(&self) -> bool {
        let possible =
            self.direct_io_enabled && self.release.is_some_and(|release| release >= DIRECT_IO);
        possible
            && match self.direct {
                Some("always") => true,
                Some("disabled") => false,
                _ => self.o_direct,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFERED: WritePath<'static> = WritePath {
        release: Some((2, 4)),
        sync: None,
        direct: None,
        logbias: None,
        record: 16 << 10,
        o_direct: false,
        direct_io_enabled: true,
        immediate_write: IMMEDIATE_WRITE,
        has_log_or_special: true,
    };

    #[test]
    fn a_page_is_whole_where_the_log_points_to_its_record() {
        let page = 16 << 10;
        assert!(BUFFERED.tears(page));
        let direct = WritePath { o_direct: true, ..BUFFERED };
        assert!(!direct.tears(page));
        assert!(direct.tears(8 << 10), "a part of a record");
        assert!(WritePath { direct: Some("disabled"), ..direct }.tears(page));
        assert!(WritePath { direct_io_enabled: false, ..direct }.tears(page));
        assert!(WritePath { release: Some((2, 2)), ..direct }.tears(page));
        assert!(WritePath { release: None, ..direct }.tears(page));
        assert!(!WritePath { direct: Some("always"), ..BUFFERED }.tears(page));
        assert!(!WritePath { logbias: Some("throughput"), ..BUFFERED }.tears(page));
        assert!(!WritePath { sync: Some("disabled"), ..BUFFERED }.tears(page));
    }

    #[test]
    fn large_pages_are_whole_where_the_pool_has_no_vdev_for_the_log() {
        let record = 32 << 10;
        let large = WritePath { record, ..BUFFERED };
        assert!(large.tears(record));
        let alone = WritePath { has_log_or_special: false, ..large };
        assert!(!alone.tears(record));
        assert!(alone.tears(16 << 10));
        assert!(WritePath { immediate_write: 64 << 10, ..alone }.tears(record));
    }
}
