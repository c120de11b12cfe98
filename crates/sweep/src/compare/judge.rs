//! Is anything beyond what is accepted?

use nearfar_infer::changes::{ChangeLimit, LimitExceeded};

use super::{ComparedConfiguration, SweepComparison};

/// What came of a condition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundCheck {
    /// What is beyond: it holds.
    pub beyond: Vec<CheckedConfiguration>,
    /// What may be beyond: the interval does not decide.
    pub open: Vec<CheckedConfiguration>,
    /// What cannot be judged at all: one of the two has no figure of it.
    pub absent: Vec<CheckedConfiguration>,
}

/// How far a configuration reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedConfiguration {
    /// Which.
    pub id: String,
    /// How far.
    pub reach: CheckedChange,
}

/// How far the second is from the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CheckedChange {
    /// So far: the second over the first, minus 1.
    Ratio(f64),
    /// Somewhere in the 95 % interval of that.
    Interval([f64; 2]),
    /// There are too few runs to decide.
    TooFewRuns,
    /// Only the first has the configuration.
    OnlyInFirst,
    /// Every run of the second failed.
    SecondFails,
    /// The second has no run of it.
    SecondNeverRan,
    /// The first has no run that succeeded.
    FirstFails,
    /// Neither has a run that succeeded.
    BothFail,
}

/// A condition names another figure than the one that both are judged by.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("these sweeps are judged by {0}, and not by '{1}'")]
pub struct WrongObjective(String, String);

impl SweepComparison {
    /// Whether the figure of this name is beyond a bound in any configuration. A configuration that
    /// fails always since the second is.
    pub fn judge(&self, figure: &str, bound: ChangeLimit) -> Result<BoundCheck, WrongObjective> {
        if figure != self.objective.name {
            return Err(WrongObjective(self.objective.name.clone(), figure.to_owned()));
        }
        let mut judged = BoundCheck::default();
        self.configurations.iter().for_each(|configuration| judged.check(configuration, bound));
        let alone = |id: &String| CheckedConfiguration {
            id: id.clone(),
            reach: CheckedChange::OnlyInFirst,
        };
        judged.absent.extend(self.only_in[0].iter().map(alone));
        if !judged.beyond.is_empty()
            || self.configurations.iter().any(|configuration| configuration.apart.is_some())
        {
            return Ok(judged);
        }
        // Nothing at all was judged: that is no success.
        judged.absent.append(&mut judged.open);
        Ok(judged)
    }
}

impl BoundCheck {
    fn check(&mut self, one: &ComparedConfiguration, bound: ChangeLimit) {
        let (list, reach) = match one.medians {
            [Some(_), Some(_)] => return self.check_figures(one, bound),
            [Some(_), None] if one.failed[1] > 0 => (&mut self.beyond, CheckedChange::SecondFails),
            [Some(_), None] => (&mut self.absent, CheckedChange::SecondNeverRan),
            [None, Some(_)] => (&mut self.absent, CheckedChange::FirstFails),
            [None, None] => (&mut self.open, CheckedChange::BothFail),
        };
        list.push(CheckedConfiguration { id: one.id.clone(), reach });
    }

    fn check_figures(&mut self, one: &ComparedConfiguration, bound: ChangeLimit) {
        let beyond = one.apart.map(|apart| (bound.judge(&apart), apart));
        let (list, reach) = match beyond {
            None => (&mut self.open, CheckedChange::TooFewRuns),
            Some((LimitExceeded::Yes, apart)) => {
                (&mut self.beyond, CheckedChange::Ratio(apart.ratio))
            }
            Some((LimitExceeded::Undetermined, apart)) => {
                (&mut self.open, CheckedChange::Interval(apart.ci95))
            }
            Some((LimitExceeded::No, _)) => return,
        };
        list.push(CheckedConfiguration { id: one.id.clone(), reach });
    }
}
