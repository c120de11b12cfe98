//! Surveys that are left out by their time: later than one that was asked for, or of a wrong clock.

use jiff::Timestamp;

use crate::fleet::DocumentFault;
use crate::fleet::surveys::{FleetSurvey, FleetSurveys, NotJudged};

/// Clocks may differ by this much from that of the machine that reads.
pub(crate) const CLOCKS_DIFFER_S: i64 = 24 * 3600;
/// nearfar has no survey that is older: a clock was not set.
const FIRST_SURVEY_S: i64 = 1_735_689_600;

impl FleetSurveys {
    /// Leaves out surveys that began after this time, and those without a time.
    ///
    /// # Errors
    ///
    /// Nothing is left.
    pub fn leave_out_after(&mut self, time: Timestamp) -> Result<(), NotJudged> {
        let is_none = self.surveys.is_empty();
        self.leave_out(|survey| {
            let started = survey.started.clone();
            survey.began.is_none().then_some(DocumentFault::NoTime { started })
        });
        self.surveys.retain(|survey| survey.began.is_none_or(|began| began <= time));
        match self.surveys.is_empty() && !is_none {
            true => Err(NotJudged::AllLater(time)),
            false => Ok(()),
        }
    }

    /// Leaves out surveys of machines whose clock was wrong: in the future, never set, or earlier
    /// than the machine's own kernel or BIOS.
    pub fn leave_out_wrong_clocks(&mut self, now: Timestamp) {
        let latest = now.as_second() + CLOCKS_DIFFER_S;
        let is_late =
            |survey: &FleetSurvey| survey.began.is_some_and(|began| began.as_second() > latest);
        let is_early = |survey: &FleetSurvey| {
            survey.began.is_some_and(|began| began.as_second() < FIRST_SURVEY_S)
        };
        // Where most are of the future, it is the reader's clock that is wrong.
        let is_now = !is_most(&self.surveys, is_late);
        let built = |survey: &FleetSurvey| later_build(survey, now);
        // Where most are older than their kernels, their times were changed on purpose.
        let has_builds = !is_most(&self.surveys, |survey| built(survey).is_some());
        self.leave_out(|survey| {
            let built = built(survey).filter(|_| has_builds);
            let is_wrong = is_early(survey) || (is_now && is_late(survey)) || built.is_some();
            let built = built.map(|day| day.strftime("%Y-%m-%d").to_string());
            is_wrong.then(|| DocumentFault::WrongClock { started: survey.started.clone(), built })
        });
    }

    fn leave_out(&mut self, fault: impl Fn(&FleetSurvey) -> Option<DocumentFault>) {
        for survey in std::mem::take(&mut self.surveys) {
            match fault(&survey) {
                Some(fault) => self.skip(&survey.place, Some(survey.line), fault),
                None => self.surveys.push(survey),
            }
        }
    }
}

fn is_most(surveys: &[FleetSurvey], is_it: impl Fn(&FleetSurvey) -> bool) -> bool {
    2 * surveys.iter().filter(|survey| is_it(survey)).count() > surveys.len()
}

/// The day on which the kernel or the BIOS was built, if that is later than the survey, by more
/// than clocks differ. A day in the future is no day: vendors write some.
fn later_build(survey: &FleetSurvey, now: Timestamp) -> Option<Timestamp> {
    let built = survey.built.filter(|built| *built <= now)?;
    let is_later = built.as_second() - survey.began?.as_second() > CLOCKS_DIFFER_S;
    is_later.then_some(built)
}
