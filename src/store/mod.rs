//! A vocabulary that changes: a folder of indexes, of which every commit makes a new generation.
//!
//! Each index, a *segment*, has the rows of some of the terms, with the terms' ids as its own ids. A manifest
//! lists the segments of a generation. The segments are of *tiers*: the first tier has the rows that were
//! changed last and is written again by every commit; when it is full it moves into the next one, which can
//! hold sixteen times as many. So a commit writes little, and a question asks few segments.
//!
//! A row is never changed: a term that is removed or changed gets an entry in the list of the *hidden*, which
//! says in which tier the row of an id is live, if any is. It is kept by id, so that merging segments and
//! hiding rows do not depend on which of them comes first.
//!
//! What is published is never changed either. A commit writes new files, syncs them, and replaces the older of
//! two manifests by a rename; so the newer one and all that it lists stay whatever happens. Opening a
//! store *is* its recovery: the newest manifest that holds with all of its files is the store.

mod commit;
mod gather;
mod hidden;
mod manifest;
mod merge;
mod pending;
mod rows;
mod segment;
mod settings;
mod snapshot;
pub(crate) mod storage;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::analysis::Options;
use crate::error::{Error, Result, StoreProblem};
use crate::store::snapshot::{Opened, open_newest};
use crate::store::storage::{Folder, Stamp, Storage};
use crate::store::writer::Writer;

pub use crate::store::gather::About;
pub use crate::store::merge::{Answer, Answers};
pub use crate::store::pending::Addition;
pub use crate::store::settings::StoreOptions;
pub use crate::store::snapshot::Snapshot;

/// A vocabulary that changes.
pub struct Store {
    storage: Arc<dyn Storage>,
    options: StoreOptions,
    current: RwLock<Current>,
    /// Who may change the store, if this is its writer.
    writer: Option<Mutex<Writer>>,
    /// The process that opened the store: a forked one must not write.
    process: u32,
    /// What was wrong with the newest manifest, if an older one had to be used.
    warning: Option<String>,
}

/// The generation that questions are put to.
struct Current {
    snapshot: Arc<Snapshot>,
    /// The manifest that the next commit replaces, as it was before the snapshot was read.
    next: Option<Stamp>,
}

impl Store {
    /// Creates an empty store in a folder that does not exist or is empty, and opens it for writing.
    pub fn create(path: &Path, analysis: &Options, options: StoreOptions) -> Result<Store> {
        let storage: Arc<dyn Storage> = Arc::new(Folder::create(path)?);
        Store::create_in(storage, analysis, options)
    }

    /// Opens a store for writing. There is one writer at a time.
    pub fn write(path: &Path, options: StoreOptions) -> Result<Store> {
        Store::write_in(Arc::new(Folder::open(path, false)?), options)
    }

    /// Opens a store for reading; `read` reads its files into memory instead of mapping them.
    pub fn read(path: &Path, read: bool, options: StoreOptions) -> Result<Store> {
        Store::read_in(Arc::new(Folder::open(path, read)?), options)
    }

    /// Whether a folder is a store.
    pub fn is_store(path: &Path) -> bool {
        Folder::is_store(path)
    }

    /// [`Store::create`] in any storage.
    #[doc(hidden)]
    pub fn create_in(
        storage: Arc<dyn Storage>,
        analysis: &Options,
        options: StoreOptions,
    ) -> Result<Store> {
        analysis.validate()?;
        let lock = storage.lock()?;
        let opened = match open_newest(storage.as_ref(), &options, None) {
            Err(Error::Store { problem: StoreProblem::NotAStore, .. }) => {
                commit::write_first(storage.as_ref(), analysis, &options)?;
                open_newest(storage.as_ref(), &options, None)?
            }
            // Another process was faster, or the store was there.
            opened => opened?,
        };
        Store::writing(storage, options, opened, lock)
    }

    /// [`Store::write`] in any storage.
    #[doc(hidden)]
    pub fn write_in(storage: Arc<dyn Storage>, options: StoreOptions) -> Result<Store> {
        let lock = storage.lock()?;
        let opened = open_newest(storage.as_ref(), &options, None)?;
        Store::writing(storage, options, opened, lock)
    }

    /// [`Store::read`] in any storage.
    #[doc(hidden)]
    pub fn read_in(storage: Arc<dyn Storage>, options: StoreOptions) -> Result<Store> {
        let opened = open_newest(storage.as_ref(), &options, None)?;
        Ok(Store::with(storage, options, opened, None))
    }

