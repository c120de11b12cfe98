//! Is anything beyond what is accepted?

use nearfar_infer::changes::{ChangeLimit, LimitExceeded};

use super::{Both, Comparison};

/// What came of a condition.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// What is beyond: it holds.
    pub beyond: Vec<Judgement>,
    /// What may be beyond, as far as can be told.
    pub open: Vec<Judgement>,
    /// What cannot be judged at all: one of the two has no figure of it.
    pub absent: Vec<Judgement>,
}

/// How far a configuration reaches.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Which.
    pub id: String,
    /// How far.
    pub reach: Reach,
}

/// How far the second is from the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reach {
    /// So far: the second over the first, minus 1.
    Ratio(f64),
    /// Somewhere in the 95 % interval of that.
    Interval([f64; 2]),
    /// There are too few runs to tell.
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
pub struct OtherFigure(String, String);

impl Comparison {
    /// Whether the figure of this name is beyond a bound in any configuration. A configuration that
    /// fails always since the second is.
    pub fn judge(&self, figure: &str, bound: ChangeLimit) -> Result<Judged, OtherFigure> {
        if figure != self.objective.name {
            return Err(OtherFigure(self.objective.name.clone(), figure.to_owned()));
        }
        let mut judged = Judged::default();
        self.configurations.iter().for_each(|one| judged.hear(one, bound));
        let alone = |id: &String| Judgement { id: id.clone(), reach: Reach::OnlyInFirst };
        judged.absent.extend(self.only_in[0].iter().map(alone));
        if !judged.beyond.is_empty() || self.configurations.iter().any(|one| one.apart.is_some()) {
            return Ok(judged);
        }
        // Nothing at all was judged: that is no success.
        judged.absent.append(&mut judged.open);
        Ok(judged)
    }
}

impl Judged {
    fn hear(&mut self, one: &Both, bound: ChangeLimit) {
        let (list, reach) = match one.medians {
            [Some(_), Some(_)] => return self.hear_figures(one, bound),
            [Some(_), None] if one.failed[1] > 0 => (&mut self.beyond, Reach::SecondFails),
            [Some(_), None] => (&mut self.absent, Reach::SecondNeverRan),
            [None, Some(_)] => (&mut self.absent, Reach::FirstFails),
            [None, None] => (&mut self.open, Reach::BothFail),
        };
        list.push(Judgement { id: one.id.clone(), reach });
    }

    fn hear_figures(&mut self, one: &Both, bound: ChangeLimit) {
        let beyond = one.apart.map(|apart| (bound.judge(&apart), apart));
        let (list, reach) = match beyond {
            None => (&mut self.open, Reach::TooFewRuns),
            Some((LimitExceeded::Yes, apart)) => (&mut self.beyond, Reach::Ratio(apart.ratio)),
            Some((LimitExceeded::Undetermined, apart)) => {
                (&mut self.open, Reach::Interval(apart.ci95))
            }
            Some((LimitExceeded::No, _)) => return,
        };
        list.push(Judgement { id: one.id.clone(), reach });
    }
}
