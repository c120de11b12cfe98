//! Which memories are as far away as each other.

use nearfar_infer::classes::{Class, Refused};
use serde::{Deserialize, Serialize};

/// Distance classes, near to far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DistanceClasses {
    /// The classes. Empty where `refused` says why.
    pub classes: Vec<DistanceClass>,
    /// Why there are none.
    pub refused: Option<String>,
}

/// Memories that cost alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DistanceClass {
    /// The geometric mean of its cells' costs, in nanoseconds.
    pub cost_ns: f64,
    /// Its 95 % interval, in nanoseconds.
    pub ci95: [f64; 2],
    /// Whose memory is that far from whom: [node of the CPUs, node of the memory].
    pub cells: Vec<[u32; 2]>,
}

impl DistanceClasses {
    pub(super) fn of(found: Result<Vec<Class>, Refused>) -> Self {
        let class = |class: Class| DistanceClass { cost_ns: class.cost, ci95: class.ci95, cells: class.cells };
        match found {
            Ok(classes) => Self { classes: classes.into_iter().map(class).collect(), refused: None },
            Err(refused) => Self { classes: vec![], refused: Some(refused.to_string()) },
        }
    }
}
