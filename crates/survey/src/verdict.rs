//! Is it NUMA, and by how much?

use nearfar_infer::Numa;
use serde::{Deserialize, Serialize};

// What inference says, field by field, in a type of the document's own: inference may not know of schemas (`schemars`).
/// Is it NUMA, and by how much?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// "yes", "no" (uniform within the threshold) or "undetermined".
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("enum" = ["yes", "no", "undetermined"])))]
    pub numa: Numa,
    /// Whether any difference between columns within rows was detected (alpha 0.01).
    pub detected: bool,
    /// Probability of such a contrast if all columns were equal.
    pub p: Option<f64>,
    /// Farthest over nearest memory as some row sees it, minus 1: 0.72 means 1.72 times.
    pub effect: Option<f64>,
    /// 95 % interval of the effect, simultaneous over all contrasts.
    pub ci95: Option<[f64; 2]>,
    /// The effect that matters, as a fraction.
    pub threshold: f64,
    /// Why.
    pub reasons: Vec<String>,
    /// What would settle an undetermined verdict.
    pub would_settle: Option<String>,
}
