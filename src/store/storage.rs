//! Where a store keeps its files: a folder, or in tests something that fails on purpose.

use std::any::Any;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::analysis::Normalize;
use crate::error::{Error, Result, StoreProblem};
use crate::index::Index;
use crate::store::manifest;

/// What keeps other writers away as long as it lives.
pub type Lock = Box<dyn Any + Send + Sync>;

/// What distinguishes a file from the one that had its name before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(pub [u64; 4]);

/// The files of a store, by their names.
///
/// What is written may be lost or torn in a crash until it is synced; a name that was given or removed may
/// be lost until [`Storage::sync`] has returned.
pub trait Storage: Send + Sync {
    /// What messages call the storage.
    fn path(&self) -> &Path;
    /// Keeps other writers away.
    fn lock(&self) -> Result<Lock>;
    /// The names of all files.
    fn list(&self) -> io::Result<Vec<String>>;
    /// The content of a file.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;
    /// Opens a file that is an index.
    fn index(&self, name: &str, normalizer: Option<Arc<dyn Normalize>>) -> Result<Index>;
    /// Makes a new file, in place of one that may have its name.
    fn create<'a>(&'a self, name: &str) -> io::Result<Box<dyn Output + 'a>>;
    /// Gives a file another name, in place of the one that may have it, in one step.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Makes the names of files durable.
    fn sync(&self) -> io::Result<()>;
    /// What distinguishes a file from the one that had its name before; None if there is no file.
    fn stamp(&self, name: &str) -> Option<Stamp>;
}

/// A file that is being written.
pub trait Output: Write {
    /// Makes what was written durable.
    fn sync(&mut self) -> io::Result<()>;
}

/// The file that the writer locks, with its process id.
const LOCK: &str = "LOCK";

/// A folder of a local file system.
pub(crate) struct Folder {
    path: PathBuf,
    /// Whether files are read into memory instead of mapped.
    read: bool,
}

impl Folder {
    /// Whether a folder has the files of a store.
    pub(crate) fn is_store(path: &Path) -> bool {
        manifest::NAMES.iter().any(|name| path.join(name).is_file())
    }

    /// The folder of a store that is there.
    pub(crate) fn open(path: &Path, read: bool) -> Result<Folder> {
        let problem = |problem| Error::Store { path: path.into(), problem };
        let found = fs::metadata(path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => problem(StoreProblem::Missing),
            _ => Error::Io { action: "open", path: path.into(), source },
        })?;
        if !found.is_dir() {
            return Err(problem(StoreProblem::NotAFolder));
        }
        match Folder::is_store(path) {
            true => Ok(Folder { path: absolute(path), read }),
            false => Err(problem(StoreProblem::NotAStore)),
        }
    }

    /// A folder for a new store, or that of a store that is there.
    pub(crate) fn create(path: &Path) -> Result<Folder> {
        let problem = |problem| Error::Store { path: path.into(), problem };
        let error = |source| Error::Io { action: "create", path: path.into(), source };
        match fs::create_dir(path) {
            Ok(()) => {
                // The name of the folder is durable when the folder around it is.
                let around = absolute(path);
                if let Some(around) = around.parent() {
                    File::open(around).and_then(|folder| folder.sync_all()).map_err(error)?;
                }
            }
            Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {
                if !path.is_dir() {
                    return Err(problem(StoreProblem::NotAFolder));
                }
                // What a creation that was killed has left is not in the way.
                let folder = Folder { path: path.into(), read: false };
                let others = folder.list().map_err(error)?;
                let is_ours = |name: &String| name == LOCK || manifest::is_file_of_store(name);
                if !Folder::is_store(path) && !others.iter().all(is_ours) {
                    return Err(problem(StoreProblem::NotAStore));
                }
            }
            Err(source) => return Err(error(source)),
        }
        Ok(Folder { path: absolute(path), read: false })
    }
}

/// A path that stays valid when the current folder changes.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

/// A file of a folder that is being written.
struct Written {
    file: File,
    /// The time that the file gets, so that no manifest has that of another.
    modified: Option<SystemTime>,
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Output for Written {
    fn sync(&mut self) -> io::Result<()> {
        if let Some(modified) = self.modified {
            self.file.set_modified(modified)?;
        }
        self.file.sync_all()
    }
}

impl Storage for Folder {
    fn path(&self) -> &Path {
        &self.path
    }

    fn lock(&self) -> Result<Lock> {
        let path = self.path.join(LOCK);
        let error = |source| Error::Io { action: "lock", path: path.clone(), source };
        let mut options = OpenOptions::new();
        let opened = options.read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(error)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                let _ = file.read_to_string(&mut text);
                let problem = StoreProblem::Locked { process: text.trim().parse().ok() };
                return Err(Error::Store { path: self.path.clone(), problem });
            }
            Err(TryLockError::Error(source)) => return Err(error(source)),
        }
        file.set_len(0).map_err(error)?;
        file.rewind().map_err(error)?;
        writeln!(file, "{}", std::process::id()).map_err(error)?;
        Ok(Box::new(file))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            // No name of ours is anything but text.
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }

    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.path.join(name))
    }

    fn index(&self, name: &str, normalizer: Option<Arc<dyn Normalize>>) -> Result<Index> {
        Index::open(&self.path.join(name), self.read, normalizer)
    }

    fn create<'a>(&'a self, name: &str) -> io::Result<Box<dyn Output + 'a>> {
        let file = File::create(self.path.join(name))?;
        let modified = (name == manifest::NEW).then(|| {
            let times = manifest::NAMES.iter().filter_map(|name| {
                fs::metadata(self.path.join(name)).and_then(|found| found.modified()).ok()
            });
            let later = times.map(|time| time + Duration::from_micros(1));
            later.fold(SystemTime::now(), SystemTime::max)
        });
        Ok(Box::new(Written { file, modified }))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    fn sync(&self) -> io::Result<()> {
        File::open(&self.path)?.sync_all()
    }

    fn stamp(&self, name: &str) -> Option<Stamp> {
        let found = fs::metadata(self.path.join(name)).ok()?;
        let modified = found.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some(Stamp([file_number(&found), found.len(), modified.as_nanos() as u64, 0]))
    }
}

/// A number that the system gives a file, where it does.
fn file_number(found: &fs::Metadata) -> u64 {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::ino(found)
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        0
    }
}
