//! Candidates for terms, counted in texts.

pub(crate) mod counter;
