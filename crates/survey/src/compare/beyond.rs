//! Is anything beyond what is accepted? For tests of machines that end with a status.

use nearfar_infer::changes::{ChangeLimit, LimitExceeded};
use nearfar_model::Instrument;

use super::{CellChange, CellUncompared, PartChanges, PartUncompared, SurveyComparison};

/// What is not accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// A part by its name.
    pub part: String,
    /// Of its cells, those that were visited with this: a kernel, pages, a state.
    pub treatment: Option<String>,
    /// Which ratios are too much.
    pub bound: ChangeLimit,
}

/// A condition asks for what is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoSuchPart {
    /// No survey has such a part.
    #[error(
        "there is no part '{0}' in surveys: choose of {parts}, or a part with what its cells \
         were visited with, such as bandwidth.read",
        parts = compared().map(Instrument::name).collect::<Vec<_>>().join(", ")
    )]
    Unknown(String),
    /// Neither survey has it.
    #[error("cannot judge '{0}': neither survey has it")]
    InNeither(String),
    /// No cell was visited so.
    #[error("cannot judge '{0}': no cell that both have was visited with '{1}'")]
    NoCell(String, String),
    /// The surveys' parts are not compared, and why not.
    #[error("cannot judge '{0}'")]
    NotCompared(String, PartUncompared),
}

/// Instruments whose cells have the same names in two surveys.
fn compared() -> impl Iterator<Item = Instrument> {
    Instrument::ALL
        .into_iter()
        .filter(|one| !matches!(one, Instrument::PageSize | Instrument::Hidden))
}

/// What came of a condition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConditionResult {
    /// What is beyond: it holds.
    pub beyond: Vec<ConditionFinding>,
    /// What may be beyond: the interval does not decide.
    pub open: Vec<ConditionFinding>,
    /// What cannot be judged at all: one of the two has no figure of it.
    pub absent: Vec<ConditionFinding>,
}

/// What decides a condition, or leaves it open.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionFinding {
    /// All cells of a part moved together, by this ratio minus 1.
    Part(String, f64),
    /// A cell changed, by this ratio minus 1.
    Cell(String, f64),
    /// A cell may have changed, by a ratio within this, minus 1.
    MayHaveChanged(String, [f64; 2]),
    /// A cell is not compared, and why not.
    NotCompared(String, Option<CellUncompared>),
    /// Only the first survey has this row, column or treatment.
    Gone(String),
}

impl SurveyComparison {
    /// Whether a condition holds.
    pub fn judge(&self, condition: &Condition) -> Result<ConditionResult, NoSuchPart> {
        let name = condition.part.replace('_', "-");
        if !compared().any(|part| part.name() == name) {
            return Err(NoSuchPart::Unknown(condition.part.clone()));
        }
        let parts: Vec<&PartChanges> = self.parts.iter().filter(|part| part.part == name).collect();
        if parts.is_empty() {
            let not_compared = self.not_compared.iter().find(|one| one.part == name);
            let part = condition.part.clone();
            return Err(match not_compared {
                Some(not_compared) => NoSuchPart::NotCompared(part, not_compared.why.clone()),
                None => NoSuchPart::InNeither(part),
            });
        }
        let is_meant = |cell: &CellChange| match &condition.treatment {
            Some(wanted) => cell.treatment.values().any(|value| value == wanted),
            None => true,
        };
        let meant: Vec<&CellChange> =
            parts.iter().flat_map(|part| &part.cells).filter(|cell| is_meant(cell)).collect();
        if meant.is_empty() {
            let wanted = condition.treatment.as_deref().unwrap_or("any cell");
            return Err(NoSuchPart::NoCell(condition.part.clone(), wanted.to_owned()));
        }
        let mut judged = ConditionResult::default();
        for part in parts.iter().filter(|_| condition.treatment.is_none()) {
            judged.judge_common(part, condition.bound);
            judged.absent.extend(part.only_in[0].iter().cloned().map(ConditionFinding::Gone));
        }
        meant.into_iter().for_each(|cell| judged.judge_change(cell, condition.bound));
        Ok(judged)
    }
}

impl ConditionResult {
    fn judge_change(&mut self, change: &CellChange, bound: ChangeLimit) {
        let cell = change.name();
        let Some(moved) = change.change.map(|change| change.moved) else {
            let is_one_known = change.medians.iter().flatten().count() == 1;
            let side = if is_one_known { &mut self.absent } else { &mut self.open };
            return side.push(ConditionFinding::NotCompared(cell, change.why.clone()));
        };
        match bound.judge(&moved) {
            LimitExceeded::Yes => self.beyond.push(ConditionFinding::Cell(cell, moved.ratio)),
            LimitExceeded::Undetermined => {
                self.open.push(ConditionFinding::MayHaveChanged(cell, moved.ci95));
            }
            LimitExceeded::No => {}
        }
    }

    fn judge_common(&mut self, part: &PartChanges, bound: ChangeLimit) {
        let beyond = part.common.filter(|common| bound.judge(common) == LimitExceeded::Yes);
        self.beyond
            .extend(beyond.map(|common| ConditionFinding::Part(part.part.clone(), common.ratio)));
    }
}
