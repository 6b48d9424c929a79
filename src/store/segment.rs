//! A segment: an index of some of the rows of a store, whose own ids are the ids of the terms.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::analysis::Spaces;
use crate::arrays::columns::{Kind, Value};
use crate::error::{Error, Result};
use crate::index::{Index, TermId};
use crate::store::manifest::ListedSegment;

/// An index of some of the rows.
pub(crate) struct Segment {
    pub(crate) index: Arc<Index>,
    pub(crate) listed: ListedSegment,
    /// Which white space separates the words of queries if there are no other segments.
    pub(super) spaces: Spaces,
    /// The aliases of the terms that have some, once they were needed.
    aliases: OnceLock<HashMap<u32, Vec<String>>>,
}

impl Segment {
    /// An opened file as the segment that the manifest lists, if it is that.
    pub(super) fn new(index: Index, listed: &ListedSegment) -> Result<Segment> {
        let found = (index.stats().file_bytes, index.checksum(), index.len() as u64);
        if found != (listed.bytes, listed.checksum, listed.rows) {
            return Err(Error::damaged("segment", "it is not the file that the manifest lists"));
        }
        if index.id_kind() != Some(Kind::Ints) {
            return Err(Error::damaged("segment", "it has no ids"));
        }
        let spaces = index.spaces();
        let (index, listed) = (Arc::new(index), listed.clone());
        Ok(Segment { index, listed, spaces, aliases: OnceLock::new() })
    }

    /// The segment with the rule for white space in queries that holds for all segments.
    pub(super) fn with_spaces(&self, spaces: Spaces) -> Result<Segment> {
        let index = Arc::new(self.index.with_spaces(spaces)?);
        let listed = self.listed.clone();
        Ok(Segment { index, listed, spaces: self.spaces, aliases: OnceLock::new() })
    }

    pub(super) fn tier(&self) -> u8 {
        self.listed.tier
    }

    /// The id of a row.
    #[inline]
    pub(super) fn id(&self, row: TermId) -> Result<u32> {
        id_of(&self.index, row)
    }

    /// The row of an id, if the segment has one.
    pub(super) fn row(&self, id: u32) -> Result<Option<TermId>> {
        self.index.term_with_id(&Value::Int(id.into()))
    }

    /// The aliases of a row's term.
    pub(super) fn aliases_of(&self, row: TermId) -> Result<&[String]> {
        if self.index.stats().aliases == 0 {
            return Ok(&[]);
        }
        let aliases = match self.aliases.get() {
            Some(aliases) => aliases,
            None => {
                let mut found: HashMap<u32, Vec<String>> = HashMap::new();
                for (id, alias) in self.index.aliases()? {
                    found.entry(id.0).or_default().push(alias);
                }
                self.aliases.get_or_init(|| found)
            }
        };
        Ok(aliases.get(&row.0).map_or(&[], |aliases| &aliases[..]))
    }
}

/// The id of a row of an index whose own ids are those of a store.
#[inline]
pub(super) fn id_of(index: &Index, row: TermId) -> Result<u32> {
    let Some(ids) = index.own_ids() else { return Err(Error::out_of_range("ids")) };
    match ids.column.value(row.0 as usize)? {
        Value::Int(id) if (0..i64::from(u32::MAX)).contains(&id) => Ok(id as u32),
        _ => Err(Error::out_of_range("ids")),
    }
}
