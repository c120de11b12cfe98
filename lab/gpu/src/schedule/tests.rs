use super::{CopyWork, RecordId, Schedule};
use crate::fair_share::Demand;

const MB: f64 = 1e6;

fn copy(bytes: f64, rate: f64, links: &[usize]) -> CopyWork {
    CopyWork { latency_ns: 2000.0, bytes, demand: Demand { limit: rate, links: links.to_vec() } }
}

/// The times of records, once everything is done.
fn times(mut schedule: Schedule, records: &[RecordId]) -> Vec<f64> {
    let streams: Vec<usize> = (0..schedule.streams.len()).collect();
    let end = schedule.when_done(&streams).now();
    schedule.advance(end);
    assert!(schedule.is_done(&streams));
    let happened = schedule.take_happened();
    let time = |id: &RecordId| happened.iter().find(|(other, _)| other == id).map(|(_, ns)| *ns);
    records.iter().filter_map(time).collect()
}

#[track_caller]
fn assert_near(found: &[f64], wanted: &[f64]) {
    let is_near = |(found, wanted): (&f64, &f64)| (found - wanted).abs() < 1e-3;
    assert!(
        found.len() == wanted.len() && found.iter().zip(wanted).all(is_near),
        "{found:?} instead of {wanted:?}"
    );
}

#[test]
fn copies_of_a_stream_follow_each_other() {
    let mut schedule = Schedule::new(Vec::new());
    let stream = schedule.add_stream();
    let start = schedule.record(stream);
    schedule.submit(stream, copy(25.0 * MB, 25.0, &[]));
    let middle = schedule.record(stream);
    schedule.submit(stream, copy(0.0, 25.0, &[]));
    let end = schedule.record(stream);
    assert_near(&times(schedule, &[start, middle, end]), &[0.0, 1_002_000.0, 1_004_000.0]);
}

#[test]
fn streams_share_a_link_while_both_move() {
    let mut schedule = Schedule::new(vec![30.0]);
    let [first, second] = [(); 2].map(|()| schedule.add_stream());
    schedule.submit(first, copy(15.0 * MB, 25.0, &[0]));
    schedule.submit(second, copy(40.0 * MB, 25.0, &[0]));
    let ends = [schedule.record(first), schedule.record(second)];
    // 15 MB at 15 GB/s each; then the other's remaining 25 MB at its own 25 GB/s.
    assert_near(&times(schedule, &ends), &[1_002_000.0, 2_002_000.0]);
}

#[test]
fn stream_waits_for_a_record_of_another() {
    let mut schedule = Schedule::new(Vec::new());
    let [first, second] = [(); 2].map(|()| schedule.add_stream());
    schedule.submit(first, copy(25.0 * MB, 25.0, &[]));
    let gate = schedule.record(first);
    schedule.wait_for(second, gate);
    let start = schedule.record(second);
    schedule.submit(second, copy(10.0 * MB, 10.0, &[]));
    let end = schedule.record(second);
    assert_near(&times(schedule, &[gate, start, end]), &[1_002_000.0, 1_002_000.0, 2_004_000.0]);
}

#[test]
fn advancing_in_parts_changes_nothing() {
    let mut schedule = Schedule::new(vec![30.0]);
    let [first, second] = [(); 2].map(|()| schedule.add_stream());
    schedule.submit(first, copy(15.0 * MB, 25.0, &[0]));
    schedule.submit(second, copy(40.0 * MB, 25.0, &[0]));
    let ends = [schedule.record(first), schedule.record(second)];
    for step in 0..777 {
        schedule.advance(f64::from(step) * 1000.0);
    }
    assert_near(&times(schedule, &ends), &[1_002_000.0, 2_002_000.0]);
}

#[test]
fn end_is_that_of_the_streams_that_are_asked_for() {
    let mut schedule = Schedule::new(Vec::new());
    let [first, second] = [(); 2].map(|()| schedule.add_stream());
    schedule.submit(first, copy(25.0 * MB, 25.0, &[]));
    schedule.submit(second, copy(50.0 * MB, 25.0, &[]));
    assert_near(
        &[schedule.when_done(&[first]).now(), schedule.when_done(&[first, second]).now()],
        &[1_002_000.0, 2_002_000.0],
    );
    assert_near(&[schedule.now(), schedule.when_done(&[]).now()], &[0.0, 0.0]);
}
