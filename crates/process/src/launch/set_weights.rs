//! Sets the weights of weighted interleaving.

use std::path::Path;

use nearfar_machine::{InterleaveWeights, Source};
use nearfar_model::NodeId;
use nearfar_place::{PlaceError, set_weight};
use thiserror::Error;

use crate::launch::weights::Weights;

/// Why weights are not set.
#[derive(Debug, Error)]
pub enum WeightsError {
    /// A node has no weight.
    #[error("--weights: node {0} has no weight: 'nearfar run --weights' lists nodes with one")]
    NoWeight(NodeId),
    /// The kernel refused one.
    #[error("--weights {node}={weight}")]
    Refused {
        /// The node.
        node: NodeId,
        /// Its weight.
        weight: u8,
        /// Why not.
        source: PlaceError,
    },
}

impl Weights {
    /// Sets all weights, or none if a node has no weight.
    ///
    /// # Errors
    ///
    /// A node has no weight, or the kernel refuses one.
    pub fn set(&self, source: &Source) -> Result<(), WeightsError> {
        let there = InterleaveWeights::read(source).map(|read| read.weights).unwrap_or_default();
        let missing = self.0.keys().find(|node| !there.is_empty() && !there.contains_key(node));
        if let Some(&node) = missing {
            return Err(WeightsError::NoWeight(node));
        }
        for (&node, &weight) in &self.0 {
            let file = InterleaveWeights::path_of(node);
            set_weight(Path::new(&file), weight).map_err(|source| WeightsError::Refused {
                node,
                weight,
                source,
            })?;
        }
        Ok(())
    }
}
