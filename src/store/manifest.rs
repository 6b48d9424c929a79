//! The manifest: a text that lists the files of a generation.
//!
//! ```text
//! termnest store 1
//! generation 17
//! next id 120003
//! terms 120000
//! column strings "concept"
//! segment 0 seg-17-0.nest 46080 1f0c9a3b 212
//! segment 2 seg-9-0.nest 5240112 88d1c04e 119790
//! hidden hidden-17 10 9b0fe3a4c1d2e5f6
//! checksum 0a1b2c3d4e5f6071
//! ```
//!
//! Two files take turns: that of the generation before stays, whatever happens while one is written.

use xxhash_rust::xxh3::xxh3_64;

use crate::arrays::columns::Kind;
use crate::error::{Error, Result};

/// The files, by whether the number of their generation is even or odd.
pub(crate) const NAMES: [&str; 2] = ["manifest-0", "manifest-1"];
/// What a manifest is called until it is complete.
pub(crate) const NEW: &str = "manifest.new";
/// The version of the format.
pub(crate) const VERSION: u32 = 1;
const FIRST_LINE: &str = "termnest store ";

/// The file of a generation.
pub(crate) fn name(generation: u64) -> &'static str {
    NAMES[(generation % 2) as usize]
}

/// The file of segment `number` that the commit of a generation writes.
pub(crate) fn segment_name(generation: u64, number: usize) -> String {
    format!("seg-{generation}-{number}.nest")
}

/// The file with the hidden rows of a generation.
pub(crate) fn hidden_name(generation: u64) -> String {
    format!("hidden-{generation}")
}

/// Whether a file has a name that only files of stores have.
pub(crate) fn is_file_of_store(name: &str) -> bool {
    NAMES.contains(&name) || is_removable(name)
}

/// Whether a file with this name is not needed unless a manifest lists it.
pub(crate) fn is_removable(name: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let segment = name.strip_prefix("seg-").and_then(|rest| rest.strip_suffix(".nest"));
    let segment = segment.and_then(|numbers| numbers.split_once('-'));
    name == NEW
        || segment.is_some_and(|(first, second)| is_number(first) && is_number(second))
        || name.strip_prefix("hidden-").is_some_and(is_number)
}

/// A segment as the manifest lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedSegment {
    pub(crate) tier: u8,
    pub(crate) file: String,
    pub(crate) bytes: u64,
    /// That of [`Index::checksum`](crate::Index::checksum).
    pub(crate) checksum: u32,
    /// Its rows, hidden or not.
    pub(crate) rows: u64,
}

/// The file with the hidden rows as the manifest lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListedHidden {
    pub(crate) file: String,
    pub(crate) bytes: u64,
    pub(crate) checksum: u64,
}

/// What a generation consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) generation: u64,
    /// The id of the next new term.
    pub(crate) next_id: u64,
    /// The live terms.
    pub(crate) terms: u64,
    /// The columns of the terms, in the order in which they came.
    pub(crate) columns: Vec<(String, Kind)>,
    /// By tier, of which each has one at most.
    pub(crate) segments: Vec<ListedSegment>,
    pub(crate) hidden: Option<ListedHidden>,
}

const KINDS: [(&str, Kind); 5] = [
    ("strings", Kind::Strings),
    ("ints", Kind::Ints),
    ("floats", Kind::Floats),
    ("bools", Kind::Bools),
    ("lists", Kind::Lists),
];

