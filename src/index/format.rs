//! The index file: write, open, check. FORMAT.md describes it byte by byte.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use crate::analysis::{Normalize, Options, Spaces, Tokenizer};
use crate::arrays::array::{Array, Bytes, Number, Read};
use crate::arrays::bits::{self, Bits};
use crate::arrays::dictionary::{self, Dictionary, Layout};
use crate::arrays::filter::Filter;
use crate::arrays::packed::Packed;
use crate::arrays::strings::Strings;
use crate::arrays::{Arrays, Meta, SECOND_TOKEN_STEPS};
use crate::build::entries::cut_evenly;
use crate::build::pipeline::{pack, seconds, wholes};
use crate::build::suffixes::{self, Sorted, Tokens, bucket_starts};
use crate::error::{Error, Result};
use crate::index::key::Forms;
use crate::index::{Index, TermId};
use crate::progress::Progress;
use crate::threads::{run, threads_or_all};

/// The version of the format that is written, and the newest that is read.
pub(crate) const VERSION: u32 = 4;
/// The first bytes of an index. Not text, and damaged by whatever changes line ends.
pub(crate) const MAGIC: [u8; 8] = *b"\x89NEST\r\n\x1a";
/// The bytes of the head, the table of sections included.
const HEAD: usize = 1024;
/// Sections begin at multiples of this.
const ALIGN: usize = 64;
/// The sections, in the order in which they stand in the file.
const SECTIONS: [&str; 22] = [
    "separator",
    "token records",
    "token directory",
    "token order",
    "keys",
    "border bits",
    "border ranks",
    "border samples",
    "suffixes",
    "second tokens of every 128th slot",
    "second tokens of every eighth slot",
    "whole bits",
    "whole ranks",
    "whole samples",
    "openings",
    "enclosed phrases",
    "weights",
    "surface bytes",
    "surface start bits",
    "surface start ranks",
    "surface start samples",
    "surface slots",
];
/// Where the table of sections begins in the head; an entry has 20 bytes.
const TABLE: usize = 104;
const TABLE_ENTRY: usize = 20;

const LOWERCASE: u8 = 1;
const STRIP_ACCENTS: u8 = 2;
const NORMALIZED: u8 = 4;
const SPACES: u8 = 8;
const SEPARATOR: u8 = 16;
const WEIGHTS: u8 = 32;
const SURFACES: u8 = 64;
const BLANKS: u8 = 128;

/// The tokenizers by their number in the file.
const TOKENIZERS: [Tokenizer; 3] = [Tokenizer::Whitespace, Tokenizer::Words, Tokenizer::Chars];

fn padded(length: usize) -> usize {
    length.next_multiple_of(ALIGN)
}

impl Index {
    /// Whether a file that begins with these bytes is an index.
    pub fn is_index(first_bytes: &[u8]) -> bool {
        first_bytes.starts_with(&MAGIC)
    }

    /// The bytes of the sections, in order; those that the index has not are empty.
    fn sections(&self) -> [&[u8]; SECTIONS.len()] {
        let surfaces = self.arrays.surfaces.as_ref();
        [
            self.arrays.meta.options.separator.as_deref().unwrap_or("").as_bytes(),
            self.arrays.tokens.records.as_bytes(),
            self.arrays.tokens.directory.bytes.as_bytes(),
            self.arrays.tokens.alphabet.bytes.as_bytes(),
            self.arrays.keys.bytes.as_bytes(),
            self.arrays.borders.words.as_bytes(),
            self.arrays.borders.ranks.as_bytes(),
            self.arrays.borders.samples.as_bytes(),
            self.arrays.suffixes.bytes.as_bytes(),
            self.arrays.seconds[0].bytes.as_bytes(),
            self.arrays.seconds[1].bytes.as_bytes(),
            self.arrays.wholes.words.as_bytes(),
            self.arrays.wholes.ranks.as_bytes(),
            self.arrays.wholes.samples.as_bytes(),
            self.arrays.openings.words.as_bytes(),
            self.arrays.enclosed.words.as_bytes(),
            self.arrays.weights.as_ref().map_or(&[], |weights| weights.as_bytes()),
            surfaces.map_or(&[], |surfaces| surfaces.bytes.as_bytes()),
            surfaces.map_or(&[], |surfaces| surfaces.starts.words.as_bytes()),
            surfaces.map_or(&[], |surfaces| surfaces.starts.ranks.as_bytes()),
            surfaces.map_or(&[], |surfaces| surfaces.starts.samples.as_bytes()),
            surfaces.map_or(&[], |surfaces| surfaces.slots.bytes.as_bytes()),
        ]
    }

