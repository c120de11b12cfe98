//! What was dropped, and when: a lane for each instrument and reason, over its rounds.

use nearfar_draw::{Heading, Lane, Timeline};
use nearfar_survey::{Course, Survey};

use super::Shown;

/// A timeline for each instrument that dropped anything; a remark where none did.
pub(super) fn draw(survey: &Survey) -> Shown {
    if survey.courses.is_empty() {
        return Shown::default();
    }
    let pictures: Vec<Timeline> = survey.courses.iter().filter_map(|course| timeline(survey, course)).collect();
    if pictures.is_empty() {
        return Shown::default().remark("No sample was dropped.");
    }
    let drawn = pictures.into_iter().map(|one| super::Drawn::Other(Box::new(one)));
    Shown { pictures: drawn.collect(), remarks: Vec::new() }
}

fn timeline(survey: &Survey, course: &Course) -> Option<Timeline> {
    let mut lanes: Vec<Lane> = Vec::new();
    for one in survey.disturbances.iter().filter(|one| one.instrument == course.instrument) {
        let slot = one.round as usize;
        match lanes.iter_mut().find(|lane| lane.name == one.reason) {
            Some(lane) => lane.counts.push((slot, one.samples)),
            None => lanes.push(Lane { name: one.reason.clone(), counts: vec![(slot, one.samples)] }),
        }
    }
    if lanes.is_empty() {
        return None;
    }
    Some(Timeline {
        heading: Heading::new(
            format!("Dropped samples of {}", course.instrument),
            "Samples that a guard refused, by round and reason; most were made again. Dashed lines: a fresh worker process began. Many in one place are a burst on the machine; the same number everywhere is its habit.",
        ),
        slot: "round".to_owned(),
        counted: "samples".to_owned(),
        slots: course.rounds as usize,
        lanes,
        starts: course.process_starts.iter().map(|&round| round as usize).collect(),
    })
}
