//! Which engine works on this system, and why no better one.

use nearfar_model::Bytes;

use super::engine::IoEngine;
use super::ring;

/// The best engine of this system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineChoice {
    /// The engine.
    pub engine: IoEngine,
    /// Why it is not the first.
    pub why: Option<String>,
}

impl EngineChoice {
    /// Tries the engines with buffers of this size in total.
    pub fn detect(buffers: Bytes) -> Self {
        match ring::try_ring(buffers) {
            Ok(()) => Self { engine: IoEngine::UringRegistered, why: None },
            Err((engine, why)) => Self { engine, why: Some(why) },
        }
    }
}
