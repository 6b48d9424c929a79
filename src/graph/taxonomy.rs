//! The tree of terms and their heads.

use std::sync::atomic::Ordering::Relaxed;

use crate::error::{Error, Result};
use crate::graph::pairs::NONE;
use crate::index::{Index, TermId};
use crate::threads::threads_for;

/// The broader term of each term, by id: the longest one that it ends with. In English, the head of a phrase
/// is at its end, and a term is usually a kind of its head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taxonomy {
    /// The broader term of each term; none for a root. Of variants it is the first.
    pub broader: Vec<Option<TermId>>,
    /// The number of steps to its root.
    pub depth: Vec<u32>,
    /// Its root: the last of its broader terms; itself if there is none.
    pub root: Vec<TermId>,
}

impl Index {
    /// The tree of terms and their heads. Aliases do not count, nor do joined readings.
    pub fn taxonomy(&self, threads: usize) -> Result<Taxonomy> {
        let names = self.names_by_position(threads_for(self.arrays.keys.len(), threads))?;
        let name_lengths = self.name_lengths()?;
        let lengths = &name_lengths[..self.len()];
        let mut broader = Vec::with_capacity(self.len());
        let mut start = 0;
        for &length in lengths {
            let end = start + length as usize;
            let longest =
                names.longest.get(start..end).ok_or_else(|| Error::out_of_range("borders"))?;
            // The longest term that begins after the first token and ends where this one ends.
            let mut head = None;
            for (offset, name) in longest.iter().enumerate().skip(1) {
                let name = name.load(Relaxed);
                if name != NONE && name_lengths[name as usize] + offset as u32 == length {
                    head = self.allowed_term(names.variants(name), start + offset)?;
                }
                if head.is_some() {
                    break;
                }
            }
            broader.push(head);
            start = end;
        }
        // By length, as a head is shorter than the terms of which it is the head.
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by_key(|&term| lengths[term as usize]);
        let mut depth = vec![0; self.len()];
        let mut root: Vec<TermId> = (0..self.len() as u32).map(TermId).collect();
        for term in order {
            if let Some(TermId(head)) = broader[term as usize] {
                depth[term as usize] = depth[head as usize] + 1;
                root[term as usize] = root[head as usize];
            }
        }
        Ok(Taxonomy { broader, depth, root })
    }

    /// The first of these names that is a term and allowed at position `p` by its capitals.
    fn allowed_term(&self, names: impl Iterator<Item = u32>, p: usize) -> Result<Option<TermId>> {
        for name in names.take_while(|&name| (name as usize) < self.len()) {
            if self.capitals_agree(self.key_place(TermId(name))?, p)? {
                return Ok(Some(TermId(name)));
            }
        }
        Ok(None)
    }
}
