//! Responses and forecasts written by hand, against golden text.

use fastrand::Rng;
use nearfar_infer::normal;
use nearfar_infer::response::{DosePeriod, LatencyRange, dose_points, relative_time, response};
use nearfar_live::explain::{
    DOSES, Direction, DosePlacement, DoseUnit, DosedProcess, DroppedDose, ForecastMachine,
    MachineLatencies, Metric, MetricKind, MovingCost, Obstacle, RESPONSE_SCHEMA, ResponseDocument,
    ResponsePeriod, SurveyUsed, TrialledProcess, forecast_elsewhere, forecasts_here, text,
};
use nearfar_model::{Bytes, NodeId, NodeSet};
use nearfar_view::draw::Picture;
use snapbox::{assert_data_eq, file};

const NEAR: f64 = 78.6;
const FAR: f64 = 144.1;

fn exactly(ns: f64) -> LatencyRange {
    LatencyRange { ns, range: [0.99 * ns, 1.01 * ns] }
}

/// Periods of a program that all-far memory costs this, halfway this beside a line; its figures
/// scatter by so much.
fn periods(blocks: u32, effect: f64, bend: f64, scatter: f64) -> Vec<ResponsePeriod> {
    let mut rng = Rng::with_seed(1);
    let mut all = Vec::new();
    for block in 0..blocks {
        for wanted in DOSES.map(Some).into_iter().chain([None]) {
            // As it was found, its hot pages were far.
            let share = wanted.map_or(1.0, |percent| f64::from(percent) / 100.0);
            let time = 1.0 + effect * share + 4.0 * bend * share * (1.0 - share);
            all.push(ResponsePeriod {
                block,
                wanted,
                far_share: share,
                dose: Some(NEAR + share * (FAR - NEAR)),
                figure: Some(900_000.0 / time * (scatter * normal(&mut rng)).exp()),
                dropped: None,
                moved_bytes: Bytes::mib(2),
                moving_s: 0.01,
            });
        }
    }
    all
}

fn document(periods: Vec<ResponsePeriod>) -> ResponseDocument {
    let (mut counted, mut beside) = (Vec::new(), Vec::new());
    for period in periods.iter().filter(|period| period.dropped.is_none()) {
        let (block, log_time) = (period.block, -period.figure.unwrap().ln());
        let dose = period.dose.unwrap();
        match period.wanted {
            Some(wanted) => counted.push((wanted, DosePeriod { block, dose, log_time })),
            None => beside.push((block, log_time)),
        }
    }
    let all: Vec<DosePeriod> = counted.iter().map(|(_, period)| *period).collect();
    let found = response(&all, [NEAR, FAR]);
    let mut document = ResponseDocument {
        schema: RESPONSE_SCHEMA.to_owned(),
        started: "2026-11-29T11:00:00Z".to_owned(),
        machine: Some("Xeon-8269CY-2P".to_owned()),
        target: "4242".to_owned(),
        survey: Some(SurveyUsed {
            file: "db7-20261126.json".to_owned(),
            started: "2026-11-26T08:00:00Z".to_owned(),
        }),
        metric: Metric {
            name: "cat /run/requests".to_owned(),
            kind: MetricKind::Command,
            direction: Direction::MoreIsBetter,
            is_counter: true,
        },
        period_s: 3.0,
        seed: 1,
        unit: DoseUnit::Nanoseconds,
        near: exactly(NEAR),
        far: exactly(FAR),
        interleaved: exactly(f64::midpoint(NEAR, FAR)),
        as_found: Some(138.3),
        time_as_found: relative_time(&beside, &all, &found),
        nodes: vec![DosedProcess {
            pid: 4242,
            name: "postgres\u{1b}".to_owned(),
            near: NodeId(0),
            far: NodeId(1),
            weight: 1.0,
            obstacles: vec![Obstacle::Policy {
                policy: "bind:1".to_owned(),
                nodes: NodeSet::from_id(NodeId(1)),
                wanted: NodeSet::from_iter([NodeId(0), NodeId(1)]),
            }],
        }],
        moved_together: Bytes::mib(2),
        points: dose_points(&counted, &found),
        response: found,
        forecasts: Vec::new(),
        placements: Vec::new(),
        moving: MovingCost {
            seconds: 0.4,
            share: 0.003,
            limit: 0.03,
            bytes: Bytes::mib(80),
            taking_part: 0.6,
            far_memory: Some(0.415),
        },
        periods,
        balancing_was_off: true,
        started_meanwhile: 2,
        processes: vec![TrialledProcess {
            pid: 4242,
            moved_bytes: Bytes::gib(11),
            unmoved_bytes: Bytes::mib(2),
            restored_bytes: Bytes::gib(12),
            unrestored_bytes: Bytes(0),
            has_ended: false,
        }],
    };
    document.forecasts = forecasts_here(&document);
    document
}

fn elsewhere(document: &ResponseDocument) -> String {
    let machine = ForecastMachine {
        name: "EPYC-7451-2P".to_owned(),
        source: "survey.json (2026-11-28T08:00:00Z)".to_owned(),
    };
    let cell = |cpus: u32, memory: u32, ns| ((NodeId(cpus), NodeId(memory)), exactly(ns));
    let latencies: MachineLatencies =
        [cell(0, 0, 90.0), cell(0, 1, 308.7), cell(1, 0, 308.7), cell(1, 1, 90.0)].into();
    text::forecast_text(&forecast_elsewhere(document, machine, &latencies))
}

