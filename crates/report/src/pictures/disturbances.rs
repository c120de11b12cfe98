//! What was dropped, and when: a lane for each instrument and reason, over its rounds.

use std::collections::BTreeMap;

use nearfar_draw::{Heading, Lane, Timeline};
use nearfar_survey::{RoundTimeline, Survey};

use super::{Drawn, Shown};

/// Instruments that have a timeline; there are a dozen.
const MOST: usize = 32;

/// A timeline for each instrument that dropped anything; a remark where none did.
pub(super) fn draw(survey: &Survey) -> Shown {
    if survey.courses.is_empty() {
        return Shown::default();
    }
    let mut lanes = lanes(survey);
    let mut told = survey.courses.iter().filter_map(|course| {
        let lanes = lanes.remove(course.instrument.as_str())?;
        Some(Drawn::Other(Box::new(timeline(course, lanes))))
    });
    let pictures: Vec<Drawn> = told.by_ref().take(MOST).collect();
    let remark = match (pictures.is_empty(), told.count()) {
        (true, _) => Some("No sample was dropped.".to_owned()),
        (false, 0) => None,
        (false, more) => {
            Some(format!("{more} instruments more dropped samples: they are in the document."))
        }
    };
    Shown::of(pictures, remark)
}

/// The lanes of each instrument, a lane for each reason.
fn lanes(survey: &Survey) -> BTreeMap<&str, Vec<Lane>> {
    let mut of_instrument: BTreeMap<&str, Vec<Lane>> = BTreeMap::new();
    let mut places: BTreeMap<[&str; 2], usize> = BTreeMap::new();
    for one in &survey.disturbances {
        let lanes = of_instrument.entry(&one.instrument).or_default();
        let at = *places.entry([&one.instrument, &one.reason]).or_insert(lanes.len());
        if at == lanes.len() {
            lanes.push(Lane { name: one.reason.clone(), counts: Vec::new() });
        }
        lanes[at].counts.push((one.round as usize, one.samples));
    }
    of_instrument
}

fn timeline(course: &RoundTimeline, lanes: Vec<Lane>) -> Timeline {
    Timeline {
        heading: Heading::new(
            format!("Dropped samples of {}", course.instrument),
            "Samples that a guard refused, by round and reason; most were made again. Dashed \
             lines: a fresh worker process began. Many in one place are a burst on the machine; \
             the same number everywhere is its habit.",
        ),
        slot: "round".to_owned(),
        counted: "samples".to_owned(),
        slots: course.rounds as usize,
        lanes,
        starts: course.process_starts.iter().map(|&round| round as usize).collect(),
    }
}
