//! Terms in running text.
//!
//! | file | contents |
//! |---|---|
//! | `options` | what a search reports |
//! | `words` | what the index knows of the words of texts |
//! | `pairs` | what it knows of pairs of them |
//! | `groups` | terms with the same key, which are found together |
//! | `search` | the search, by one thread |
//! | `spans` | where terms are; the policies for overlaps |
//! | `matches` | the matches in a text |
//! | `rows` | matches as columns, a row for each term |
//! | `text`, `batch` | one text, many texts |
//! | `settled` | texts that come in pieces |

pub(crate) mod batch;
mod groups;
pub(crate) mod matches;
pub(crate) mod options;
mod pairs;
pub(crate) mod rows;
mod search;
mod settled;
mod spans;
mod text;
mod words;