    /// The size of the index as a file.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.sections().iter().map(|section| padded(section.len()) as u64).sum::<u64>()
            + HEAD as u64
    }

    fn head(&self) -> [u8; HEAD] {
        let mut head = [0u8; HEAD];
        let mut put = |at: usize, bytes: &[u8]| head[at..at + bytes.len()].copy_from_slice(bytes);
        let Meta { options, .. } = &self.arrays.meta;
        let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
        let tokenizer = TOKENIZERS.iter().position(|&t| t == options.tokenizer).unwrap_or(0);
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(
            12,
            &[
                tokenizer as u8,
                flag(options.lowercase, LOWERCASE)
                    | flag(options.strip_accents, STRIP_ACCENTS)
                    | flag(self.arrays.meta.normalized, NORMALIZED)
                    | flag(self.arrays.meta.spaces == Spaces::All, SPACES)
                    | flag(self.arrays.meta.spaces == Spaces::Ascii, BLANKS)
                    | flag(options.separator.is_some(), SEPARATOR)
                    | flag(self.arrays.weights.is_some(), WEIGHTS)
                    | flag(self.arrays.surfaces.is_some(), SURFACES),
            ],
        );
        put(16, &self.file_bytes().to_le_bytes());
        put(24, &(self.len() as u64).to_le_bytes());
        put(32, &(self.arrays.keys.len() as u64).to_le_bytes());
        put(40, &(self.arrays.tokens.len() as u64).to_le_bytes());
        put(48, &u64::from(self.arrays.meta.longest).to_le_bytes());
        put(56, &self.arrays.meta.skipped.to_le_bytes());
        put(64, &self.arrays.meta.duplicates.to_le_bytes());
        put(72, &self.arrays.tokens.seed.to_le_bytes());
        put(80, &(self.arrays.tokens.directory.len() as u64 - 1).to_le_bytes());
        let surfaces = self.arrays.surfaces.as_ref();
        put(88, &surfaces.map_or(0, |surfaces| surfaces.seed).to_le_bytes());
        put(96, &surfaces.map_or(0, |surfaces| surfaces.slots.len() as u64).to_le_bytes());
        let mut offset = HEAD;
        for (i, section) in self.sections().iter().enumerate() {
            let at = TABLE + i * TABLE_ENTRY;
            put(at, &(offset as u64).to_le_bytes());
            put(at + 8, &(section.len() as u64).to_le_bytes());
            put(at + 16, &section_checksum(section).to_le_bytes());
            offset += padded(section.len());
        }
        let checksum = crc32c::crc32c(&head[..HEAD - 4]);
        head[HEAD - 4..].copy_from_slice(&checksum.to_le_bytes());
        head
    }

    /// Writes the index, as it stands in a file.
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
        // The name is durable when its folder is. Not every system can sync a folder: the file is
        // in place all the same.
        if let Ok(folder) = File::open(&folder) {
            let _ = folder.sync_all();
        }
        Ok(())
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
        // Before mapping, so that a file that is no index is not even mapped.
        check_head(&head[..length], metadata.len())?;
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
            // do not change the file in place is the caller's part, told in the documentation.
            Arc::new(unsafe { memmap2::Mmap::map(&file) }.map_err(error)?)
        };
        Index::from_shared(bytes, normalizer)
    }

    /// An index from the bytes of its file.
    pub fn from_bytes(bytes: &[u8], normalizer: Option<Arc<dyn Normalize>>) -> Result<Index> {
        check_head(&bytes[..bytes.len().min(HEAD)], bytes.len() as u64)?;
        let mut whole = Read::new(bytes.len());
        whole.bytes_mut().copy_from_slice(bytes);
        Index::from_shared(Arc::new(whole), normalizer)
    }

    fn from_shared(bytes: Arc<dyn Bytes>, normalizer: Option<Arc<dyn Normalize>>) -> Result<Index> {
        let whole = bytes.bytes();
        let head = check_head(&whole[..whole.len().min(HEAD)], whole.len() as u64)?;
        if head.has(NORMALIZED) != normalizer.is_some() {
            return Err(Error::Normalizer { needed: head.has(NORMALIZED) });
        }
        let separator = match head.has(SEPARATOR) {
            false => None,
            true => {
                let text = whole.get(head.sections[0].0..head.sections[0].0 + head.sections[0].1);
                let text = text.and_then(|text| std::str::from_utf8(text).ok());
                Some(text.ok_or_else(|| Error::out_of_range(SECTIONS[0]))?.to_string())
            }
        };
        let sections = Sections { bytes: &bytes, head: &head };
        let tokens = head.count(32)?;
        let distinct = head.count(40)?;
        let terms = head.count(24)?;
        let dictionary = sections.dictionary(1, distinct, head.number(72), head.slots(80)?)?;
        let end = dictionary.end() as usize;
        let arrays = Arrays {
            tokens: dictionary,
            keys: sections.packed(4, tokens, end)?,
            borders: sections.bits(5, tokens + 1, terms + 1)?,
            suffixes: sections.packed(8, tokens, tokens)?,
            seconds: [
                sections.packed(9, tokens.div_ceil(SECOND_TOKEN_STEPS[0]), end)?,
                sections.packed(10, tokens.div_ceil(SECOND_TOKEN_STEPS[1]), end)?,
            ],
            wholes: sections.bits(11, tokens + 1, terms)?,
            openings: Filter { words: sections.array(14, None)? },
            enclosed: Filter { words: sections.array(15, None)? },
            weights: match head.has(WEIGHTS) {
                true => Some(sections.array(16, Some(terms))?),
                false => None,
            },
            surfaces: match head.has(SURFACES) {
                true => Some(sections.strings(17, terms, head.number(88), head.slots(96)?)?),
                false => None,
            },
            meta: Meta {
                options: Options {
                    tokenizer: head.tokenizer,
                    separator,
                    lowercase: head.has(LOWERCASE),
                    strip_accents: head.has(STRIP_ACCENTS),
                },
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
            },
        };
        let index =
            Index { arrays, normalizer, file: Some(bytes.clone()), fingerprint: OnceLock::new() };
        let derived = index.arrays.meta.options.surface_is_key(index.arrays.meta.normalized);
        if derived == index.arrays.surfaces.is_some()
            || index.arrays.meta.options.validate().is_err()
        {
            return Err(Error::damaged("head", "its facts contradict each other"));
        }
        Ok(index)
    }

    /// Reads every byte: the checksums, and whether the arrays are those that a build makes of the
    /// terms. An index that passes gives right answers, wherever it comes from.
    pub fn check(&self, threads: Option<usize>) -> Result<()> {
        let threads = threads_or_all(threads);
        if let Some(file) = &self.file {
            check_sections(file.bytes())?;
        }
        let damaged = |part, problem: &str| Err(Error::damaged(part, problem));
        let (terms, tokens) = (self.len(), self.arrays.keys.len());

        let Distinct { text, lengths: token_lengths, layout } = self.check_tokens()?;
        let mut numbers = vec![u32::MAX; self.arrays.tokens.end() as usize];
        for (number, &id) in (0..self.arrays.tokens.len() as u32).zip(&layout.ids) {
            numbers[id as usize] = number;
        }
        let number = |&id: &u32| numbers.get(id as usize).copied().unwrap_or(u32::MAX);
        let keys = self.arrays.keys.to_vec();
        let numbers: Vec<u32> = keys.iter().map(number).collect();
        if numbers.contains(&u32::MAX) {
            return damaged("keys", "a term has a token that does not exist");
        }

        let mut lengths = Vec::with_capacity(terms);
        let mut start = 0;
        for _ in 0..terms {
            let end = self.arrays.borders.after(start)?;
            lengths.push(end - start);
            start = end;
        }
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let borders = suffixes::borders(lengths.iter().copied(), start);
        if start != tokens || longest != self.arrays.meta.longest as usize {
            return damaged("borders", "the terms do not have the length that the head tells");
        }
        if longest > crate::MAX_TERM_TOKENS || self.arrays.borders != Bits::new(borders.clone()) {
            return damaged("borders", "they are not those of the terms");
        }

        let buckets = bucket_starts(&numbers, self.arrays.tokens.len());
        let anew = Dictionary::new(&text, &token_lengths, &layout, &buckets);
        if self.arrays.tokens.seed != anew.seed
            || self.arrays.tokens.records[..] != anew.records[..]
            || self.arrays.tokens.directory.bytes[..] != anew.directory.bytes[..]
            || self.arrays.tokens.alphabet.bytes[..] != anew.alphabet.bytes[..]
        {
            return damaged("tokens", "their records are not what they should be");
        }
        if buckets.windows(2).any(|pair| pair[0] == pair[1]) {
            return damaged("tokens", "one stands in no term");
        }
        let progress = Progress::default();
        let sorted_tokens = Tokens { keys: &keys, borders: &borders };
        let dealt = suffixes::deal(&numbers, &buckets);
        let Sorted { suffixes, equal_terms, .. } =
            suffixes::sort(sorted_tokens, &buckets, dealt, threads, &progress)?;
        if self.arrays.suffixes.bytes[..] != pack(&suffixes, tokens).bytes[..] {
            return damaged("suffixes", "they are not in order");
        }
        let anew = seconds(sorted_tokens, &suffixes, self.arrays.tokens.end());
        let differ = |(a, b): (&Packed, &Packed)| a.bytes[..] != b.bytes[..];
        if self.arrays.seconds.iter().zip(&anew).any(differ) {
            return damaged("second tokens", "they are not those of the suffixes");
        }
        if self.arrays.wholes != Bits::new(wholes(&suffixes, &borders)) {
            return damaged("wholes", "they are not those of the terms");
        }
        let openings = Filter::of_openings(&keys, &borders);
        let enclosed = Filter::of_enclosed(&keys, &borders);
        if self.arrays.openings.words[..] != openings.words[..]
            || self.arrays.enclosed.words[..] != enclosed.words[..]
        {
            return damaged("filters", "they are not those of the terms");
        }
        if let Some(weights) = &self.arrays.weights
            && weights.iter().any(|weight| !weight.is_finite() || weight.is_sign_negative())
        {
            return damaged("weights", "one is not a number of zero or more");
        }
        if self.arrays.surfaces.is_none() && !equal_terms.is_empty() {
            return damaged("keys", "two terms are equal");
        }
        if let Some(surfaces) = &self.arrays.surfaces {
            check_strings(surfaces, "surfaces")?;
        }
        let surfaces = self.arrays.surfaces.as_ref().map(|surfaces| &surfaces.bytes[..]);
        let spaces = self.arrays.meta.options.white_space_separates(surfaces, &text, longest > 1);
        if self.arrays.meta.spaces != spaces {
            return damaged("head", "it is wrong about the white space in terms");
        }
        let parts = cut_evenly(terms, threads * 4);
        run(threads, parts, |ids| ids.into_iter().try_for_each(|id| self.check_term(id)))?;
        if let Some(file) = &self.file
            && file.bytes().get(..HEAD) != Some(&self.head()[..])
        {
            return damaged("head", "it is not the one that belongs to the terms");
        }
        Ok(())
    }

    /// The checksum of the head of the file that the index was opened from; it covers all others.
    pub fn checksum(&self) -> Option<u32> {
        let head = self.file.as_ref()?.bytes().get(HEAD - 4..HEAD)?;
        Some(u32::from_le_bytes(head.try_into().ok()?))
    }

    /// The checksum that the file of the index has, or would have: two indexes with the same one give
    /// the same answers. That of an index without a file is computed from all of its bytes.
    pub fn fingerprint(&self) -> u32 {
        *self.fingerprint.get_or_init(|| {
            self.checksum().unwrap_or_else(|| {
                let head = self.head();
                u32::from_le_bytes(head[HEAD - 4..].try_into().unwrap_or_default())
            })
        })
    }

    /// Compares every byte of the file that the index was opened from with its checksums: whether it is
    /// as it was written. [`Index::check`] tells more, and takes longer.
    pub fn check_bytes(&self) -> Result<()> {
        self.file.as_ref().map_or(Ok(()), |file| check_sections(file.bytes()))
    }

    /// The distinct tokens, if they are sound.
    fn check_tokens(&self) -> Result<Distinct> {
        let damaged = |problem| Err(Error::damaged("tokens", problem));
        let mut text: Vec<u8> = Vec::new();
        let mut lengths = Vec::with_capacity(self.arrays.tokens.len());
        let mut last: &[u8] = &[];
        for place in 0..self.arrays.tokens.len() {
            let token = self.arrays.tokens.text(self.arrays.tokens.by_alphabet(place)?)?;
            if token.len() > crate::MAX_TERM_BYTES || std::str::from_utf8(token).is_err() {
                return damaged("a text is not UTF-8, or too long");
            }
            // This tells an empty one as well.
            if token <= last {
                return damaged("they are not in order");
            }
            text.extend_from_slice(token);
            lengths.push(token.len() as u32);
            last = token;
        }
        match Layout::new(&text, &lengths, threads_or_all(None)) {
            Ok(layout) if layout.ids[lengths.len()] == self.arrays.tokens.end() => {
                Ok(Distinct { text, lengths, layout })
            }
            _ => damaged("their records are not where they should be"),
        }
    }

    /// Whether the surface of a term is one that a build makes, has the key that is stored for it, and
    /// leads to it. The key cannot be told where a user's own function made it.
    fn check_term(&self, id: usize) -> Result<()> {
        let id = TermId(id as u32);
        let surface = self.surface(id)?;
        if surface.len() > crate::MAX_TERM_BYTES
            || self.arrays.meta.options.surface_of(&surface) != surface
        {
            return Err(Error::damaged("surfaces", "one is not the surface of a term"));
        }
        let key = self.key(self.key_place(id)?)?;
        if self.normalizer.is_none()
            && self.key_of(&surface, Spaces::None, &mut Forms::new())?[..] != key[..]
        {
            return Err(Error::damaged("surfaces", "one does not have the tokens of its term"));
        }
        // Without stored surfaces, the key leads to the term, and no two keys are equal.
        if let Some(surfaces) = &self.arrays.surfaces
            && surfaces.find(surface.as_bytes())? != Some(id.0)
        {
            return Err(Error::damaged("surfaces", "two are equal"));
        }
        Ok(())
    }
}

