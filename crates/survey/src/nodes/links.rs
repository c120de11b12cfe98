//! Which nodes are connected directly.

use nearfar_infer::links::{Links, Refused};
use serde::{Deserialize, Serialize};

/// Links between nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NodeLinks {
    /// The links. Empty where `refused` says why.
    #[serde(flatten)]
    pub links: Links,
    /// Why nothing is said of links.
    pub refused: Option<Refused>,
}

impl From<Result<Links, Refused>> for NodeLinks {
    fn from(found: Result<Links, Refused>) -> Self {
        match found {
            Ok(links) => Self { links, refused: None },
            Err(refused) => Self { links: Links::default(), refused: Some(refused) },
        }
    }
}
