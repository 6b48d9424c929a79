//! The version, the head and the sections of the index file; `save.rs`, `open.rs` and `check.rs` use them.
//! FORMAT.md describes the file byte by byte.

use std::ops::Range;
use std::sync::Arc;

use crate::analysis::{Case, Hyphens, Language, Spaces, Tokenizer};
use crate::arrays::Meta;
use crate::arrays::array::{Array, Bytes, Number};
use crate::arrays::best::{Best, Counts};
use crate::arrays::bits::{self, Bits};
use crate::arrays::columns::Columns;
use crate::arrays::dictionary::{self, Dictionary};
use crate::arrays::packed::Packed;
use crate::arrays::sparse::{self, Sparse};
use crate::arrays::surfaces::{FormNumbers, Surfaces, Whole};
use crate::error::{Error, Result};
use crate::index::Index;

/// The version of the format that is written, and the newest that is read.
pub(crate) const VERSION: u32 = 8;
/// The first bytes of an index. Not text, and damaged by whatever changes line ends.
pub(crate) const MAGIC: [u8; 8] = *b"\x89NEST\r\n\x1a";
/// The bytes of the head, the table of sections included.
pub(super) const HEAD: usize = 1024;
/// Sections begin at multiples of this.
pub(super) const ALIGN: usize = 64;
/// The sections, in the order of the file.
pub(super) const SECTIONS: [&str; 38] = [
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
    "later form bits",
    "later form ranks",
    "later form samples",
    "form numbers",
    "whole surface bits",
    "whole surface ranks",
    "whole surface samples",
    "whole surfaces",
    "surface start bits",
    "surface start ranks",
    "surface start samples",
    "variants",
    "owners",
    "capitals",
    "column directory",
    "columns",
    "best terms",
    "repetition bits",
    "repetition ranks",
    "repetition samples",
    "repetitions",
];
/// The number of the section of the best terms; those of the repetitions follow.
pub(super) const BEST: usize = 33;
/// Where the largest number of a form is in the head.
pub(super) const LARGEST_FORM: usize = 136;
/// Where the number of repetitions is.
pub(super) const REPETITIONS: usize = 144;
/// Where the table of sections begins in the head; an entry has 20 bytes.
pub(super) const TABLE: usize = 160;
pub(super) const TABLE_ENTRY: usize = 20;

pub(super) const LOWERCASE: u8 = 1;
pub(super) const STRIP_ACCENTS: u8 = 2;
pub(super) const NORMALIZED: u8 = 4;
pub(super) const SPACES: u8 = 8;
pub(super) const SEPARATOR: u8 = 16;
pub(super) const WEIGHTS: u8 = 32;
pub(super) const SURFACES: u8 = 64;
pub(super) const BLANKS: u8 = 128;
/// The flags of byte 14.
pub(super) const FOLD: u8 = 1;
pub(super) const HOMONYMS: u8 = 2;
pub(super) const IDS: u8 = 4;
/// The number of the section of the directory of the columns; the next one has the columns.
pub(super) const COLUMNS: usize = 31;
/// Where the ISO 639-1 code of the language is.
pub(super) const LANGUAGE: usize = 960;
/// Where the number of [`HYPHENS`] is.
pub(super) const HYPHENS_AT: usize = 962;
/// Where 1 is for [`Case::Smart`].
pub(super) const CASE: usize = 963;

/// The tokenizers by their number in the file.
const TOKENIZERS: [Tokenizer; 4] =
    [Tokenizer::Whitespace, Tokenizer::Words, Tokenizer::Chars, Tokenizer::Text];

/// The kinds of hyphens by their number in the file.
pub(super) const HYPHENS: [Hyphens; 3] = [Hyphens::Keep, Hyphens::Split, Hyphens::Both];

pub(super) fn padded(length: usize) -> usize {
    length.next_multiple_of(ALIGN)
}

