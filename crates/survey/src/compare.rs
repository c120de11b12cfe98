//! Two surveys: of one machine before and after, or of two machines that should be alike.
//!
//! Cells are the same where their labels and what they were visited with are; which of them changed
//! beyond chance is inference's work (`nearfar_infer::changes`). What cannot be compared is listed.

mod beyond;
mod differs;
mod fail_if;
mod matching;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use nearfar_infer::Numa;
use nearfar_infer::changes::{BETWEEN, BETWEEN_GUESTS, CellPair, MedianChange, RatioChange};
use nearfar_model::Unit;
use serde::Serialize;

use crate::{MachineSummary, Survey};

pub use beyond::{Condition, ConditionFinding, ConditionResult, NoSuchPart};
pub use differs::MachineDifference;
pub use fail_if::{BadCondition, ConditionResults, FailIf};

/// The schema's name.
pub const COMPARE_SCHEMA: &str = "nearfar.compare-surveys/2";

/// Two surveys compared.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SurveyComparison {
    /// Of this document: [`COMPARE_SCHEMA`].
    pub schema: &'static str,
    /// Where the first was made, and the second.
    pub machines: [MachineSummary; 2],
    /// When each began.
    pub started: [String; 2],
    /// Differences of machine, kernel, firmware and survey settings.
    pub differs: Vec<MachineDifference>,
    /// What surveys of an unchanged machine are taken to differ by: a standard deviation, as a
    /// fraction.
    pub between: f64,
    /// What both measured.
    pub parts: Vec<PartChanges>,
    /// Parts that only one has, or that were measured in other ways: names, and why.
    pub not_compared: Vec<NotCompared>,
    /// Each survey's verdict on NUMA.
    pub verdicts: [VerdictSummary; 2],
}

/// One part in both.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PartChanges {
    /// Its name; of spread memory "interleave" for streams and for loads.
    pub part: String,
    /// The unit of `medians`.
    pub unit: Unit,
    /// Cells that both have, in the first's order.
    pub cells: Vec<CellChange>,
    /// What all cells share; null of fewer than three cells.
    pub common: Option<RatioChange>,
    /// Rows, columns and treatments that only the first has, and only the second.
    pub only_in: [Vec<String>; 2],
}

/// A cell in both.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct CellChange {
    /// The row's label.
    pub row: String,
    /// The column's label.
    pub column: String,
    /// What it was visited with; rows and columns in it by their labels.
    #[serde(flatten)]
    pub treatment: BTreeMap<String, String>,
    /// In each survey.
    pub medians: [Option<f64>; 2],
    /// How it changed; null where `why` gives the reason.
    #[serde(flatten)]
    pub change: Option<MedianChange>,
    /// The estimates that it follows from; none where either is unknown.
    #[serde(skip)]
    pub estimates: Option<CellPair>,
    /// Why it is not compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<CellUncompared>,
}

/// A part that is not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NotCompared {
    /// Its name.
    pub part: String,
    /// Why not.
    pub why: PartUncompared,
}

/// A verdict in short.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct VerdictSummary {
    /// "yes", "no" or "undetermined".
    pub numa: Numa,
    /// Farthest over nearest memory, minus 1.
    pub effect: Option<f64>,
    /// Its 95 % interval.
    pub ci95: Option<[f64; 2]>,
}

/// Two surveys have no part in common.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("they have no part in common: the first has {first}, the second {second}")]
pub struct NothingInCommon {
    first: String,
    second: String,
}

/// What surveys of such machines differ by when nothing changed: a standard deviation, as a
/// fraction. Guests of a hypervisor are moved about by it.
pub fn usual_between(surveys: &[&Survey]) -> f64 {
    if surveys.iter().any(|survey| survey.machine.hypervisor.is_some()) {
        BETWEEN_GUESTS
    } else {
        BETWEEN
    }
}

/// The second against the first; `between` as inference takes it.
pub fn compare(
    first: &Survey,
    second: &Survey,
    between: f64,
) -> Result<SurveyComparison, NothingInCommon> {
    let (parts, not_compared) = matching::parts(first, second, between);
    if parts.is_empty()
        && not_compared.iter().all(|one| !matching::is_in_both(first, second, &one.part))
    {
        let list = |survey: &Survey| match survey.measured().as_slice() {
            [] => "none".to_owned(),
            parts => parts.iter().map(|part| part.name()).collect::<Vec<_>>().join(", "),
        };
        return Err(NothingInCommon { first: list(first), second: list(second) });
    }
    let summary = |survey: &Survey| VerdictSummary {
        numa: survey.verdict.numa,
        effect: survey.verdict.effect,
        ci95: survey.verdict.ci95,
    };
    Ok(SurveyComparison {
        schema: COMPARE_SCHEMA,
        machines: [first.machine.clone(), second.machine.clone()],
        started: [first.provenance.started.clone(), second.provenance.started.clone()],
        differs: differs::differs(first, second),
        between,
        parts,
        not_compared,
        verdicts: [summary(first), summary(second)],
    })
}

impl CellChange {
    /// "node 0 to node 1, read, threads 4": which cell it is.
    pub fn name(&self) -> String {
        let with = self.treatment.iter().map(|(name, value)| match value.parse::<f64>() {
            Ok(_) => format!(", {name} {value}"),
            Err(_) => format!(", {value}"),
        });
        format!("{} to {}{}", self.row, self.column, with.collect::<String>())
    }

    /// Whether it changed for real.
    pub fn is_real(&self) -> bool {
        self.change.is_some_and(|change| change.moved.real)
    }

    /// Whether it moved for real against the rest of its row.
    pub fn is_apart(&self) -> bool {
        self.change.and_then(|change| change.beside).is_some_and(|beside| beside.real)
    }
}

/// Why a part is not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum PartUncompared {
    /// Only the first survey has it.
    OnlyInFirst,
    /// Only the second survey has it.
    OnlyInSecond,
    /// It was measured with different probes.
    OtherProbe {
        /// The first survey's.
        first: String,
        /// The second's.
        second: String,
    },
}

/// Why a cell is not compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum CellUncompared {
    /// A figure is not known, or not how certain it is.
    Unknown {
        /// What each survey lacks; null where it lacks nothing.
        surveys: [Option<UnknownFigure>; 2],
    },
    /// A figure is no number that can be compared.
    NoNumber,
}

/// What a cell lacks to be compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum UnknownFigure {
    /// It has no figure.
    NoFigure {
        /// Why not, where the survey has the reason.
        why: Option<String>,
    },
    /// Its figure has no standard error.
    NoError,
}
