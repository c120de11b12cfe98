//! Is anything beyond what is accepted? For tests of machines that end with a status.

use nearfar_infer::changes::{Beyond, Bound};
use nearfar_model::Instrument;

use super::{CellChange, Comparison, PartChanges};

/// What is not accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// A part by its name.
    pub part: String,
    /// Of its cells, those that were visited with this: a kernel, pages, a state.
    pub treatment: Option<String>,
    /// Which ratios are too much.
    pub bound: Bound,
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
    /// These surveys do not both have it.
    #[error("cannot judge '{0}': {1}")]
    NotCompared(String, String),
}

/// Instruments whose cells have the same names in two surveys.
fn compared() -> impl Iterator<Item = Instrument> {
    Instrument::ALL.into_iter().filter(|one| !matches!(one, Instrument::PageSize | Instrument::Hidden))
}

/// What came of a condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// What is beyond: it holds.
    pub beyond: Vec<String>,
    /// What may be beyond, as far as can be told.
    pub open: Vec<String>,
    /// What cannot be judged at all: one of the two has no figure of it.
    pub absent: Vec<String>,
}

impl Comparison {
    /// Whether a condition holds.
    pub fn judge(&self, condition: &Condition) -> Result<Judged, NoSuchPart> {
        let name = condition.part.replace('_', "-");
        if !compared().any(|part| part.name() == name) {
            return Err(NoSuchPart::Unknown(condition.part.clone()));
        }
        let not = |why: &str| NoSuchPart::NotCompared(condition.part.clone(), why.to_owned());
        let parts: Vec<&PartChanges> = self.parts.iter().filter(|part| part.part == name).collect();
        if parts.is_empty() {
            let told = self.not_compared.iter().find(|one| one.part == name);
            return Err(not(told.map_or("neither survey has it", |told| told.why.as_str())));
        }
        let is_meant = |cell: &CellChange| match &condition.treatment {
            Some(wanted) => cell.treatment.values().any(|value| value == wanted),
            None => true,
        };
        let meant: Vec<&CellChange> = parts.iter().flat_map(|part| &part.cells).filter(|cell| is_meant(cell)).collect();
        if meant.is_empty() {
            let wanted = condition.treatment.as_deref().unwrap_or("any cell");
            return Err(not(&format!("no cell that both have was visited with '{wanted}'")));
        }
        let mut judged = Judged::default();
        for part in parts.iter().filter(|_| condition.treatment.is_none()) {
            judged.hear_common(part, condition.bound);
            judged.absent.extend(part.only_in[0].iter().map(|gone| format!("only the first has {gone}")));
        }
        meant.into_iter().for_each(|cell| judged.hear(cell, condition.bound));
        Ok(judged)
    }
}

impl Judged {
    fn hear(&mut self, cell: &CellChange, bound: Bound) {
        let Some(change) = cell.change else {
            let side = if cell.medians.iter().flatten().count() == 1 { &mut self.absent } else { &mut self.open };
            return side.push(format!("{} ({})", cell.name(), cell.why.as_deref().unwrap_or("not compared")));
        };
        let percent = |ratio: f64| format!("{:+.1} %", 100.0 * ratio);
        let [low, high] = change.moved.ci95;
        match bound.judge_moved(&change.moved) {
            Beyond::Yes => self.beyond.push(format!("{} ({})", cell.name(), percent(change.moved.ratio))),
            Beyond::Undetermined => self.open.push(format!("{} ({} to {})", cell.name(), percent(low), percent(high))),
            Beyond::No => {}
        }
    }

    fn hear_common(&mut self, part: &PartChanges, bound: Bound) {
        let Some(common) = part.common.filter(|common| bound.judge_moved(common) == Beyond::Yes) else { return };
        self.beyond.push(format!("all cells of {} ({:+.1} %)", part.part, 100.0 * common.ratio));
    }
}