impl Index {
    /// The bytes of the sections, in order; those that the index has not are empty.
    pub(super) fn sections(&self) -> [&[u8]; SECTIONS.len()] {
        let columns = self.arrays.columns.as_ref();
        let surfaces = self.arrays.surfaces.as_ref();
        let forms = surfaces.and_then(|surfaces| surfaces.forms.as_ref());
        let whole = surfaces.and_then(|surfaces| surfaces.whole.as_ref());
        let [form_bits, form_ranks, form_samples] = bytes_of(forms.map(|forms| &forms.later));
        let [whole_bits, whole_ranks, whole_samples] = bytes_of(whole.map(|whole| &whole.terms));
        let [start_bits, start_ranks, start_samples] = bytes_of(whole.map(|whole| &whole.starts));
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
            form_bits,
            form_ranks,
            form_samples,
            forms.map_or(&[], |forms| forms.numbers.bytes.as_bytes()),
            whole_bits,
            whole_ranks,
            whole_samples,
            whole.map_or(&[], |whole| whole.bytes.as_bytes()),
            start_bits,
            start_ranks,
            start_samples,
            self.arrays.variants.bytes.as_bytes(),
            self.arrays.owners.bytes.as_bytes(),
            self.arrays.capitals.as_ref().map_or(&[], |capitals| capitals.as_bytes()),
            columns.map_or(&[], |columns| columns.directory.as_bytes()),
            columns.map_or(&[], |columns| columns.values.as_bytes()),
            self.arrays.best.ids.bytes.as_bytes(),
            self.arrays.repetitions.high.words.as_bytes(),
            self.arrays.repetitions.high.ranks.as_bytes(),
            self.arrays.repetitions.high.samples.as_bytes(),
            self.arrays.repetitions.low.bytes.as_bytes(),
        ]
    }

    /// The size of the index as a file.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.sections().iter().map(|section| padded(section.len()) as u64).sum::<u64>()
            + HEAD as u64
    }

    pub(super) fn head(&self) -> [u8; HEAD] {
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
                flag(options.fold || options.language.is_some(), FOLD)
                    | flag(self.arrays.meta.homonyms, HOMONYMS)
                    | flag(self.own_ids().is_some(), IDS),
            ],
        );
        put(LANGUAGE, options.language.map_or("", Language::code).as_bytes());
        let hyphens = HYPHENS.iter().position(|&h| h == options.hyphens).unwrap_or(0);
        put(HYPHENS_AT, &[hyphens as u8]);
        put(CASE, &[u8::from(options.case == Case::Smart)]);
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
        let forms = surfaces.and_then(|surfaces| surfaces.forms.as_ref());
        let whole = surfaces.and_then(|surfaces| surfaces.whole.as_ref());
        put(88, &forms.map_or(0, |forms| forms.numbers.len() as u64).to_le_bytes());
        put(96, &whole.map_or(0, |whole| whole.terms.ones() as u64).to_le_bytes());
        put(104, &(self.arrays.variants.len() as u64).to_le_bytes());
        let Meta { own_tokens, aliases, .. } = self.arrays.meta;
        put(112, &(self.arrays.owners.len() as u64).to_le_bytes());
        put(120, &(aliases as u64).to_le_bytes());
        put(128, &(own_tokens as u64).to_le_bytes());
        put(REPETITIONS, &(self.arrays.repetitions.len() as u64).to_le_bytes());
        put(LARGEST_FORM, &[forms.map_or(0, |forms| forms.largest)]);
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

    /// The checksum of the head of the index's file, which covers the checksums of all else: two indexes
    /// with the same one give the same answers. For an index without a file, it is the checksum that its
    /// file would have, computed from all of its bytes.
    pub fn checksum(&self) -> u32 {
        *self.checksum.get_or_init(|| {
            let stored = self.file.as_ref().and_then(|file| file.bytes().get(HEAD - 4..HEAD));
            let computed = || self.head()[HEAD - 4..].to_vec();
            let bytes = stored.map_or_else(computed, <[u8]>::to_vec);
            u32::from_le_bytes(bytes.try_into().unwrap_or_default())
        })
    }
}

/// The three sections of bits; empty if there are none.
fn bytes_of(bits: Option<&Bits>) -> [&[u8]; 3] {
    bits.map_or([&[]; 3], |bits| {
        [bits.words.as_bytes(), bits.ranks.as_bytes(), bits.samples.as_bytes()]
    })
}

/// The checksum of a section and the zeros after it.
fn section_checksum(section: &[u8]) -> u32 {
    let zeros = &[0; ALIGN][..padded(section.len()) - section.len()];
    crc32c::crc32c_append(crc32c::crc32c(section), zeros)
}

/// The head of a file, checked as far as constant time allows.
pub(super) struct Head {
    pub(super) bytes: [u8; HEAD],
    pub(super) tokenizer: Tokenizer,
    /// Where each section begins, and its length in bytes.
    pub(super) sections: [(usize, usize); SECTIONS.len()],
}

impl Head {
    pub(super) fn number(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes[at..at + 8].try_into().unwrap_or_default())
    }

    /// A number of tokens or terms.
    pub(super) fn count(&self, at: usize) -> Result<usize> {
        match self.number(at) {
            count if count <= crate::MAX_TOKENS => Ok(count as usize),
            _ => Err(Error::out_of_range("head")),
        }
    }

    /// The slots of a hash table: few enough that no size computed from them overflows.
    pub(super) fn slots(&self, at: usize) -> Result<usize> {
        match self.number(at) {
            slots if slots < 1 << 40 => Ok(slots as usize),
            _ => Err(Error::out_of_range("head")),
        }
    }

    pub(super) fn has(&self, flag: u8) -> bool {
        self.bytes[13] & flag != 0
    }
}

