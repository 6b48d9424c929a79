//! Candidates for terms, counted in texts, and ranked.
//!
//! | file | contents |
//! |---|---|
//! | `counter` | runs of words or phrases from texts to counted runs |
//! | `words` | what a word is, and what a function word is |
//! | `uses` | what the function words beside a word show of it |
//! | `lines` | lines that a document repeats |
//! | `trie` | the runs that are counted in memory |
//! | `spill` | runs in temporary files, and their merging |
//! | `occurrences` | candidates in longer candidates, and the words of the texts |
//! | `candidates` | runs that are forms of one term, with its documents and scores |
//! | `contrast` | candidates by a score, compared with other texts |

pub(crate) mod candidates;
pub(crate) mod contrast;
pub(crate) mod counter;
mod lines;
mod occurrences;
mod spill;
mod trie;
mod uses;
pub(crate) mod words;
