//! The relations among all terms of a vocabulary: pairs, joins, equal terms, scores and rankings, and the tree
//! of heads.

pub(crate) mod containment;
pub(crate) mod pairs;
pub(crate) mod ranking;
pub(crate) mod scores;
pub(crate) mod taxonomy;
pub(crate) mod variants;
