//! The files of a commit, in the order in which they become durable.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::analysis::Options;
use crate::arrays::columns::Kind;
use crate::build::{Build, List, UserColumns, Values};
use crate::error::{Error, Result};
use crate::index::Index;
use crate::store::hidden::Hidden;
use crate::store::manifest::{self, ListedHidden, ListedSegment, Manifest};
use crate::store::settings::StoreOptions;
use crate::store::storage::Storage;

/// Writes the first generation of a store, which is empty.
pub(super) fn write_first(
    storage: &dyn Storage,
    analysis: &Options,
    options: &StoreOptions,
) -> Result<()> {
    let columns = Arc::new(UserColumns { columns: Vec::new(), ids: Some(Values::of(Kind::Ints)) });
    let normalizer = options.normalizer.clone();
    let build = Build { options: analysis.clone(), normalizer, columns, ..Build::default() };
    let index = build.index(&List::default(), None)?;
    let mut manifest = Manifest { generation: 1, ..Manifest::default() };
    let commit = Commit { storage, generation: 1 };
    let listed = commit.segment(0, 0, &index).map_err(|error| commit.error(error))?;
    manifest.segments.push(listed);
    commit.publish(&manifest).map_err(|error| commit.error(error))
}

/// Why a commit failed.
pub(super) enum Failure {
    /// The system refused something, with a file.
    Io(&'static str, String, std::io::Error),
    Error(Error),
}

/// The files of one commit.
pub(super) struct Commit<'a> {
    pub(super) storage: &'a dyn Storage,
    pub(super) generation: u64,
}

impl Commit<'_> {
    /// Writes a segment.
    pub(super) fn segment(
        &self,
        number: usize,
        tier: u8,
        index: &Index,
    ) -> std::result::Result<ListedSegment, Failure> {
        let file = manifest::segment_name(self.generation, number);
        let failure = |error| Failure::Io("write", file.clone(), error);
        let mut output = self.storage.create(&file).map_err(failure)?;
        index.write(&mut output).map_err(failure)?;
        output.sync().map_err(failure)?;
        drop(output);
        let (bytes, checksum) = (index.stats().file_bytes, index.checksum());
        Ok(ListedSegment { tier, file, bytes, checksum, rows: index.len() as u64 })
    }

    /// Writes the hidden rows, if there are any.
    pub(super) fn hidden(
        &self,
        hidden: &Hidden,
    ) -> std::result::Result<Option<ListedHidden>, Failure> {
        if hidden.is_empty() {
            return Ok(None);
        }
        let file = manifest::hidden_name(self.generation);
        let bytes = hidden.to_bytes();
        self.file(&file, &bytes)?;
        Ok(Some(ListedHidden { file, bytes: bytes.len() as u64, checksum: xxh3_64(&bytes) }))
    }

    fn file(&self, name: &str, bytes: &[u8]) -> std::result::Result<(), Failure> {
        let failure = |error| Failure::Io("write", name.into(), error);
        let mut output = self.storage.create(name).map_err(failure)?;
        output.write_all(bytes).map_err(failure)?;
        output.sync().map_err(failure)
    }

    /// Publishes a generation all of whose files are written.
    pub(super) fn publish(&self, manifest: &Manifest) -> std::result::Result<(), Failure> {
        self.file(manifest::NEW, manifest.to_text().as_bytes())?;
        let sync = || {
            let failure = |error| Failure::Io("sync", ".".into(), error);
            self.storage.sync().map_err(failure)
        };
        // The names of the files are durable before the manifest that lists them is.
        sync()?;
        let name = manifest::name(self.generation);
        let failure = |error| Failure::Io("rename", name.into(), error);
        self.storage.rename(manifest::NEW, name).map_err(failure)?;
        sync()
    }

    /// The error of a failed commit.
    pub(super) fn error(&self, failure: Failure) -> Error {
        match failure {
            Failure::Io(action, file, source) => {
                let path = match &*file {
                    "." => self.storage.path().into(),
                    file => self.storage.path().join(file),
                };
                Error::Io { action, path, source }
            }
            Failure::Error(error) => error,
        }
    }
}
