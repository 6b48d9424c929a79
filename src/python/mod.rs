//! The Python module `termnest._core`. Only this folder knows that Python exists.

mod arrow;
mod index;
mod join;
mod lines;
mod vocabulary;