#[test]
fn a_program_that_waits_for_memory() {
    let mut all = periods(8, FAR / NEAR - 1.0, 0.0, 0.01);
    all[3].dropped = Some(DroppedDose::PagesMoved);
    let document = document(all);
    let text = text::response_text(&document);
    assert_data_eq!(&text, file!["../golden/response.txt"]);
    let first: Vec<&str> = text.lines().take(3).collect();
    assert!(first[1].contains("Memory's place matters"), "{first:?}");
    assert_data_eq!(elsewhere(&document), file!["../golden/forecast.txt"]);
    let csv = text::response_csv(&document);
    assert_eq!(csv.lines().count(), 49, "{csv}");
    assert!(csv.starts_with("block,wanted_far_percent,far_share,dose,figure,counts,moving_s\n"));
    let json = serde_json::to_string(&document).unwrap();
    assert_eq!(serde_json::from_str::<ResponseDocument>(&json).unwrap(), document);
    let picture = text::response_picture(&document).unwrap();
    assert!(picture.heading().description().contains("matters"));
    assert_eq!(picture.series[0].points.len(), 5);
}

#[test]
fn a_program_that_was_started_at_each_dose() {
    let mut of_runs = document(periods(8, 0.4, 0.0, 0.01));
    let words = ["--membind=0", "--interleave=0,1,2", "--interleave=0,3"];
    let words = words.into_iter().chain(["--interleave=3,4", "--membind=3"]);
    of_runs.placements = words
        .zip(DOSES)
        .map(|(words, percent)| DosePlacement {
            words: format!("--cpunodebind=0 {words}"),
            dose: NEAR + f64::from(percent) / 100.0 * (FAR - NEAR),
            percent,
        })
        .collect();
    (of_runs.nodes, of_runs.processes, of_runs.as_found) = (Vec::new(), Vec::new(), None);
    of_runs.target = "./solver input\u{1b}.dat".to_owned();
    of_runs.metric.name = "run time".to_owned();
    of_runs.forecasts = forecasts_here(&of_runs);
    let text = text::response_text(&of_runs);
    assert_data_eq!(&text, file!["../golden/response-of-runs.txt"]);
    assert!(!text.contains("process") && !text.contains("--period"), "{text}");
    of_runs.response = response(&[], [NEAR, FAR]);
    assert!(text::response_text(&of_runs).contains("Give more --runs"));
}

#[test]
fn every_verdict_has_its_sentence() {
    for (effect, bend, scatter, blocks, words) in [
        (0.0, 0.0, 0.001, 8, "does not matter: with all memory far, its time changes by 0."),
        (0.0, 0.0, 0.05, 4, "Undetermined: with all memory far"),
        (0.0, 0.0, 0.05, 4, "--blocks, or a longer --period, would decide."),
        (0.8, 0.3, 0.005, 8, "It bends: half far"),
        (0.8, 0.0, 0.01, 2, "No result: fewer than three blocks"),
    ] {
        let document = document(periods(blocks, effect, bend, scatter));
        let text = text::response_text(&document).replace("\n         ", " ");
        assert!(text.contains(words), "{words}: {text}");
        assert_eq!(text.contains("Each added ns"), effect > 0.0 && blocks > 2, "{text}");
    }
    let mut alike = periods(8, 0.8, 0.0, 0.01);
    alike.iter_mut().for_each(|period| (period.far_share, period.dose) = (0.03, Some(80.0)));
    let text = text::response_text(&document(alike));
    assert!(text.contains("No result: 3.0 % to 3.0 % of its memory was far"), "{text}");
}

#[test]
fn a_machine_of_one_node_has_one_placement() {
    let document = document(periods(8, 0.8, 0.0, 0.01));
    let machine = ForecastMachine { name: "one".to_owned(), source: "one.json".to_owned() };
    let latencies: MachineLatencies = [((NodeId(0), NodeId(0)), exactly(126.0))].into();
    assert_eq!(forecast_elsewhere(&document, machine, &latencies).forecasts.len(), 1);
}

#[test]
fn forecasts_are_refused_by_name() {
    let bent = document(periods(8, 0.8, 0.3, 0.005));
    assert!(elsewhere(&bent).contains("the response bends"), "{}", elsewhere(&bent));
    let steep = document(periods(8, 2.0, 0.0, 0.005));
    assert!(elsewhere(&steep).contains("more than its latency can"), "{}", elsewhere(&steep));
    let text = text::response_text(&steep).replace("\n         ", " ");
    assert!(text.contains("more than latency can (+83.3 % at most)"), "{text}");
    let few = document(periods(2, 0.8, 0.0, 0.005));
    assert!(elsewhere(&few).contains("the response has no slope"), "{}", elsewhere(&few));
    let mut shares = document(periods(8, 0.8, 0.0, 0.005));
    shares.unit = DoseUnit::FarShare;
    assert!(elsewhere(&shares).contains("without a survey"), "{}", elsewhere(&shares));
}
