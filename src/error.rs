//! The one error type of the core: facts in the variants, sentences in `Display`.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::limits::{MAX_TERM_BYTES, MAX_TERM_TOKENS};

/// What every fallible function of the core returns.
pub type Result<T> = std::result::Result<T, Error>;

/// The place of an offending term in its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The entry of a list, counted from 0 as Python does.
    Entry(u64),
    /// The line of a file, counted from 1 as editors do.
    Line(u64),
    /// The row of a table, counted from 1, its header not counted.
    Row(u64),
    /// A term that has no number, since its vocabulary is spread over machines: its first characters.
    Beginning([char; BEGINNING]),
}

/// The number of first characters that identify a term without a number.
const BEGINNING: usize = 24;

impl Place {
    /// The place of a term that has no number.
    pub(crate) fn beginning(term: &str) -> Place {
        let mut characters = term.chars();
        Place::Beginning([(); BEGINNING].map(|()| characters.next().unwrap_or('\0')))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Place::Entry(n) => write!(f, "at entry {n} (counted from 0)"),
            Place::Line(n) => write!(f, "at line {n}"),
            Place::Row(n) => write!(f, "at row {n}"),
            Place::Beginning(characters) => {
                let text: String = characters.iter().take_while(|&&c| c != '\0').collect();
                write!(f, "that begins with {text:?}")
            }
        }
    }
}

/// What is wrong with an alias.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AliasProblem {
    /// Its term is not in the vocabulary.
    NoTerm,
    /// Its term is itself an alias, of this one.
    OfAlias(String),
    /// Its term is an alias of it, directly or not.
    Cycle,
    /// It matches like a term that is not its own.
    OtherTerm,
}

/// What is wrong with the name of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnProblem {
    /// It is that of a column of answers, or of an attribute of a match.
    Taken,
    /// Another column has it.
    Twice,
    /// It is blank.
    Empty,
    /// It has more than 255 bytes.
    TooLong,
    /// It has a comma or a control character, or begins with an underscore.
    Unclear,
    /// There are more columns than an index can have.
    TooMany,
}

/// What is wrong with a store, or with its use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreProblem {
    /// There is nothing of this name.
    Missing,
    /// It is a file.
    NotAFolder,
    /// The folder is not a store.
    NotAStore,
    /// Another writer has it open.
    Locked {
        /// The id of its process, if that is known.
        process: Option<u32>,
    },
    /// A newer version wrote it.
    Version {
        /// The version of its format.
        found: u32,
        /// The version that this termnest reads.
        read: u32,
    },
    /// One of its files is not as it was written.
    Damaged {
        /// The damage.
        problem: String,
    },
    /// It was opened for reading, and a change was asked for.
    ReadOnly,
    /// Its writer is closed.
    Closed {
        /// The failure that closed it, if there was one.
        failure: Option<String>,
    },
    /// Another process opened its writer, of which this one is a copy.
    Forked {
        /// The id of that process.
        process: u32,
    },
    /// All ids have been given.
    NoIds,
}

