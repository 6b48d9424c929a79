//! Candidates for terms, counted in texts.
//!
//! | file | contents |
//! |---|---|
//! | `counter` | runs of words or phrases from texts to counted candidates |
//! | `words` | what a word is |
//! | `trie` | the runs that are counted in memory |
//! | `spill` | runs in temporary files, and their merging |
//! | `occurrences` | candidates in longer candidates, and outside of them |

pub(crate) mod counter;
mod occurrences;
mod spill;
mod trie;
mod words;