    fn writing(
        storage: Arc<dyn Storage>,
        options: StoreOptions,
        opened: Opened,
        lock: storage::Lock,
    ) -> Result<Store> {
        let writer = Writer::new(storage.clone(), &options, &opened, lock)?;
        Ok(Store::with(storage, options, opened, Some(writer)))
    }

    fn with(
        storage: Arc<dyn Storage>,
        options: StoreOptions,
        opened: Opened,
        writer: Option<Writer>,
    ) -> Store {
        let Opened { snapshot, next, warning } = opened;
        Store {
            storage,
            options,
            current: RwLock::new(Current { snapshot: Arc::new(snapshot), next }),
            writer: writer.map(Mutex::new),
            process: std::process::id(),
            warning,
        }
    }

    /// Whether this is the writer of the store.
    pub fn is_writer(&self) -> bool {
        self.writer.is_some()
    }

    /// Whether this is a writer that neither failed nor was closed.
    pub fn is_open(&self) -> bool {
        self.with_writer(|_, _| Ok(())).is_ok()
    }

    /// What was wrong with the newest manifest, if an older one had to be used.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// The newest generation: for a reader the one that was committed last, for the writer its own last one.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>> {
        let (snapshot, next) = {
            let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
            (current.snapshot.clone(), current.next)
        };
        if self.writer.is_some() {
            return Ok(snapshot);
        }
        let name = manifest::name(snapshot.generation() + 1);
        if self.storage.stamp(name) == next {
            return Ok(snapshot);
        }
        let opened = open_newest(self.storage.as_ref(), &self.options, Some(&snapshot))?;
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if opened.snapshot.generation() > current.snapshot.generation() {
            current.snapshot = Arc::new(opened.snapshot);
            current.next = opened.next;
        } else if opened.snapshot.generation() == current.snapshot.generation() {
            current.next = opened.next;
        }
        Ok(current.snapshot.clone())
    }

    /// Calls `work` with the writer. If that fails for want of a file, the writer is closed.
    fn with_writer<T>(
        &self,
        work: impl FnOnce(&mut Writer, &Arc<Snapshot>) -> Result<T>,
    ) -> Result<T> {
        let Some(writer) = &self.writer else {
            return Err(self.problem(StoreProblem::ReadOnly));
        };
        if std::process::id() != self.process {
            return Err(self.problem(StoreProblem::Forked { process: self.process }));
        }
        let mut writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        writer.check_open(self.storage.path())?;
        // Only now: another thread may have committed in the meantime.
        let snapshot = self.snapshot()?;
        work(&mut writer, &snapshot)
    }

    fn problem(&self, problem: StoreProblem) -> Error {
        Error::Store { path: self.storage.path().into(), problem }
    }

    /// Adds terms, or sets what is given of those that are there; the ids, None for what has no token.
    /// Either all of them are accepted or none.
    pub fn add(&self, addition: &Addition) -> Result<Vec<Option<u32>>> {
        self.with_writer(|writer, snapshot| writer.add(snapshot, addition))
    }

    /// The id of a term, with the changes that are not committed.
    pub fn id(&self, term: &str) -> Result<Option<u32>> {
        self.with_writer(|writer, snapshot| writer.find(snapshot, term))
    }

    /// Removes terms. If one of them is not there, none is removed, and its place is returned.
    pub fn remove(&self, terms: &[&str]) -> Result<std::result::Result<usize, usize>> {
        self.with_writer(|writer, snapshot| writer.remove(snapshot, terms))
    }

    /// The number of changes that are not committed.
    pub fn pending(&self) -> Result<usize> {
        self.with_writer(|writer, _| Ok(writer.pending()))
    }

    /// Drops the changes that are not committed.
    pub fn rollback(&self) -> Result<()> {
        self.with_writer(|writer, _| {
            writer.rollback();
            Ok(())
        })
    }

    /// Makes all changes durable and visible, in one step; the generation that has them.
    pub fn commit(&self) -> Result<u64> {
        self.publish(false)
    }

    /// Commits, and merges all segments into one without hidden rows.
    pub fn compact(&self) -> Result<u64> {
        self.publish(true)
    }

    fn publish(&self, whole: bool) -> Result<u64> {
        self.with_writer(|writer, snapshot| {
            let Some(new) = writer.commit(snapshot, whole)? else {
                return Ok(snapshot.generation());
            };
            let generation = new.generation();
            let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
            current.snapshot = Arc::new(new);
            Ok(generation)
        })
    }

    /// Lets another process write. Changes that are not committed are dropped.
    pub fn close(&self) {
        if let Some(writer) = &self.writer {
            writer.lock().unwrap_or_else(PoisonError::into_inner).close();
        }
    }
}
