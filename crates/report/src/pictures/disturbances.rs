//! What was dropped, and when: one chart, a lane for each instrument and reason.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_survey::Survey;
use nearfar_view::draw::{Heading, Lane, Timeline};
use nearfar_view::text::count;

use super::SurveyPictures;

/// Lanes of the chart; the document lists all drops.
const MOST: usize = 1_000;

/// A chart of all instruments that dropped anything; a note where none did.
pub(super) fn draw(survey: &Survey) -> SurveyPictures {
    if survey.courses.is_empty() {
        return SurveyPictures::default();
    }
    let lanes = lanes(survey);
    if lanes.is_empty() {
        return SurveyPictures::default().with_note("No sample was dropped.");
    }
    SurveyPictures::one(Timeline {
        heading: Heading::with_marks(
            "Dropped samples",
            "Samples that a guard dropped, A/A controls included, by instrument and reason, from \
             an instrument's first round to its last",
            ["Many in one place are a burst of other activity; the same number everywhere is \
             usual for the machine."],
        ),
        slot: "round".to_owned(),
        counted: "sample".to_owned(),
        lanes,
    })
}

/// "12 samples dropped: latency 9, caches 3"; none where there is no chart.
pub(crate) fn summary(survey: &Survey) -> Option<String> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for disturbance in &survey.disturbances {
        let count = counts.entry(&disturbance.instrument).or_default();
        *count = count.saturating_add(disturbance.samples);
    }
    let timed: BTreeSet<&str> =
        survey.courses.iter().map(|course| course.instrument.as_str()).collect();
    counts.retain(|name, _| timed.contains(name));
    let all = counts.values().copied().fold(0, u64::saturating_add);
    let mut by_count: Vec<(&str, u64)> = counts.into_iter().collect();
    by_count.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let each: Vec<String> =
        by_count.iter().map(|(name, count)| format!("{name} {count}")).collect();
    (all > 0).then(|| format!("{} dropped: {}", count(all as usize, "sample"), each.join(", ")))
}

/// A lane for each instrument and reason, in the order of the instruments.
fn lanes(survey: &Survey) -> Vec<Lane> {
    let instruments = survey.courses.iter().zip(0usize..);
    let order: BTreeMap<&str, (usize, usize)> = instruments
        .map(|(course, at)| (course.instrument.as_str(), (at, course.rounds as usize)))
        .collect();
    let mut lanes: BTreeMap<(usize, &str), Lane> = BTreeMap::new();
    for disturbance in &survey.disturbances {
        let Some(&(at, slots)) = order.get(disturbance.instrument.as_str()) else { continue };
        let name = || format!("{}: {}", disturbance.instrument, disturbance.reason);
        let lane = lanes.entry((at, &disturbance.reason)).or_insert_with(|| Lane {
            name: name(),
            slots,
            counts: Vec::new(),
        });
        lane.counts.push((disturbance.round as usize, disturbance.samples));
    }
    lanes.into_values().take(MOST).collect()
}
