//! The sizes that an index allows.

/// The most tokens that a term can have.
pub const MAX_TERM_TOKENS: usize = 4096;
/// The most bytes that the surface of a term can have, in UTF-8.
pub const MAX_TERM_BYTES: usize = 65_535;
/// The most tokens that all terms of an index can have in total.
pub const MAX_TOKENS: u64 = u32::MAX as u64;
/// The most bytes that a separator can have, in UTF-8.
pub const MAX_SEPARATOR_BYTES: usize = 255;
