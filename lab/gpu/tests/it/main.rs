//! The stand-in library, as `crates/probe` loads it: in processes of their own, since the loader
//! reads its search path once. Only simulated times are compared.

mod copies;
mod faults;
mod identities;
mod installed;
mod loading;
mod locked_memory;
