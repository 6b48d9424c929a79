//! Tests of the core without Python: building and its limits, the shared cases, hostile files.

mod build;
mod cases;
mod damage;
