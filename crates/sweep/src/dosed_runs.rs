//! The runs of a sweep over doses, and the response that they show.

use nearfar_infer::response::{DosePeriod, Response, response};

use crate::document::Sweep;
use crate::doses::{SweepDose, SweepDoses};

/// The runs of a sweep over doses that count.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DosedRuns {
    /// Those at a dose, with the dose in per cent.
    pub at_doses: Vec<(u32, DosePeriod)>,
    /// Block and logarithm of the cost of those without a placement.
    pub unbound: Vec<(u32, f64)>,
}

impl DosedRuns {
    /// Those of a sweep.
    pub fn new(sweep: &Sweep, doses: &SweepDoses) -> Self {
        let mut all = Self::default();
        for one in &sweep.configurations {
            let dose = doses.of(&one.configuration.placement);
            for run in &one.configuration.runs {
                let figure = sweep.objective.figure(run).filter(|figure| *figure > 0.0);
                let Some(figure) = figure else { continue };
                let (block, log_time) = (run.block, sweep.objective.turned(figure).ln());
                match dose {
                    Some(SweepDose { dose, percent, .. }) => {
                        let period = DosePeriod { block, dose: *dose, log_time };
                        all.at_doses.push((*percent, period));
                    }
                    None => all.unbound.push((block, log_time)),
                }
            }
        }
        all
    }

    /// Those at a dose.
    pub fn periods(&self) -> Vec<DosePeriod> {
        self.at_doses.iter().map(|(_, period)| *period).collect()
    }
}

impl Sweep {
    /// What its doses show; `None` without doses.
    pub(crate) fn response(&self) -> Option<Response> {
        let doses = self.doses.as_ref()?;
        let periods = DosedRuns::new(self, doses).periods();
        Some(response(&periods, [doses.near.ns, doses.far.ns]))
    }
}
