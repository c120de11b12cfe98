//! Which memories are as far away as each other.

use nearfar_infer::classes::{Class, Refused};
use serde::{Deserialize, Serialize};

/// Distance classes, near to far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DistanceClasses {
    /// The classes. Empty where `refused` says why.
    pub classes: Vec<Class>,
    /// Why there are none.
    pub refused: Option<Refused>,
}

impl From<Result<Vec<Class>, Refused>> for DistanceClasses {
    fn from(found: Result<Vec<Class>, Refused>) -> Self {
        match found {
            Ok(classes) => Self { classes, refused: None },
            Err(refused) => Self { classes: Vec::new(), refused: Some(refused) },
        }
    }
}
