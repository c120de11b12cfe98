//! Why this machine cannot have a placement.

use nearfar_model::CpuSet;
use serde::{Deserialize, Serialize};

/// Why this machine cannot have a placement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PlacementRefusal {
    /// One node has memory: there is nothing to interleave.
    OneNode,
    /// It names CPUs that cannot be used.
    UnusableCpus {
        /// Those.
        #[schemars(with = "String")]
        cpus: CpuSet,
        /// Those that can.
        #[schemars(with = "String")]
        usable: CpuSet,
    },
    /// A quote in its words is not closed.
    OpenQuote,
    /// `nearfar run` refuses its words.
    Refused {
        /// Its error.
        error: String,
    },
}

/// A placement that this machine cannot have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Unavailable {
    /// The placement.
    pub placement: String,
    /// Why not.
    pub why: PlacementRefusal,
}
