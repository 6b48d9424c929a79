//! What users rely on of the core alone, with no Python: building and its limits, the shared cases,
//! hostile files.

mod build;
mod cases;
mod damage;
