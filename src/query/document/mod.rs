//! Terms in documents that another tokenizer has split into tokens, such as those of spaCy.
//!
//! Such a tokenizer splits a text in other places than the index does: "nurse.She" may be three tokens of a
//! document and one of the index, "l'homme" the other way round. A term is found in up to three views:
//!
//! 1. the document's text as the index splits it (`lexemes.rs` aligns its tokens with the given ones);
//! 2. the given tokens, each one as a token of the index. This is needed only around tokens that the
//!    first view does not have;
//! 3. the given tokens, in an index of the terms that the other tokenizer splits otherwise than the
//!    index does (`respelled.rs`).
//!
//! A token comes as a number, usually a hash of its text: what it is to the index is found out once for
//! each distinct one.

mod finder;
mod lexemes;
mod respelled;
mod settings;

pub use finder::{Found, Span, TokenFinder};
pub use respelled::{Respelled, Units};
pub use settings::{Alignment, Compared};
