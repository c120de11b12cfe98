//! Pairs of documents.
