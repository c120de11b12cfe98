//! Where is a *running* program, its threads and its pages, and what moves them?
