//! Tests of the core without Python: building and its limits, the shared cases, hostile files, vocabulary
//! files, counting candidates.

mod best;
mod build;
mod candidates;
mod cases;
mod damage;
mod vocabulary;
