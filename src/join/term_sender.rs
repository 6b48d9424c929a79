//! The first exchange: terms on their way to their partitions.

use crate::build::entries::Entries;
use crate::error::Result;
use crate::join::analyzer::TermAnalyzer;
use crate::join::blocks::{TermFields, TermRecord, checksum, enough_bytes, partition_of};
use crate::join::term_table::TermTable;

/// Packs the terms that one task reads into blocks for their partitions.
///
/// Equal terms are merged before they are sent if they are within some ten thousand terms of each other,
/// so that an entry that occurs a billion times in the vocabulary does not pile up in one partition. The
/// tables of the partitions merge the rest.
pub struct TermSender {
    fields: TermFields,
    recent: TermTable,
    blocks: Vec<Vec<u8>>,
    /// The checksums of the entries that were added, by partition.
    checksums: Vec<u128>,
    entries: u64,
}

/// Bytes of the table of recent terms: 4 MB fit into a core's cache.
const RECENT_BYTES: usize = 1 << 22;

impl TermSender {
    /// A sender of terms with these fields.
    pub fn new(partitions: usize, fields: TermFields) -> TermSender {
        TermSender {
            fields,
            recent: TermTable::new(fields),
            blocks: vec![Vec::new(); partitions],
            checksums: vec![0; partitions],
            entries: 0,
        }
    }

    /// Adds the entries that are terms. `id` and `weight` return those of a row; they are called only if
    /// the terms have such a field.
    pub fn add<'a>(
        &mut self,
        analyzer: &TermAnalyzer,
        entries: &dyn Entries,
        id: impl Fn(usize) -> &'a [u8],
        weight: impl Fn(usize) -> f64,
    ) -> Result<()> {
        let partitions = self.blocks.len();
        analyzer.visit_terms(entries, |row, surface, key| {
            let fingerprint = analyzer.fingerprint(key);
            self.entries += 1;
            self.checksums[partition_of(fingerprint, partitions)] += checksum(fingerprint);
            self.recent.push(&TermRecord {
                fingerprint,
                surface: surface.as_bytes(),
                length: key.len() as u32,
                id: if self.fields.ids { id(row) } else { &[] },
                weight: if self.fields.weights { weight(row) } else { 0.0 },
            });
        })?;
        if self.recent.memory() >= RECENT_BYTES {
            self.pack();
        }
        Ok(())
    }

    /// The number of entries that are terms since the last call.
    pub fn take_entries(&mut self) -> u64 {
        std::mem::take(&mut self.entries)
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
        for (block, checksum) in blocks.iter_mut().zip(&mut self.checksums) {
            if !block.is_empty() {
                block.extend_from_slice(&std::mem::take(checksum).to_le_bytes());
            }
        }
        blocks
    }

    fn pack(&mut self) {
        self.recent.pack(&mut self.blocks);
        self.recent.clear();
    }
}
