//! Opening a saved index.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;

use crate::analysis::{Case, Language, Normalize, Options, Spaces};
use crate::arrays::array::{Bytes, Read};
use crate::arrays::bits;
use crate::arrays::filter::Filter;
use crate::arrays::{Arrays, Meta, SECOND_TOKEN_STEPS};
use crate::error::{Error, Result};
use crate::index::Index;
use crate::index::format::{
    BLANKS, CASE, FOLD, HEAD, HOMONYMS, HYPHENS, HYPHENS_AT, Head, LANGUAGE, LOWERCASE, MAGIC,
    NORMALIZED, SECTIONS, SEPARATOR, SPACES, STRIP_ACCENTS, Sections, WEIGHTS, parse_head,
};

/// The size limit of files: that of offsets in the system's interface.
const MAX_FILE: u64 = i64::MAX as u64;

impl Index {
    /// Whether a file that begins with these bytes is an index.
    pub fn is_index(first_bytes: &[u8]) -> bool {
        first_bytes.starts_with(&MAGIC)
    }

    /// Opens a saved index: mapped, or with `read` read into memory. Only its head is checked, in
    /// constant time; [`Index::check`] checks all.
    ///
    /// A mapped file must not be changed in place while it is open, as the answers would change with
    /// it, or the process end where the file was cut. Replacing it, as [`Index::save`] does, is safe.
    pub fn open(path: &Path, read: bool, normalizer: Option<Arc<dyn Normalize>>) -> Result<Index> {
        let error = |source| Error::Io { action: "open", path: path.into(), source };
        let mut file = File::open(path).map_err(error)?;
        let metadata = file.metadata().map_err(error)?;
        if metadata.is_dir() {
            return Err(error(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let mut head = [0; HEAD];
        let mut length = 0;
        while length < HEAD {
            match file.read(&mut head[length..]).map_err(error)? {
                0 => break,
                more => length += more,
            }
        }
        // Before mapping: only an index is mapped.
        parse_head(&head[..length], metadata.len())?;
        let bytes: Arc<dyn Bytes> = if read {
            let size =
                usize::try_from(metadata.len()).map_err(|_| Error::Full { limit: MAX_FILE })?;
            let mut whole = Read::new(size);
            let (first, rest) = whole.bytes_mut().split_at_mut(HEAD);
            first.copy_from_slice(&head);
            file.read_exact(rest).map_err(error)?;
            Arc::new(whole)
        } else {
            // SAFETY: the map is only read, and every number in it may have any value. That others
            // do not change the file in place is up to the caller, as the documentation says.
            Arc::new(unsafe { memmap2::Mmap::map(&file) }.map_err(error)?)
        };
        Index::from_shared(bytes, normalizer)
    }

    /// An index from the bytes of its file.
    pub fn from_bytes(bytes: &[u8], normalizer: Option<Arc<dyn Normalize>>) -> Result<Index> {
        parse_head(&bytes[..bytes.len().min(HEAD)], bytes.len() as u64)?;
        let mut whole = Read::new(bytes.len());
        whole.bytes_mut().copy_from_slice(bytes);
        Index::from_shared(Arc::new(whole), normalizer)
    }

    /// Which white space separates the words of queries, beside the separator.
    pub(crate) fn spaces(&self) -> Spaces {
        self.arrays.meta.spaces
    }

    /// Sets which white space separates the words of queries: that which no term of a larger vocabulary
    /// contains.
    pub(crate) fn set_spaces(&mut self, spaces: Spaces) {
        self.arrays.meta.spaces = spaces;
    }

    /// The index of an opened file once more, with another rule for white space in queries.
    pub(crate) fn with_spaces(&self, spaces: Spaces) -> Result<Index> {
        let file = self.file.clone().ok_or_else(|| Error::damaged("head", "there is no file"))?;
        let mut index = Index::from_shared(file, self.normalizer.clone())?;
        index.set_spaces(spaces);
        Ok(index)
    }

    fn from_shared(bytes: Arc<dyn Bytes>, normalizer: Option<Arc<dyn Normalize>>) -> Result<Index> {
        let whole = bytes.bytes();
        let head = parse_head(&whole[..whole.len().min(HEAD)], whole.len() as u64)?;
        if head.has(NORMALIZED) != normalizer.is_some() {
            return Err(Error::Normalizer { needed: head.has(NORMALIZED) });
        }
        let options = saved_options(&head, whole)?;
        let sections = Sections { bytes: &bytes, head: &head };
        let tokens = head.count(32)?;
        let distinct = head.count(40)?;
        let terms = head.count(24)?;
        let (others, aliases, own_tokens) = (head.count(112)?, head.count(120)?, head.count(128)?);
        let names = terms + others;
        if names > tokens || aliases > others || own_tokens > tokens {
            return Err(Error::out_of_range("head"));
        }
        let dictionary = sections.dictionary(1, distinct, head.number(72), head.slots(80)?)?;
        let end = dictionary.end() as usize;
        let arrays = Arrays {
            tokens: dictionary,
            keys: sections.packed(4, tokens, end)?,
            borders: sections.bits(5, tokens + 1, names + 1)?,
            owners: sections.packed(29, others, terms)?,
            capitals: match options.case {
                Case::Smart => Some(sections.array(30, Some(bits::words_for(tokens)))?),
                Case::Same => sections.absent(30..31)?,
            },
            suffixes: sections.packed(8, tokens, tokens)?,
            seconds: [
                sections.packed(9, tokens.div_ceil(SECOND_TOKEN_STEPS[0]), end)?,
                sections.packed(10, tokens.div_ceil(SECOND_TOKEN_STEPS[1]), end)?,
            ],
            wholes: sections.bits(11, tokens + 1, names)?,
            openings: Filter { words: sections.array(14, None)? },
            enclosed: Filter { words: sections.array(15, None)? },
            weights: match head.has(WEIGHTS) {
                true => Some(sections.array(16, Some(terms))?),
                false => None,
            },
            surfaces: sections.surfaces(17, names, tokens)?,
            variants: sections.packed(28, head.count(104)?, terms)?,
            columns: sections.columns(terms)?,
            meta: Meta {
                options,
                normalized: head.has(NORMALIZED),
                spaces: match (head.has(SPACES), head.has(BLANKS)) {
                    (true, _) => Spaces::All,
                    (false, true) => Spaces::Ascii,
                    (false, false) => Spaces::None,
                },
                skipped: head.number(56),
                duplicates: head.number(64),
                longest: match head.number(48) {
                    longest if longest <= crate::MAX_TERM_TOKENS as u64 => longest as u32,
                    _ => return Err(Error::out_of_range("head")),
                },
                terms,
                own_tokens,
                aliases,
                homonyms: head.bytes[14] & HOMONYMS != 0,
            },
        };
        let index = Index::new(arrays, normalizer, Some(bytes.clone()));
        let is_key = index.arrays.meta.options.surface_is_key(index.arrays.meta.normalized);
        if is_key && index.arrays.surfaces.is_some()
            || index.arrays.meta.options.validate().is_err()
        {
            return Err(Error::damaged("head", "its facts contradict each other"));
        }
        Ok(index)
    }
}

/// The analysis options that the head of a file and its first section have.
fn saved_options(head: &Head, whole: &[u8]) -> Result<Options> {
    let unknown = |problem| Error::damaged("head", problem);
    let separator = match head.has(SEPARATOR) {
        false => None,
        true => {
            let (offset, size) = head.sections[0];
            let text = whole.get(offset..offset + size);
            let text = text.and_then(|text| std::str::from_utf8(text).ok());
            Some(text.ok_or_else(|| Error::out_of_range(SECTIONS[0]))?.to_string())
        }
    };
    let language = match &head.bytes[LANGUAGE..LANGUAGE + 2] {
        [0, 0] => None,
        code => {
            let language = std::str::from_utf8(code).ok().and_then(Language::of);
            Some(language.ok_or_else(|| unknown("it names an unknown language"))?)
        }
    };
    let hyphens = HYPHENS.get(head.bytes[HYPHENS_AT] as usize).copied();
    Ok(Options {
        tokenizer: head.tokenizer,
        separator,
        lowercase: head.has(LOWERCASE),
        strip_accents: head.has(STRIP_ACCENTS),
        fold: head.bytes[14] & FOLD != 0,
        language,
        hyphens: hyphens.ok_or_else(|| unknown("it names an unknown treatment of hyphens"))?,
        case: match head.bytes[CASE] {
            0 => Case::Same,
            1 => Case::Smart,
            _ => return Err(unknown("it names an unknown treatment of case")),
        },
    })
}
