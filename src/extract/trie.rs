//! Runs of words as a trie.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::error::Result;

/// The node of the run without words.
pub(super) const ROOT: u32 = 0;

/// What is done with each run of words and its count.
pub(super) type Visit<'a> = dyn FnMut(&[u32], u64) -> Result<()> + 'a;

/// Runs of words, with all edges in one table.
pub(super) struct Trie {
    /// The child of a node by a word: the node in the high half of the key, the word in the low half.
    children: HashMap<u64, u32, RandomState>,
    /// The key that leads to each node.
    keys: Vec<u64>,
    /// How often the run of each node occurs as a candidate.
    pub(super) counts: Vec<u64>,
}

impl Default for Trie {
    fn default() -> Trie {
        Trie { children: HashMap::default(), keys: vec![0], counts: vec![0] }
    }
}

impl Trie {
    /// The number of nodes, with the root.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The child of a node by a word, which is made if there is none.
    #[inline]
    pub(super) fn child(&mut self, node: u32, word: u32) -> u32 {
        let key = u64::from(node) << 32 | u64::from(word);
        *self.children.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.counts.push(0);
            self.keys.len() as u32 - 1
        })
    }

    /// The node of a run, which is made if there is none.
    pub(super) fn node(&mut self, words: &[u32]) -> u32 {
        words.iter().fold(ROOT, |node, &word| self.child(node, word))
    }

    /// The child of a node by a word, if there is one.
    pub(super) fn find(&self, node: u32, word: u32) -> Option<u32> {
        self.children.get(&(u64::from(node) << 32 | u64::from(word))).copied()
    }

    /// The run of a node.
    pub(super) fn words(&self, mut node: u32) -> Vec<u32> {
        let mut words = Vec::new();
        while node != ROOT {
            let key = self.keys[node as usize];
            words.push(key as u32);
            node = (key >> 32) as u32;
        }
        words.reverse();
        words
    }

    /// Visits the runs that were counted, in the order of the numbers of their words.
    pub(super) fn each(self, visit: &mut Visit) -> Result<()> {
        let Trie { children, keys, counts } = self;
        drop(children);
        let mut edges: Vec<(u64, u32)> = keys.iter().copied().zip(0..).skip(1).collect();
        edges.sort_unstable();
        let starts = child_starts(&edges, keys.len());
        let children_of = |node: u32| starts[node as usize]..starts[node as usize + 1];
        let mut words = Vec::new();
        // The children that are still to be visited, of each node on the way from the root.
        let mut path = vec![children_of(ROOT)];
        while let Some(children) = path.last_mut() {
            let Some(edge) = children.next() else {
                path.pop();
                words.pop();
                continue;
            };
            let (key, node) = edges[edge as usize];
            words.push(key as u32);
            if counts[node as usize] > 0 {
                visit(&words, counts[node as usize])?;
            }
            path.push(children_of(node));
        }
        Ok(())
    }
}

/// Where the children of each of `nodes` nodes begin in the sorted edges, and the end of the last.
fn child_starts(edges: &[(u64, u32)], nodes: usize) -> Vec<u32> {
    let mut starts = vec![0u32; nodes + 1];
    for &(key, _) in edges {
        starts[(key >> 32) as usize + 1] += 1;
    }
    for node in 1..starts.len() {
        starts[node] += starts[node - 1];
    }
    starts
}
