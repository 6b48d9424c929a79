//! What holds between all terms of a vocabulary: pairs, scores, the tree of heads.

pub(crate) mod pairs;
pub(crate) mod scores;
pub(crate) mod taxonomy;
