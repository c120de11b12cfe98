//! Is anything beyond what is accepted?

use nearfar_infer::changes::{Beyond, Bound};

use super::{Both, Comparison};

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

/// A condition names another figure than the one that both are judged by.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these sweeps are judged by {0}, and not by '{1}'")]
pub struct OtherFigure(String, String);

impl Comparison {
    /// Whether the figure of this name is beyond a bound in any configuration. A configuration that fails always since the second is.
    pub fn judge(&self, figure: &str, bound: Bound) -> Result<Judged, OtherFigure> {
        if figure != self.objective.name {
            return Err(OtherFigure(self.objective.name.clone(), figure.to_owned()));
        }
        let mut judged = Judged::default();
        self.configurations.iter().for_each(|one| judged.hear(one, bound));
        judged.absent.extend(self.only_in[0].iter().map(|name| format!("{name}: only the first has it")));
        if !judged.beyond.is_empty() || self.configurations.iter().any(|one| one.apart.is_some()) {
            return Ok(judged);
        }
        // Nothing at all was judged: that is no success.
        judged.absent.append(&mut judged.open);
        Ok(judged)
    }
}

impl Judged {
    fn hear(&mut self, one: &Both, bound: Bound) {
        match one.medians {
            [Some(_), Some(_)] => self.hear_figures(one, bound),
            [Some(_), None] if one.failed[1] > 0 => {
                self.beyond.push(format!("{} (every run of the second failed)", one.id));
            }
            [Some(_), None] => self.absent.push(format!("{}: the second has no run of it", one.id)),
            [None, Some(_)] => self.absent.push(format!("{}: the first has no run that succeeded", one.id)),
            [None, None] => self.open.push(format!("{} (no run succeeded in either)", one.id)),
        }
    }

    fn hear_figures(&mut self, one: &Both, bound: Bound) {
        let Some(apart) = one.apart else { return self.open.push(format!("{} (too few runs)", one.id)) };
        let percent = |ratio: f64| format!("{:+.1} %", 100.0 * ratio);
        let [low, high] = apart.ci95.map(percent);
        match bound.judge(apart.ratio, apart.ci95, apart.real) {
            Beyond::Yes => self.beyond.push(format!("{} ({})", one.id, percent(apart.ratio))),
            Beyond::Undetermined => self.open.push(format!("{} ({low} to {high})", one.id)),
            Beyond::No => {}
        }
    }
}