impl Manifest {
    /// The names of all files that the generation needs.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        let segments = self.segments.iter().map(|segment| segment.file.as_str());
        segments.chain(self.hidden.iter().map(|hidden| hidden.file.as_str()))
    }

    /// As text.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{FIRST_LINE}{VERSION}\ngeneration {}\n", self.generation);
        text += &format!("next id {}\nterms {}\n", self.next_id, self.terms);
        for (name, kind) in &self.columns {
            let word = KINDS.iter().find(|(_, other)| other == kind).map_or("", |(word, _)| word);
            text += &format!("column {word} {}\n", serde_json::Value::from(name.as_str()));
        }
        for ListedSegment { tier, file, bytes, checksum, rows } in &self.segments {
            text += &format!("segment {tier} {file} {bytes} {checksum:08x} {rows}\n");
        }
        if let Some(ListedHidden { file, bytes, checksum }) = &self.hidden {
            text += &format!("hidden {file} {bytes} {checksum:016x}\n");
        }
        text += &format!("checksum {:016x}\n", xxh3_64(text.as_bytes()));
        text
    }

    /// Of a text.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Manifest> {
        let damaged = |problem: &str| Error::damaged("manifest", problem);
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is not UTF-8"))?;
        // A newer version may differ in all but its first line.
        let version = text.lines().next().and_then(|line| line.strip_prefix(FIRST_LINE));
        let version: u32 = version
            .and_then(|version| version.parse().ok())
            .ok_or_else(|| damaged("it does not begin like one"))?;
        if version > VERSION {
            return Err(Error::Version { found: version, read: VERSION });
        }
        let body = text.len().checked_sub("checksum 0123456789abcdef\n".len());
        let (body, end) =
            body.and_then(|at| text.split_at_checked(at)).ok_or_else(|| damaged("it was cut"))?;
        if end != format!("checksum {:016x}\n", xxh3_64(body.as_bytes())) {
            return Err(damaged("its checksum is wrong: it was cut, or changed by hand"));
        }
        let mut manifest = Manifest::default();
        for line in body.lines().skip(1) {
            manifest.read_line(line).ok_or_else(|| damaged("a line is not as it should be"))?;
        }
        let in_order = manifest.segments.is_sorted_by(|a, b| a.tier < b.tier);
        match !manifest.segments.is_empty() && in_order {
            true => Ok(manifest),
            false => Err(damaged("its segments are not in order")),
        }
    }

    fn read_line(&mut self, line: &str) -> Option<()> {
        let (word, rest) = line.split_once(' ')?;
        let mut words = rest.split(' ');
        match word {
            "generation" => self.generation = rest.parse().ok()?,
            "next" => self.next_id = rest.strip_prefix("id ")?.parse().ok()?,
            "terms" => self.terms = rest.parse().ok()?,
            "column" => {
                let (kind, name) = rest.split_once(' ')?;
                let kind = KINDS.iter().find(|(word, _)| *word == kind)?.1;
                self.columns.push((serde_json::from_str(name).ok()?, kind));
            }
            "segment" => self.segments.push(ListedSegment {
                tier: words.next()?.parse().ok()?,
                file: words.next().filter(|name| is_removable(name))?.into(),
                bytes: words.next()?.parse().ok()?,
                checksum: u32::from_str_radix(words.next()?, 16).ok()?,
                rows: words.next()?.parse().ok()?,
            }),
            "hidden" => {
                self.hidden = Some(ListedHidden {
                    file: words.next().filter(|name| is_removable(name))?.into(),
                    bytes: words.next()?.parse().ok()?,
                    checksum: u64::from_str_radix(words.next()?, 16).ok()?,
                })
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        Manifest {
            generation: 17,
            next_id: 120_003,
            terms: 120_000,
            columns: vec![("a \"b\"".into(), Kind::Lists), ("n".into(), Kind::Ints)],
            segments: vec![
                ListedSegment {
                    tier: 0,
                    file: segment_name(17, 0),
                    bytes: 46_080,
                    checksum: 0x1f,
                    rows: 2,
                },
                ListedSegment { tier: 2, file: segment_name(9, 0), bytes: 1, checksum: 7, rows: 3 },
            ],
            hidden: Some(ListedHidden { file: hidden_name(17), bytes: 10, checksum: 99 }),
        }
    }

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let manifest = manifest();
        assert_eq!(Manifest::parse(manifest.to_text().as_bytes()).unwrap(), manifest);
    }

    #[test]
    fn a_manifest_of_which_any_byte_changed_or_is_missing_is_refused() {
        let text = manifest().to_text().into_bytes();
        for place in 0..text.len() {
            for change in 1..=255 {
                let mut changed = text.clone();
                changed[place] ^= change;
                assert!(Manifest::parse(&changed).is_err(), "byte {place} ^ {change}");
            }
            assert!(Manifest::parse(&text[..place]).is_err(), "cut at {place}");
        }
        for more in [&b"\n"[..], b"x", b"checksum 0\n"] {
            assert!(Manifest::parse(&[&text[..], more].concat()).is_err());
        }
    }

    #[test]
    fn only_names_of_stores_are_removed() {
        for name in ["seg-1-0.nest", "hidden-12", NEW] {
            assert!(is_removable(name), "{name}");
        }
        for name in ["LOCK", "manifest-0", "seg-1.nest", "seg-a-0.nest", "hidden-", "notes.txt"] {
            assert!(!is_removable(name), "{name}");
        }
    }
}