/// The distinct tokens of an index in the order of their texts, one after the other, their lengths, and
/// where they stand.
struct Distinct {
    text: Vec<u8>,
    lengths: Vec<u32>,
    layout: Layout,
}

/// Whether the strings are UTF-8 and the rest is what a build makes of them.
fn check_strings(strings: &Strings, part: &'static str) -> Result<()> {
    let mut texts = Vec::with_capacity(strings.len());
    for i in 0..strings.len() {
        texts.push(strings.get(i)?);
    }
    let sound =
        |text: &&[u8]| text.len() <= crate::MAX_TERM_BYTES && std::str::from_utf8(text).is_ok();
    if !texts.iter().all(sound) {
        return Err(Error::damaged(part, "a text is not UTF-8, or too long"));
    }
    let anew = Strings::new(texts.into_iter(), strings.bytes.len());
    if anew.bytes[..] != strings.bytes[..] || anew.starts != strings.starts {
        return Err(Error::damaged(part, "the texts are not where they should be"));
    }
    if anew.seed != strings.seed || anew.slots.bytes[..] != strings.slots.bytes[..] {
        return Err(Error::damaged(part, "the hash table is not that of the texts"));
    }
    Ok(())
}

/// Compares every byte of a file with the checksums in its head.
fn check_sections(bytes: &[u8]) -> Result<()> {
    let head = check_head(&bytes[..bytes.len().min(HEAD)], bytes.len() as u64)?;
    for (i, &(start, length)) in head.sections.iter().enumerate() {
        let at = TABLE + i * TABLE_ENTRY + 16;
        let section = bytes.get(start..start + padded(length));
        let expected = u32::from_le_bytes(head.bytes[at..at + 4].try_into().unwrap_or_default());
        if section.map(crc32c::crc32c) != Some(expected) {
            return Err(Error::damaged(SECTIONS[i], "its checksum is wrong"));
        }
        if section.is_some_and(|section| section[length..].iter().any(|&byte| byte != 0)) {
            return Err(Error::damaged(SECTIONS[i], "something stands between it and the next"));
        }
    }
    Ok(())
}

