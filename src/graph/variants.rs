//! Terms with equal keys.

use crate::error::Result;
use crate::index::Index;

/// Groups of terms, each of more than one, in the order of their first terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EqualTerms {
    /// The terms of all groups, one group after the other, each in the order of its terms.
    pub terms: Vec<u32>,
    /// Where each group ends in `terms`.
    pub ends: Vec<usize>,
}

impl EqualTerms {
    /// Whether there are no groups.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn push(&mut self, group: impl Iterator<Item = u32>) {
        self.terms.extend(group);
        self.ends.push(self.terms.len());
    }
}

impl Index {
    /// The groups of terms that match the same words: terms with equal keys, and terms one of which has
    /// another name that is a name of the other. Terms that differ in words that must be in capitals are
    /// not equal.
    pub fn equal_terms(&self) -> Result<EqualTerms> {
        let mut groups = EqualTerms::default();
        if !self.may_have_variants() {
            return Ok(groups);
        }
        let mut linked = Vec::new();
        self.each_equal_names(|names| {
            if names.len() > 1 {
                linked.push(names.to_vec());
            }
            Ok(())
        })?;
        if !self.has_other_names() {
            linked.sort_unstable_by_key(|group| group[0]);
            linked.into_iter().for_each(|group| groups.push(group.into_iter()));
            return Ok(groups);
        }
        // Groups of names that share a term are one.
        let mut parent: Vec<u32> = (0..self.len() as u32).collect();
        fn root(parent: &mut [u32], mut term: u32) -> u32 {
            while parent[term as usize] != term {
                parent[term as usize] = parent[parent[term as usize] as usize];
                term = parent[term as usize];
            }
            term
        }
        for names in linked {
            let first = self.owner(names[0] as usize)?.0;
            for &name in &names[1..] {
                let other = self.owner(name as usize)?.0;
                let (a, b) = (root(&mut parent, first), root(&mut parent, other));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        let mut members: Vec<(u32, u32)> =
            (0..self.len() as u32).map(|term| (root(&mut parent, term), term)).collect();
        members.sort_unstable();
        for group in members.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
            groups.push(group.iter().map(|&(_, term)| term));
        }
        Ok(groups)
    }

    /// Calls `each` with the names of every key, in the order of the keys; those of a key are in order.
    fn each_equal_names(&self, mut each: impl FnMut(&[u32]) -> Result<()>) -> Result<()> {
        let arrays = &self.arrays;
        // The names of the current key, and where the first of them begins and ends.
        let (mut names, mut first): (Vec<u32>, _) = (Vec::new(), 0..0);
        let mut before = None;
        for slot in 0..arrays.suffixes.len() {
            if !arrays.wholes.get(slot)? {
                continue;
            }
            let start = self.suffix(slot)?;
            let key = start..arrays.borders.after(start)?;
            // Whole terms with one key are neighbours.
            let is_equal = before == Some(slot.wrapping_sub(1))
                && key.len() == first.len()
                && key
                    .clone()
                    .zip(first.clone())
                    .all(|(p, q)| arrays.keys.get(p) == arrays.keys.get(q));
            if !is_equal {
                self.each_of_equal_capitals(&names, &mut each)?;
                names.clear();
                first = key;
            }
            names.push(arrays.borders.rank(start)? as u32);
            before = Some(slot);
        }
        self.each_of_equal_capitals(&names, &mut each)
    }

    /// Calls `each` with those of some names, which have one key, that must have the same words in capitals.
    fn each_of_equal_capitals(
        &self,
        names: &[u32],
        each: &mut impl FnMut(&[u32]) -> Result<()>,
    ) -> Result<()> {
        if names.len() < 2 || self.arrays.capitals.is_none() {
            return each(names);
        }
        let mut keyed = Vec::with_capacity(names.len());
        for &name in names {
            keyed.push((self.capitals_of(self.arrays.key_place(name as usize)?)?, name));
        }
        keyed.sort_unstable();
        for group in keyed.chunk_by(|a, b| a.0 == b.0) {
            each(&group.iter().map(|&(_, name)| name).collect::<Vec<_>>())?;
        }
        Ok(())
    }
}
