//! Positions that are removed from among all, and the numbers of those that stay.

/// Positions in a stretch, for which the number of those removed before is stored once.
const STRETCH: u32 = 64;
/// Marks a stretch in which some positions are removed.
const MIXED: u32 = u32::MAX;

/// Positions that are removed.
pub(super) struct Removed<'a> {
    /// In order.
    positions: &'a [u32],
    /// For each stretch of positions how many are removed before it, or [`MIXED`]; nothing if none are
    /// removed at all.
    shifts: Vec<u32>,
}

impl<'a> Removed<'a> {
    /// `positions`, which are in order, of `total`.
    pub(super) fn new(positions: &'a [u32], total: usize) -> Removed<'a> {
        let mut shifts = Vec::new();
        if !positions.is_empty() {
            shifts.resize(total / STRETCH as usize + 1, 0);
            let mut before = 0;
            for (stretch, shift) in (0u32..).zip(&mut shifts) {
                let inside =
                    positions[before..].iter().take_while(|&&p| p / STRETCH == stretch).count();
                *shift = if inside > 0 { MIXED } else { before as u32 };
                before += inside;
            }
        }
        Removed { positions, shifts }
    }

    /// The number that a position has among those that stay; None if it is removed.
    #[inline]
    pub(super) fn renumber(&self, p: u32) -> Option<u32> {
        match self.shifts.get((p / STRETCH) as usize) {
            None => Some(p),
            Some(&MIXED) => {
                let before = self.positions.binary_search(&p).err()?;
                Some(p - before as u32)
            }
            Some(shift) => Some(p - shift),
        }
    }

    /// Removes the items at these positions.
    pub(super) fn remove_from<T: Copy>(&self, items: &mut Vec<T>) {
        // All items between two that are removed are moved at once.
        let (mut written, mut stretch) = (0, 0);
        let ends = self.positions.iter().map(|&p| p as usize).chain([items.len()]);
        for end in ends {
            items.copy_within(stretch..end, written);
            written += end - stretch;
            stretch = end + 1;
        }
        items.truncate(written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_that_stay_are_counted_from_zero() {
        for step in [1, 2, 3, 63, 64, 65, 130, 1000] {
            let positions: Vec<u32> = (0..500).filter(|p| p % step == step - 1).collect();
            let removed = Removed::new(&positions, 500);
            let stay: Vec<u32> = (0..500).filter(|p| !positions.contains(p)).collect();
            let numbers: Vec<Option<u32>> = stay.iter().map(|&p| removed.renumber(p)).collect();
            assert!(numbers.into_iter().eq((0..stay.len() as u32).map(Some)));
            assert!(positions.iter().all(|&p| removed.renumber(p).is_none()));
            let mut items: Vec<u32> = (0..500).collect();
            removed.remove_from(&mut items);
            assert_eq!(items, stay);
        }
    }
}