/// The checksum of a section and the zeros behind it.
fn section_checksum(section: &[u8]) -> u32 {
    let zeros = &[0; ALIGN][..padded(section.len()) - section.len()];
    crc32c::crc32c_append(crc32c::crc32c(section), zeros)
}

/// A file cannot be larger than this.
const MAX_FILE: u64 = i64::MAX as u64;

/// The head of a file, as far as constant time can tell it right.
struct Head {
    bytes: [u8; HEAD],
    tokenizer: Tokenizer,
    /// Where each section begins, and its length in bytes.
    sections: [(usize, usize); SECTIONS.len()],
}

impl Head {
    fn number(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes[at..at + 8].try_into().unwrap_or_default())
    }

    /// A number of tokens or terms.
    fn count(&self, at: usize) -> Result<usize> {
        match self.number(at) {
            count if count <= crate::MAX_TOKENS => Ok(count as usize),
            _ => Err(Error::out_of_range("head")),
        }
    }

    /// The slots of a hash table: less than can be told to overflow anything.
    fn slots(&self, at: usize) -> Result<usize> {
        match self.number(at) {
            slots if slots < 1 << 40 => Ok(slots as usize),
            _ => Err(Error::out_of_range("head")),
        }
    }

    fn has(&self, flag: u8) -> bool {
        self.bytes[13] & flag != 0
    }
}