/// Reads the head of a file of `length` bytes.
pub(super) fn parse_head(bytes: &[u8], length: u64) -> Result<Head> {
    let damaged = |problem: String| Err(Error::Damaged { part: "head", problem });
    if !bytes.starts_with(&MAGIC) {
        // A file cut within its first bytes looks like any other file.
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

const UNEXPECTED_LENGTH: &str = "its length does not agree with the head";

pub(super) struct Sections<'a> {
    pub(super) bytes: &'a Arc<dyn Bytes>,
    pub(super) head: &'a Head,
}

impl Sections<'_> {
    /// Section `i` as numbers; there must be `length` of them, if given.
    pub(super) fn array<T: Number>(&self, i: usize, length: Option<usize>) -> Result<Array<T>> {
        let (offset, size) = self.head.sections[i];
        let found = size / size_of::<T>();
        if size % size_of::<T>() != 0 || length.is_some_and(|length| length != found) {
            return Err(Error::damaged(SECTIONS[i], UNEXPECTED_LENGTH));
        }
        Array::shared(self.bytes, offset, found).ok_or_else(|| Error::out_of_range(SECTIONS[i]))
    }

    /// Section `i` as `length` packed numbers up to `largest`.
    pub(super) fn packed(&self, i: usize, length: usize, largest: usize) -> Result<Packed> {
        let packed = Packed::from_bytes(self.array(i, None)?, length, largest as u64);
        packed.ok_or_else(|| Error::damaged(SECTIONS[i], UNEXPECTED_LENGTH))
    }

    /// The dictionary of `count` tokens whose sections begin with section `i`.
    pub(super) fn dictionary(
        &self,
        i: usize,
        count: usize,
        seed: u64,
        shares: usize,
    ) -> Result<Dictionary> {
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
    pub(super) fn bits(&self, i: usize, length: usize, ones: usize) -> Result<Bits> {
        let words = bits::words_for(length);
        let bits = Bits {
            words: self.array(i, Some(words))?,
            ranks: self.array(i + 1, Some(bits::ranks_for(64 * words)))?,
            samples: self.array(i + 2, Some(bits::samples_for(ones)))?,
        };
        if bits.ones() == ones { Ok(bits) } else { Err(Error::out_of_range(SECTIONS[i + 1])) }
    }

    /// The surfaces, whose sections begin with section `i`, of `terms` terms with `tokens` tokens.
    pub(super) fn surfaces(
        &self,
        i: usize,
        terms: usize,
        tokens: usize,
    ) -> Result<Option<Surfaces>> {
        let forms = match self.head.count(88)? {
            0 => self.absent(i..i + 4)?,
            later => {
                let largest = self.head.bytes[LARGEST_FORM];
                Some(FormNumbers {
                    later: self.bits(i, tokens, later)?,
                    numbers: self.packed(i + 3, later, largest.into())?,
                    largest,
                })
            }
        };
        let whole = match self.head.count(96)? {
            0 => self.absent(i + 4..i + 11)?,
            count => {
                let bytes: Array<u8> = self.array(i + 7, None)?;
                Some(Whole {
                    terms: self.bits(i + 4, terms, count)?,
                    starts: self.bits(i + 8, bytes.len() + 1, count + 1)?,
                    bytes,
                })
            }
        };
        match self.head.has(SURFACES) {
            true => Ok(Some(Surfaces { forms, whole })),
            false if forms.is_none() && whole.is_none() => Ok(None),
            false => Err(Error::damaged("head", "its facts contradict each other")),
        }
    }

    /// The best terms and the repetitions of an index that has these counts.
    pub(super) fn best(&self, counts: Counts) -> Result<(Best, Sparse)> {
        let ids = self.packed(BEST, Best::runs(counts), counts.terms)?;
        let count = self.head.count(REPETITIONS)?;
        if count > counts.slots {
            return Err(Error::out_of_range("head"));
        }
        let repetitions = Sparse {
            high: self.bits(BEST + 1, sparse::high_length(count, counts.slots), count)?,
            low: self.packed(BEST + 4, count, sparse::largest_low(count, counts.slots))?,
        };
        Ok((Best::with_ids(ids, counts), repetitions))
    }

    /// The columns of `terms` terms, if there are any.
    pub(super) fn columns(&self, terms: usize) -> Result<Option<Columns>> {
        let has_ids = self.head.bytes[14] & IDS != 0;
        let [directory, values] = [COLUMNS, COLUMNS + 1].map(|i| self.head.sections[i]);
        match directory.1 {
            0 if has_ids => Err(Error::damaged("head", "its facts contradict each other")),
            0 => self.absent(COLUMNS + 1..COLUMNS + 2),
            _ => Columns::read(self.bytes, directory, values, terms, has_ids).map(Some),
        }
    }

    /// Checks that these sections are empty.
    pub(super) fn absent<T>(&self, mut sections: Range<usize>) -> Result<Option<T>> {
        match sections.find(|&i| self.head.sections[i].1 > 0) {
            None => Ok(None),
            Some(i) => Err(Error::damaged(SECTIONS[i], UNEXPECTED_LENGTH)),
        }
    }
}