/// Everything that can go wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// An option has a value that it cannot have.
    Option {
        /// The option's name.
        name: &'static str,
        /// The value given.
        value: String,
        /// The values that it may have.
        expected: &'static str,
    },
    /// A term has more tokens than [`MAX_TERM_TOKENS`].
    TermTokens {
        /// Its place.
        place: Place,
        /// How many tokens it has.
        found: usize,
    },
    /// A term has more bytes than [`MAX_TERM_BYTES`].
    TermBytes {
        /// Its place.
        place: Place,
        /// How many bytes it has.
        found: usize,
    },
    /// An alias that cannot be one.
    Alias {
        /// The alias.
        alias: String,
        /// Its term.
        term: String,
        /// Why not.
        problem: AliasProblem,
    },
    /// An alias of an entry without a token, which is not a term.
    AliasOfNoToken {
        /// The alias.
        alias: Box<str>,
        /// The place of the entry.
        place: Place,
    },
    /// An alias of an entry that the vocabulary does not have.
    AliasRow {
        /// The number of the entry.
        row: u64,
        /// How many entries there are.
        rows: u64,
    },
    /// The normal form of a token is longer than [`MAX_TERM_BYTES`].
    TokenBytes {
        /// How many bytes it has.
        found: usize,
    },
    /// The vocabulary has more tokens, or more terms, than an index can hold.
    Full {
        /// How many it can hold.
        limit: u64,
    },
    /// The distinct tokens of the vocabulary take more than 16 GiB.
    DistinctTokens,
    /// A file is not UTF-8.
    Utf8 {
        /// The line, from 1.
        line: u64,
        /// The first byte that is not UTF-8.
        byte: u8,
        /// Whether the file begins like UTF-16.
        utf16: bool,
    },
    /// A weight is not a number of zero or more.
    Weight {
        /// Its place.
        place: Place,
        /// The weight as given.
        value: String,
    },
    /// The weights of equal terms add up to more than a number can hold.
    WeightSum {
        /// The id of the term.
        id: u64,
    },
    /// The weights are not as many as the terms.
    WeightCount {
        /// How many terms there are.
        terms: u64,
        /// How many weights there are.
        weights: u64,
    },
    /// A table has no column of this name.
    Column {
        /// The column that was requested.
        wanted: String,
        /// The columns there are.
        found: Vec<String>,
    },
    /// A column cannot be stored under its name.
    ColumnName {
        /// The name.
        name: String,
        /// Why not.
        problem: ColumnProblem,
    },
    /// A column has not as many values as there are terms.
    ColumnCount {
        /// Its name; "ids" for the ids.
        column: String,
        /// How many terms there are.
        terms: u64,
        /// How many values there are.
        values: u64,
    },
    /// A value that is not of the type of its column, or of a type that cannot be stored.
    ColumnValue {
        /// The name of the column.
        column: Box<str>,
        /// The place of the value.
        place: Box<Place>,
        /// The value.
        value: Box<str>,
        /// The values that the column has.
        expected: &'static str,
    },
    /// The ids are neither strings nor integers.
    IdType {
        /// What they are.
        found: &'static str,
    },
    /// A term has no id, where others have.
    NullId {
        /// The place of the term.
        place: Place,
    },
    /// Two terms have the same id.
    DuplicateId {
        /// The id.
        id: Box<str>,
        /// The places of the two.
        places: Box<[Place; 2]>,
    },
    /// The index has no column of this name.
    UnknownColumn {
        /// The name.
        name: String,
        /// The columns there are.
        found: Vec<String>,
    },
    /// A condition on a column with a value that no term can have in it.
    ConditionType {
        /// The name of the column.
        column: String,
        /// The value.
        value: String,
        /// The values that the column has.
        kind: &'static str,
    },
    /// A row has too few columns, or is not JSON of the expected kind.
    Row {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// A table does not show clearly which columns have the terms and the weights.
    UnclearColumns {
        /// The line that makes it unclear, from 1.
        line: u64,
        /// What is unclear, and how to make the table clear.
        problem: String,
        /// The option that says it: "column" or "weight_column".
        option: &'static str,
        /// A value of that option which this table allows.
        column: String,
        /// What the option does then.
        effect: &'static str,
    },
    /// Most lines of a text, but not all, are a term, a tab and a number.
    UnclearText {
        /// The first line that is not, from 1.
        line: u64,
    },
    /// The column `matching` of a vocabulary has something else than options.
    Matching {
        /// What it has.
        found: String,
    },
    /// Reading or writing a file failed.
    Io {
        /// The action that failed: "read", "save" and the like.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not an index.
    NotAnIndex,
    /// The file is an index, where a vocabulary is expected.
    IsAnIndex,
    /// The file was written by a newer version, or by one so old that it is not read any more.
    Version {
        /// The version of its format.
        found: u32,
        /// The version that this termnest reads.
        read: u32,
    },
    /// The file is an index, but damaged.
    Damaged {
        /// The part that is damaged.
        part: &'static str,
        /// The damage.
        problem: String,
    },
    /// A store that cannot be opened or changed.
    Store {
        /// Its folder, or its file that is damaged.
        path: PathBuf,
        /// What is wrong.
        problem: StoreProblem,
    },
    /// A block that one machine packed for another cannot be read.
    Block,
    /// The index was built with a `normalize` function, and none was given (or the other way round).
    Normalizer {
        /// Whether the index needs one.
        needed: bool,
    },
    /// The user's `normalize` function failed.
    Normalize(Box<dyn std::error::Error + Send + Sync>),
    /// The caller asked to stop.
    Cancelled,
}

impl Error {
    /// An index whose arrays contradict each other.
    pub(crate) fn damaged(part: &'static str, problem: impl Into<String>) -> Error {
        Error::Damaged { part, problem: problem.into() }
    }

    /// Damage of the most common kind: a number that points outside of its array.
    #[cold]
    pub(crate) fn out_of_range(part: &'static str) -> Error {
        Error::damaged(part, "a value points outside of the index")
    }
}

impl StoreProblem {
    fn write(&self, path: &dyn fmt::Display, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            StoreProblem::Missing => {
                write!(f, "there is no store {path}: create it, or correct the name")
            }
            StoreProblem::NotAFolder => {
                write!(f, "{path} is a file, and a store is a folder: give the name of a folder")
            }
            StoreProblem::NotAStore => write!(
                f,
                "{path} is a folder, but not a termnest store: give the name of a store, or of a \
                 folder that is empty or does not exist to create one"
            ),
            StoreProblem::Locked { process } => {
                write!(f, "{path} is being written by ")?;
                match process {
                    Some(process) => write!(f, "process {process}")?,
                    None => write!(f, "another process")?,
                }
                write!(f, ": wait until it is done, or open the store for reading")
            }
            StoreProblem::Version { found, read } => write!(
                f,
                "{path} has version {found} of the format of stores, and this termnest reads {read}: \
                 install a newer termnest"
            ),
            StoreProblem::Damaged { problem } => {
                write!(f, "{path} is damaged ({problem}): restore the store from a copy")
            }
            StoreProblem::ReadOnly => {
                write!(f, "{path} was opened for reading: open it for writing to change it")
            }
            StoreProblem::Closed { failure: None } => {
                write!(f, "{path} is closed: open it again")
            }
            StoreProblem::Closed { failure: Some(failure) } => write!(
                f,
                "{path} was closed after a failure ({failure}): what was committed is safe; open it \
                 again and repeat what was not"
            ),
            StoreProblem::Forked { process } => write!(
                f,
                "process {process} has opened {path} for writing, and this is a copy of it: open the \
                 store again"
            ),
            StoreProblem::NoIds => write!(
                f,
                "{path} has given all 4,294,967,295 ids: create a new store from its terms"
            ),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Option { name, value, expected } => {
                write!(f, "{name} cannot be {value}: {expected}")
            }
            Error::TermTokens { place, found } => write!(
                f,
                "the term {place} has {found} tokens, and {MAX_TERM_TOKENS} is the most a term \
                 can have: leave it out or split it"
            ),
            Error::TermBytes { place, found } => write!(
                f,
                "the term {place} has {found} bytes, and {MAX_TERM_BYTES} is the most a term \
                 can have: leave it out or split it"
            ),
            Error::Alias { alias, term, problem } => match problem {
                AliasProblem::NoTerm => write!(
                    f,
                    "the alias {alias:?} belongs to {term:?}, which is not a term of the vocabulary: \
                     add the term or leave out the alias"
                ),
                AliasProblem::OfAlias(owner) => write!(
                    f,
                    "the alias {alias:?} belongs to {term:?}, which is itself an alias, of {owner:?}: \
                     make both of them aliases of {owner:?}"
                ),
                AliasProblem::Cycle => write!(
                    f,
                    "the aliases {alias:?} and {term:?} belong to each other, and neither is a term: \
                     make both of them aliases of a term of the vocabulary"
                ),
                AliasProblem::OtherTerm => write!(
                    f,
                    "{alias:?} is an alias of {term:?}, and matches like another term of the \
                     vocabulary: leave out the alias or that term"
                ),
            },
            Error::AliasOfNoToken { alias, place } => write!(
                f,
                "the alias {alias:?} belongs to the entry {place}, which has no token and is not a \
                 term: leave out the alias"
            ),
            Error::AliasRow { row, rows } => write!(
                f,
                "there are aliases for row {row} (counted from 0), and the vocabulary has {rows}: give \
                 a list of aliases for each term"
            ),
            Error::TokenBytes { found } => write!(
                f,
                "normalisation made a token of {found} bytes, and {MAX_TERM_BYTES} is the most"
            ),
            Error::Full { limit } => write!(
                f,
                "the vocabulary has more than {limit} tokens, the most an index can hold: split it \
                 into several indexes"
            ),
            Error::DistinctTokens => write!(
                f,
                "the distinct tokens of the vocabulary take more than 16 GiB, the most an index can \
                 hold: split it into several indexes"
            ),
            Error::Utf8 { line, byte, utf16 } => {
                write!(f, "line {line} is not UTF-8 (byte 0x{byte:02x}): ")?;
                match utf16 {
                    true => write!(f, "the file looks like UTF-16; convert it to UTF-8"),
                    false => write!(f, "convert the file to UTF-8"),
                }
            }
            Error::Weight { place, value } => write!(
                f,
                "the weight {place} is {value}, and a weight must be a finite number of zero or more"
            ),
            Error::WeightSum { id } => write!(
                f,
                "the weights of the entries that are equal to the term with id {id} add up to more \
                 than a number can hold: give smaller ones"
            ),
            Error::WeightCount { terms, weights } => write!(
                f,
                "there are {terms} terms but {weights} weights: give one weight for each term"
            ),
            Error::Column { wanted, found } => {
                write!(f, "there is no column {wanted}: the columns are {}", found.join(", "))
            }
            Error::ColumnName { name, problem } => {
                write!(f, "a column cannot be named {name:?}: ")?;
                f.write_str(match problem {
                    ColumnProblem::Taken => {
                        "answers have a column or attribute of this name; rename it"
                    }
                    ColumnProblem::Twice => "another one has this name; rename it",
                    ColumnProblem::Empty => "give it a name",
                    ColumnProblem::TooLong => "255 bytes are the most; give it a shorter name",
                    ColumnProblem::Unclear => {
                        "a name has no comma and no control character, and does not begin with an \
                         underscore; rename it"
                    }
                    ColumnProblem::TooMany => "1,024 columns are the most; leave some out",
                })
            }
            Error::ColumnCount { column, terms, values } => write!(
                f,
                "there are {terms} terms but {values} values of {column:?}: give one value for each term"
            ),
            Error::ColumnValue { column, place, value, expected } => write!(
                f,
                "the value of {column:?} {place} is {value}, and the column has {expected}: give it values \
                 of one type"
            ),
            Error::IdType { found } => {
                write!(f, "the ids are {found}, and ids must be strings or integers: convert them")
            }
            Error::NullId { place } => {
                write!(
                    f,
                    "the term {place} has no id: give every term an id, or leave the term out"
                )
            }
            Error::DuplicateId { id, places } => write!(
                f,
                "the id {id} occurs twice, {} and {}: ids must be unique; store what is not in a column",
                places[0], places[1]
            ),
            Error::ConditionType { column, value, kind } => write!(
                f,
                "no term can have {value} as its {column:?}: the column has {kind}; give one of these"
            ),
            Error::UnknownColumn { name, found } => match found.is_empty() {
                true => write!(
                    f,
                    "there is no column {name:?}: the index has no columns; build it with some"
                ),
                false => write!(
                    f,
                    "there is no column {name:?}: the columns of the index are {}",
                    found.join(", ")
                ),
            },
            Error::Row { line, problem } | Error::UnclearColumns { line, problem, .. } => {
                write!(f, "line {line}: {problem}")
            }
            Error::UnclearText { line } => write!(
                f,
                "line {line}: most lines are a term, a tab and a number, and this one is not: correct \
                 it, or name the file .tsv if it is a table"
            ),
            Error::Matching { found } => write!(
                f,
                "the column \"matching\" has {found:?}, which is not how terms match, such as \"fold\" \
                 or \"language=en hyphens=both\": correct it, or give options"
            ),
            Error::Io { action, path, source } => {
                write!(f, "cannot {action} {}: {source}", path.display())
            }
            Error::NotAnIndex => write!(
                f,
                "not a termnest index: build one from a vocabulary, or give the vocabulary itself"
            ),
            Error::IsAnIndex => {
                write!(f, "the file is an index already, not a vocabulary: open it as an index")
            }
            Error::Version { found, read } => write!(
                f,
                "the index has format version {found}, and this termnest reads {read}: {}",
                match found < read {
                    true => "build the index again",
                    false => "install a newer termnest or build the index again",
                }
            ),
            Error::Damaged { part, problem } => write!(
                f,
                "the index is damaged ({part}: {problem}): restore the file or build it again"
            ),
            Error::Store { path, problem } => problem.write(&path.display(), f),
            Error::Block => write!(
                f,
                "what another executor sent cannot be read: install the same termnest on all of them"
            ),
            Error::Normalizer { needed: true } => write!(
                f,
                "the index was built with a normalize function: give the same function again"
            ),
            Error::Normalizer { needed: false } => {
                write!(f, "the index was built without a normalize function: open it without one")
            }
            Error::Normalize(error) => write!(f, "the normalize function failed: {error}"),
            Error::Cancelled => write!(f, "cancelled"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            Error::Normalize(error) => Some(error.as_ref()),
            _ => None,
        }
    }
}