/// Reads the head of a file of `length` bytes.
fn check_head(bytes: &[u8], length: u64) -> Result<Head> {
    let damaged = |problem: String| Err(Error::Damaged { part: "head", problem });
    if !bytes.starts_with(&MAGIC) {
        // A file cut within its first bytes cannot be told from one that is no index.
        return Err(Error::NotAnIndex);
    }
    let Ok(bytes) = <[u8; HEAD]>::try_from(bytes) else {
        return damaged(format!("the file ends after {length} bytes"));
    };
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default());
    let short = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
    // Before the checksum, whose place another version may have changed.
    if short(8) != VERSION {
        return Err(Error::Version { found: short(8), read: VERSION });
    }
    if short(HEAD - 4) != crc32c::crc32c(&bytes[..HEAD - 4]) {
        return damaged("its checksum is wrong".into());
    }
    if number(16) != length {
        return damaged(format!("the file should have {} bytes and has {length}", number(16)));
    }
    let Some(&tokenizer) = TOKENIZERS.get(bytes[12] as usize) else {
        return damaged("it names an unknown tokenizer".into());
    };
    let mut sections = [(0, 0); SECTIONS.len()];
    let mut expected = HEAD as u64;
    for (i, section) in sections.iter_mut().enumerate() {
        let at = TABLE + i * TABLE_ENTRY;
        let (offset, size) = (number(at), number(at + 8));
        if offset != expected || size > length - offset {
            return damaged(format!("section {} is not where it should be", SECTIONS[i]));
        }
        expected += size.next_multiple_of(ALIGN as u64);
        if expected > length {
            return damaged(format!("section {} goes beyond the end of the file", SECTIONS[i]));
        }
        *section = (offset as usize, size as usize);
    }
    if expected != length {
        return damaged("the sections do not fill the file".into());
    }
    Ok(Head { bytes, tokenizer, sections })
}

