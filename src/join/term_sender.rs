//! The first exchange: terms on their way to their partitions.

use crate::build::entries::Entries;
use crate::error::Result;
use crate::join::analyzer::TermAnalyzer;
use crate::join::blocks::{TermFields, enough_bytes};
use crate::join::term_table::TermTable;

/// Packs the terms that one task reads into blocks for their partitions.
///
/// Equal terms are merged before they are sent if they are within some ten thousand terms of each other,
/// so that an entry that occurs a billion times in the vocabulary does not pile up in one partition. The
/// tables of the partitions merge the rest.
pub struct TermSender {
    recent: TermTable,
    blocks: Vec<Vec<u8>>,
    /// The entries that were packed.
    entries: u64,
}

/// Bytes of the table of recent terms: 4 MB fit into a core's cache.
const RECENT_BYTES: usize = 1 << 22;

impl TermSender {
    /// A sender of terms with these fields.
    pub fn new(partitions: usize, fields: TermFields) -> TermSender {
        let recent = TermTable::new(fields);
        TermSender { recent, blocks: vec![Vec::new(); partitions], entries: 0 }
    }

    /// Adds entries as [`TermTable::add`] does.
    pub fn add<'a>(
        &mut self,
        analyzer: &TermAnalyzer,
        entries: &dyn Entries,
        id: impl Fn(usize) -> &'a [u8],
        weight: impl Fn(usize) -> f64,
    ) -> Result<()> {
        self.recent.add(analyzer, entries, id, weight)?;
        if self.recent.memory() >= RECENT_BYTES {
            self.pack();
        }
        Ok(())
    }

    /// Whether the blocks should be taken and sent.
    pub fn is_full(&self) -> bool {
        self.blocks.iter().map(Vec::len).sum::<usize>() >= enough_bytes(self.blocks.len())
    }

    /// The blocks, one for each partition; empty for a partition without a term.
    pub fn take(&mut self) -> Vec<Vec<u8>> {
        self.pack();
        let empty = vec![Vec::new(); self.blocks.len()];
        let mut blocks = std::mem::replace(&mut self.blocks, empty);
        // The first block that is sent has the number of entries of all of them.
        for block in blocks.iter_mut().filter(|block| !block.is_empty()) {
            let entries = std::mem::take(&mut self.entries);
            block.extend_from_slice(&entries.to_le_bytes());
        }
        blocks
    }

    fn pack(&mut self) {
        self.entries += self.recent.entries();
        self.recent.pack(&mut self.blocks);
        self.recent.clear();
    }
}
