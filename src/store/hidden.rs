//! The rows that are not live although their segments have them.

use crate::error::{Error, Result};

/// The tier of an id that was removed.
pub(crate) const REMOVED: u8 = u8::MAX;

/// The ids that have rows which are not live, each with the tier of its live row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hidden {
    /// In order.
    ids: Vec<u32>,
    tiers: Vec<u8>,
    /// A bit for the remainder of each id, so that most ids need no search.
    filter: Vec<u64>,
}

impl Hidden {
    /// Of entries in the order of their ids.
    pub(crate) fn of(entries: impl IntoIterator<Item = (u32, u8)>) -> Hidden {
        let (ids, tiers): (Vec<u32>, Vec<u8>) = entries.into_iter().unzip();
        let mut filter = vec![0; if ids.is_empty() { 0 } else { ids.len().next_power_of_two() }];
        for &id in &ids {
            let bit = id as usize % (64 * filter.len());
            filter[bit / 64] |= 1 << (bit % 64);
        }
        Hidden { ids, tiers, filter }
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (u32, u8)> {
        self.ids.iter().copied().zip(self.tiers.iter().copied())
    }

    /// Whether the row of an id in a segment of this tier is live.
    #[inline]
    pub(crate) fn is_live(&self, id: u32, tier: u8) -> bool {
        if self.filter.is_empty() {
            return true;
        }
        let bit = id as usize % (64 * self.filter.len());
        if self.filter[bit / 64] >> (bit % 64) & 1 == 0 {
            return true;
        }
        self.ids.binary_search(&id).map_or(true, |place| self.tiers[place] == tier)
    }

    /// As the content of a file.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(5 * self.len());
        self.ids.iter().for_each(|id| bytes.extend_from_slice(&id.to_le_bytes()));
        bytes.extend_from_slice(&self.tiers);
        bytes
    }

    /// Of the content of a file.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Hidden> {
        let damaged = || Error::damaged("hidden", "its ids are not in order");
        let count = bytes.len() / 5;
        if bytes.len() != 5 * count {
            return Err(damaged());
        }
        let (ids, tiers) = bytes.split_at(4 * count);
        let ids = ids.chunks_exact(4).map(|id| u32::from_le_bytes([id[0], id[1], id[2], id[3]]));
        let ids: Vec<u32> = ids.collect();
        if !ids.is_sorted_by(|a, b| a < b) {
            return Err(damaged());
        }
        Ok(Hidden::of(ids.into_iter().zip(tiers.iter().copied())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_live_where_its_id_says_so() {
        let hidden = Hidden::of([(3, REMOVED), (64, 0), (67, 2)]);
        for id in 0..300 {
            for tier in 0..4 {
                let expected = match id {
                    3 => false,
                    64 => tier == 0,
                    67 => tier == 2,
                    _ => true,
                };
                assert_eq!(hidden.is_live(id, tier), expected, "{id} {tier}");
            }
        }
        assert_eq!(Hidden::from_bytes(&hidden.to_bytes()).unwrap(), hidden);
        assert!(Hidden::from_bytes(&[0; 4]).is_err());
        assert!(Hidden::from_bytes(&[0; 10]).is_err());
    }
}
