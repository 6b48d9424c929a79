//! What users rely on of the core alone, with no Python: building and its limits, the shared cases,
//! hostile files, vocabulary files, counted candidates.

mod build;
mod candidates;
mod cases;
mod damage;
mod vocabulary;
