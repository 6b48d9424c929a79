//! Vocabulary files.

mod tables;

pub use tables::{Column, Decoding, Format, ReadOptions, Vocabulary};
