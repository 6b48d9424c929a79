//! Tests of the core without Python: building and its limits, the shared cases, hostile files, vocabulary
//! files, counting candidates, stores and what they survive.

mod build;
mod candidates;
mod cases;
mod damage;
mod kills;
mod power_loss;
mod store;
mod vocabulary;
