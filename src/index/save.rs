//! Saving an index.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};
use crate::index::Index;
use crate::index::format::{ALIGN, padded};

impl Index {
    /// Writes the index, in the format of its file.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        out.write_all(&self.head())?;
        for section in self.sections() {
            out.write_all(section)?;
            out.write_all(&[0; ALIGN][..padded(section.len()) - section.len()])?;
        }
        Ok(())
    }

    /// Saves the index. The file is written beside its target, synced, and renamed; so the target is
    /// the old file or the new one, whatever happens in between, and who has the old one open keeps it.
    pub fn save(&self, path: &Path) -> Result<()> {
        let error = |source| Error::Io { action: "save", path: path.into(), source };
        // What a symbolic link points to is replaced, not the link.
        let link = || path.parent().map(|folder| fs::read_link(path).map(|to| folder.join(to)));
        let target = match fs::canonicalize(path) {
            Ok(target) => target,
            // It points to a file that is not there yet.
            Err(_) => link().and_then(io::Result::ok).unwrap_or_else(|| path.into()),
        };
        if target.exists() && !target.is_file() {
            return Err(error(io::Error::other("it exists and is not a file")));
        }
        let folder = match target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let beside = Beside::new(&folder).map_err(error)?;
        self.write(&beside.file).map_err(error)?;
        beside.file.sync_all().map_err(error)?;
        beside.replace(&target).map_err(error)?;
        sync_folder(&folder).map_err(error)
    }
}

/// Makes the names in a folder durable. Some systems cannot sync a folder: they say that it is no file for
/// that.
fn sync_folder(folder: &Path) -> io::Result<()> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    let cannot = [io::ErrorKind::InvalidInput, io::ErrorKind::Unsupported];
    match synced {
        Err(error) if cannot.contains(&error.kind()) || cfg!(windows) => Ok(()),
        synced => synced,
    }
}

/// A new file beside its target, removed unless it replaces it.
struct Beside {
    path: PathBuf,
    file: File,
    replaced: bool,
}

/// The names of new files begin and end like this.
const NEW: [&str; 2] = [".termnest-save-", ".tmp"];

impl Beside {
    fn new(folder: &Path) -> io::Result<Beside> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        remove_abandoned(folder);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}{}-{number}{}", NEW[0], std::process::id(), NEW[1]);
            let path = folder.join(name);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    // Where files cannot be locked, those of killed processes stay.
                    let is_ours = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
                    let beside = Beside { path, file, replaced: !is_ours };
                    // Another process may have taken the file for abandoned before it was locked.
                    if is_ours && beside.path.exists() {
                        return Ok(beside);
                    }
                }
                // A process with the same number was killed and left it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            }
        }
    }

    fn replace(mut self, target: &Path) -> io::Result<()> {
        if let Ok(old) = fs::metadata(target) {
            self.file.set_permissions(old.permissions())?;
        }
        fs::rename(&self.path, target)?;
        self.replaced = true;
        Ok(())
    }
}

/// Removes files that processes left which were killed while they saved: those that nobody has locked.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_new =
            name.to_str().is_some_and(|name| name.starts_with(NEW[0]) && name.ends_with(NEW[1]));
        if is_new
            && let Ok(file) = OpenOptions::new().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.replaced {
            let _ = fs::remove_file(&self.path);
        }
    }
}
