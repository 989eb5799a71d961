//! How a drive is attached: the queue limits that the host's block layer gets for it.

use crate::{Profile, TimingModel};

/// Commands that an NVMe queue of Linux holds (`io_queue_depth` of the nvme driver: 1024, one kept free).
const NVME_DEPTH: u32 = 1023;
/// Commands that libata gives a drive (NCQ has 32).
const SATA_DEPTH: u32 = 32;
/// Commands that the megaraid_sas and smartpqi drivers give a logical volume.
const CARD_DEPTH: u32 = 256;
/// Largest command of SCSI and libata disks, bytes (`max_hw_sectors_kb` = 32767 there; the block layer
/// keeps to `max_sectors_kb` = 4096 in Linux 7.2).
const SCSI_TRANSFER: u32 = 32_767 << 10;
/// Largest command of an NVMe drive, bytes: MDTS of 5 to 8 gives 128 KiB to 1 MiB; the drives of the
/// profiles have 1 MiB or no limit.
const NVME_TRANSFER: u32 = 1 << 20;

/// Queue limits of a drive, as the block layer has them in `/sys/block/*/queue`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attachment {
    /// Commands that the host gives the drive at once.
    pub depth: u32,
    /// Largest command, bytes.
    pub max_transfer: u32,
    /// Whether a distribution gives the drive mq-deadline. Linux does so for devices with one hardware
    /// queue; NVMe drives get `none`.
    pub scheduler: bool,
    /// Whether the drive takes discards.
    pub discard: bool,
    /// Whether it announces a volatile write cache, so that the host sends it flushes.
    ///
    /// - SATA: as the drive has one; ATA knows no other word for it.
    /// - NVMe: only without power-loss protection. Of protected drives Linux shows "write through" for the
    ///   Optane 900P and the Micron 7400 (tanelpoder.com), and VWC is 0 for the Micron 9200 (TKperf issue
    ///   25); other protected drives are taken to be the same.
    /// - RAID cards: only without a battery. A PERC H755 says "Write cache: disabled".
    pub write_cache: bool,
    /// Whether it announces FUA. Where it does not, the block layer sends a FUA write as a write and a
    /// flush. As Linux 7.2 decides it:
    ///
    /// - NVMe: with a volatile write cache, always (`nvme_update_ns_info_block`).
    /// - SATA disks and SSDs: never, for libata's parameter `fua` is off by default (`libata_fua`).
    /// - RAID cards: where MODE SENSE has DPOFUA and the write cache enabled (`sd_set_flush_flag`). A
    ///   PERC H755 has neither; the kernel log says "Write cache: disabled, read cache: enabled, doesn't
    ///   support DPO or FUA" (firmware 5.16 in a PowerEdge R750, megaraid_sas of Linux 5.18).
    pub fua: bool,
}

impl Profile {
    /// The drive's queue limits. A flash drive is on SATA when all its traffic fits a SATA link. A disk takes as many
    /// commands as it orders: 32 on SATA, more on SAS, where the host's adapter allows 254 (mpt3sas).
    pub fn attachment(&self) -> Attachment {
        let volatile = self.write_cache && !self.power_loss_protection;
        let nvme = Attachment {
            write_cache: volatile,
            depth: NVME_DEPTH,
            max_transfer: NVME_TRANSFER,
            scheduler: false,
            discard: true,
            fua: volatile,
        };
        let scsi = |depth, discard, write_cache| Attachment {
            write_cache,
            depth,
            max_transfer: SCSI_TRANSFER,
            scheduler: true,
            discard,
            fua: false,
        };
        let ordered = self.hdd.as_ref().map_or(SATA_DEPTH, |hdd| hdd.queue_depth.whole() as u32);
        match (self.kind, &self.flash) {
            (TimingModel::Flash, Some(flash)) if flash.is_sata() => {
                scsi(SATA_DEPTH, true, self.write_cache)
            }
            (TimingModel::Flash | TimingModel::Instant, _) => nvme,
            (TimingModel::Hdd, _) => scsi(ordered.max(1), false, self.write_cache),
            (TimingModel::Card, _) => scsi(CARD_DEPTH, false, volatile),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Profile;

    fn attachment(profile: &str) -> super::Attachment {
        let path = format!("{}/../../profiles/{profile}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        Profile::from_toml(&text).unwrap().attachment()
    }

    #[test]
    fn one_queue_gets_mq_deadline_and_nvme_none() {
        assert_eq!(
            (attachment("hdd-7200-8t").scheduler, attachment("hdd-7200-8t").depth),
            (true, 32)
        );
        assert_eq!(attachment("hdd-7200-16t").depth, 128, "a SAS disk");
        assert!(attachment("pm883-3.84t").scheduler && attachment("pm883-3.84t").discard);
        assert!(!attachment("pm9a3-1.92t").scheduler && attachment("pm9a3-1.92t").discard);
        assert!(!attachment("p1600x-118g").scheduler);
        assert!(attachment("raid10-4x-r5-h755").scheduler);
    }

    #[test]
    fn a_protected_cache_is_announced_by_sata_alone() {
        let announced = |profile: &str| attachment(profile).write_cache;
        assert!(announced("pm883-3.84t") && announced("hdd-7200-8t"));
        assert!(announced("nvme-consumer-1t"));
        assert!(!announced("p1600x-118g") && !announced("pm9a3-1.92t"));
        assert!(!announced("raid10-4x-r5-h755"));
    }

    #[test]
    fn only_nvme_with_a_volatile_cache_announces_fua() {
        let announced = |profile: &str| attachment(profile).fua;
        assert!(announced("nvme-consumer-1t"));
        assert!(!announced("instant") && !announced("pm9a3-1.92t"));
        assert!(!announced("pm883-3.84t") && !announced("hdd-7200-8t"));
        assert!(!announced("raid10-4x-r5-h755") && !announced("raid0-12x4t"));
    }
}