const UNEXPECTED_LENGTH: &str = "it does not have the length that the head tells";

struct Sections<'a> {
    bytes: &'a Arc<dyn Bytes>,
    head: &'a Head,
}

impl Sections<'_> {
    /// Section `i` as numbers; there must be `length` of them, if given.
    fn array<T: Number>(&self, i: usize, length: Option<usize>) -> Result<Array<T>> {
        let (offset, size) = self.head.sections[i];
        let found = size / size_of::<T>();
        if size % size_of::<T>() != 0 || length.is_some_and(|length| length != found) {
            return Err(Error::damaged(SECTIONS[i], UNEXPECTED_LENGTH));
        }
        Array::shared(self.bytes, offset, found).ok_or_else(|| Error::out_of_range(SECTIONS[i]))
    }

    /// Section `i` as `length` packed numbers up to `largest`.
    fn packed(&self, i: usize, length: usize, largest: usize) -> Result<Packed> {
        let packed = Packed::from_bytes(self.array(i, None)?, length, largest as u64);
        packed.ok_or_else(|| Error::damaged(SECTIONS[i], UNEXPECTED_LENGTH))
    }

    /// The dictionary of `count` tokens whose sections begin with section `i`.
    fn dictionary(&self, i: usize, count: usize, seed: u64, shares: usize) -> Result<Dictionary> {
        let records: Array<u8> = self.array(i, None)?;
        let end = dictionary::end_of(records.len()) as usize;
        Ok(Dictionary {
            directory: self.packed(i + 1, shares + 1, end)?,
            alphabet: self.packed(i + 2, count, end)?,
            records,
            seed,
        })
    }

    /// The `length` bits with `ones` ones whose sections begin with section `i`.
    fn bits(&self, i: usize, length: usize, ones: usize) -> Result<Bits> {
        let words = bits::words_for(length);
        let bits = Bits {
            words: self.array(i, Some(words))?,
            ranks: self.array(i + 1, Some(bits::ranks_for(64 * words)))?,
            samples: self.array(i + 2, Some(bits::samples_for(ones)))?,
        };
        if bits.ones() == ones { Ok(bits) } else { Err(Error::out_of_range(SECTIONS[i + 1])) }
    }

    /// The strings whose sections begin with section `i`.
    fn strings(&self, i: usize, count: usize, seed: u64, slots: usize) -> Result<Strings> {
        let bytes: Array<u8> = self.array(i, None)?;
        Ok(Strings {
            starts: self.bits(i + 1, bytes.len() + 1, count + 1)?,
            slots: self.packed(i + 4, slots, bytes.len())?,
            bytes,
            seed,
        })
    }
}

/// A new file beside its target, removed unless it replaces it.
struct Beside {
    path: PathBuf,
    file: File,
    replaced: bool,
}

impl Beside {
    fn new(folder: &Path) -> io::Result<Beside> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(".termnest-{}-{number}.tmp", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok(Beside { path, file, replaced: false }),
                // Left behind by a process of the same number that was killed.
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

impl Drop for Beside {
    fn drop(&mut self) {
        if !self.replaced {
            let _ = fs::remove_file(&self.path);
        }
    }
}
