//! What was dropped, and when: a lane for each instrument and reason, over its rounds.

use std::collections::BTreeMap;

use nearfar_draw::{Heading, Lane, Timeline};
use nearfar_survey::{Course, Survey};

use super::{Drawn, Shown};

/// Instruments that have a timeline; there are a dozen.
const MOST: usize = 32;

/// Lanes, and where each reason's is.
#[derive(Default)]
struct Lanes<'s> {
    lanes: Vec<Lane>,
    of_reason: BTreeMap<&'s str, usize>,
}

/// A timeline for each instrument that dropped anything; a remark where none did.
pub(super) fn draw(survey: &Survey) -> Shown {
    if survey.courses.is_empty() {
        return Shown::default();
    }
    let mut lanes = lanes(survey);
    let told = survey.courses.iter().filter_map(|course| {
        let lanes = lanes.remove(course.instrument.as_str())?;
        Some(Drawn::Other(Box::new(timeline(course, lanes))))
    });
    let mut pictures: Vec<Drawn> = told.collect();
    let more = pictures.len().saturating_sub(MOST);
    pictures.truncate(MOST);
    let shown = Shown { pictures, remarks: Vec::new() };
    match (shown.pictures.is_empty(), more) {
        (true, _) => shown.remark("No sample was dropped."),
        (false, 0) => shown,
        (false, more) => shown.remark(format!("{more} instruments more dropped samples: they are in the document.")),
    }
}

/// The lanes of each instrument, a lane for each reason.
fn lanes(survey: &Survey) -> BTreeMap<&str, Vec<Lane>> {
    let mut of_instrument: BTreeMap<&str, Lanes<'_>> = BTreeMap::new();
    for one in &survey.disturbances {
        let Lanes { lanes, of_reason } = of_instrument.entry(&one.instrument).or_default();
        let at = *of_reason.entry(&one.reason).or_insert(lanes.len());
        if at == lanes.len() {
            lanes.push(Lane { name: one.reason.clone(), counts: Vec::new() });
        }
        lanes[at].counts.push((one.round as usize, one.samples));
    }
    of_instrument.into_iter().map(|(instrument, found)| (instrument, found.lanes)).collect()
}

fn timeline(course: &Course, lanes: Vec<Lane>) -> Timeline {
    Timeline {
        heading: Heading::new(
            format!("Dropped samples of {}", course.instrument),
            "Samples that a guard refused, by round and reason; most were made again. Dashed lines: a fresh worker process began. Many in one place are a burst on the machine; the same number everywhere is its habit.",
        ),
        slot: "round".to_owned(),
        counted: "samples".to_owned(),
        slots: course.rounds as usize,
        lanes,
        starts: course.process_starts.iter().map(|&round| round as usize).collect(),
    }
}
