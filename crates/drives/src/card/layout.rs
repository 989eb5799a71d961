//! Which bytes of which member a request touches.

use serde::{Deserialize, Serialize};

/// How a card puts its members together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RaidLevel {
    /// Striped, no redundancy.
    Raid0,
    /// Every member holds everything.
    Raid1,
    /// Striped with one rotating parity strip a row.
    Raid5,
    /// Striped with two rotating parity strips a row.
    Raid6,
    /// Striped over mirrored pairs.
    Raid10,
}

/// A contiguous piece of a request on one column of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub row: u64,
    pub column: u64,
    /// First byte on the member.
    pub offset: u64,
    pub length: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub level: RaidLevel,
    pub members: u64,
    /// Bytes of one strip.
    pub strip: u64,
}

impl Layout {
    /// Parity strips in a row.
    pub fn parity(&self) -> u64 {
        match self.level {
            RaidLevel::Raid5 => 1,
            RaidLevel::Raid6 => 2,
            RaidLevel::Raid0 | RaidLevel::Raid1 | RaidLevel::Raid10 => 0,
        }
    }

    /// Data strips in a row.
    pub fn columns(&self) -> u64 {
        match self.level {
            RaidLevel::Raid1 => 1,
            RaidLevel::Raid10 => self.members / 2,
            RaidLevel::Raid0 | RaidLevel::Raid5 | RaidLevel::Raid6 => self.members - self.parity(),
        }
    }

    /// Data bytes of a row.
    pub fn row_bytes(&self) -> u64 {
        self.columns() * self.strip
    }

    /// The members that hold a column: one, or the mirrors.
    pub fn holders(&self, row: u64, column: u64) -> std::ops::Range<u64> {
        match self.level {
            RaidLevel::Raid0 => column..column + 1,
            RaidLevel::Raid1 => 0..self.members,
            RaidLevel::Raid10 => 2 * column..2 * column + 2,
            RaidLevel::Raid5 | RaidLevel::Raid6 => {
                let member = (self.first_parity(row) + self.parity() + column) % self.members;
                member..member + 1
            }
        }
    }

    /// The members that hold the parity of a row.
    pub fn parities(&self, row: u64) -> impl Iterator<Item = u64> {
        let (first, members) = (self.first_parity(row), self.members);
        (0..self.parity()).map(move |i| (first + i) % members)
    }

    /// Left-symmetric: parity moves one member to the left with each row.
    fn first_parity(&self, row: u64) -> u64 {
        self.members - 1 - row % self.members
    }

    /// Cuts `start..end` at strips.
    pub fn pieces(&self, start: u64, end: u64) -> impl Iterator<Item = Piece> {
        let (strip, columns) = (self.strip, self.columns());
        let mut at = start;
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let index = at / strip;
            let within = at % strip;
            let length = (strip - within).min(end - at);
            at += length;
            Some(Piece {
                row: index / columns,
                column: index % columns,
                offset: index / columns * strip + within,
                length,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_and_parity_of_a_row_lie_on_different_members() {
        for (level, members) in
            [(RaidLevel::Raid5, 5), (RaidLevel::Raid6, 6), (RaidLevel::Raid0, 4)]
        {
            let layout = Layout { level, members, strip: 65536 };
            for row in 0..20 {
                let mut used: Vec<u64> = layout.parities(row).collect();
                for column in 0..layout.columns() {
                    used.extend(layout.holders(row, column));
                }
                used.sort_unstable();
                assert_eq!(used, (0..members).collect::<Vec<_>>(), "{level:?} row {row}");
            }
        }
    }

    #[test]
    fn parity_visits_every_member_in_turn() {
        let layout = Layout { level: RaidLevel::Raid5, members: 5, strip: 65536 };
        let mut visited: Vec<u64> = (0..5).flat_map(|row| layout.parities(row)).collect();
        visited.sort_unstable();
        assert_eq!(visited, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn pieces_cover_the_request_without_gaps() {
        let layout = Layout { level: RaidLevel::Raid6, members: 6, strip: 65536 };
        let total: u64 = layout.pieces(1000, 1_000_000).map(|p| p.length).sum();
        assert_eq!(total, 999_000);
        assert!(layout.pieces(1000, 1_000_000).all(|p| p.column < 4));
    }
}
