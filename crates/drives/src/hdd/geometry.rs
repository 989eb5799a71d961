//! Where bytes lie on the platters, and how long the head needs to get there.

use super::Hdd;

/// Gaps up to this many bytes are distances of the real drive; beyond, of the scaled one.
/// OpenZFS makes no metaslab smaller than this (`zfs_vdev_default_ms_shift`).
const METASLAB: f64 = (512u64 << 20) as f64;

/// Platters of one drive. Times are in ns, positions in bytes of the scaled drive.
#[derive(Debug)]
pub(super) struct Geometry {
    /// One revolution.
    pub revolution: f64,
    capacity: f64,
    near: f64,
    near_fraction: f64,
    far_slope: f64,
    per_real_byte: f64,
    /// 1 − inner rate / outer rate.
    taper: f64,
    outer_track: f64,
    track_to_track: f64,
    rise: f64,
    average: f64,
    linear: f64,
}

impl Geometry {
    pub fn new(hdd: &Hdd, real_capacity: u64, scaled_capacity: u64) -> Self {
        let real = real_capacity.max(1) as f64;
        let capacity = scaled_capacity.max(1) as f64;
        let revolution = 60e9 / hdd.rpm.value;
        let near = METASLAB.min(capacity / 16.0);
        let near_fraction = (near / real).min(near / capacity);
        Self {
            revolution,
            capacity,
            near,
            near_fraction,
            far_slope: (1.0 - near_fraction) / (capacity - near),
            per_real_byte: near_fraction / near,
            taper: 1.0 - hdd.rate_inner_mb_s.value / hdd.rate_outer_mb_s.value,
            outer_track: hdd.rate_outer_mb_s.value * 1e6 * revolution / 1e9,
            track_to_track: hdd.seek_track_ms.value * 1e6,
            rise: (hdd.seek_average_ms.value - hdd.seek_track_ms.value) * 1e6,
            average: hdd.seek_average_ms.value * 1e6,
            linear: (hdd.seek_full_ms.value - hdd.seek_average_ms.value) * 1e6 * 1.5,
        }
    }

    /// Bytes of the track at `offset`.
    pub fn track(&self, offset: u64) -> f64 {
        self.outer_track * (1.0 - self.taper * self.fraction(offset))
    }

    fn fraction(&self, offset: u64) -> f64 {
        (offset as f64 / self.capacity).min(1.0)
    }

    /// Revolutions that pass under the head from the first byte of the drive to `offset`, skew
    /// between tracks included: its fractional part is the angle at which `offset` lies.
    /// The integral of do / track(o) with a track capacity that falls linearly.
    pub fn revolutions(&self, offset: u64) -> f64 {
        let fraction = self.fraction(offset);
        if self.taper < 1e-9 {
            return offset as f64 / self.outer_track;
        }
        -self.capacity / (self.outer_track * self.taper) * libm::log1p(-self.taper * fraction)
    }

    /// Time to move the arm between two offsets; 0 within a track.
    pub fn seek(&self, from: u64, to: u64) -> f64 {
        let gap = from.abs_diff(to) as f64;
        if gap < self.track(to) {
            return 0.0;
        }
        let x = if gap <= self.near {
            gap * self.per_real_byte
        } else {
            (self.near_fraction + (gap - self.near) * self.far_slope).min(1.0)
        };
        if x <= 1.0 / 3.0 {
            self.track_to_track + self.rise * (3.0 * x).sqrt()
        } else {
            self.average + self.linear * (x - 1.0 / 3.0)
        }
    }
}
