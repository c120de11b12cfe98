//! Workers in this process.

use nearfar_model::{Bytes, CpuId, CpuSet};
use nearfar_place::affinity;

use super::*;
use crate::answer::{Reading, Visit};
use crate::job::ColumnJob;
use crate::spec::{PageSize, ProbeSpec};

fn column(probe: ProbeSpec) -> ColumnJob {
    ColumnJob { probe, node: None, pages: 2, touch_from: CpuSet::new(), free: None, why_not: None }
}

/// One row of all CPUs; so many visits to each column.
fn job(columns: Vec<ColumnJob>, visits: u32) -> Job {
    let each = |round| (0..columns.len()).map(move |column| Visit { round, row: 0, column, draw: round });
    let visits = (0..visits).flat_map(each).collect();
    let setup = Setup { rows: vec![affinity().unwrap()], columns, spinners: CpuSet::new() };
    Job { setup, batch: Batch { process: 0, seed: 42, visits } }
}

fn answers(job: &Job) -> Vec<Answer> {
    let line = serde_json::to_string(job).unwrap() + "\n";
    let mut output = Vec::new();
    serve(line.as_bytes(), &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn readings(answers: &[Answer]) -> Vec<Reading> {
    let reading = |answer: &Answer| if let Answer::Reading(reading) = answer { Some(*reading) } else { None };
    answers.iter().filter_map(reading).collect()
}

#[test]
fn every_probe_gives_plausible_readings() {
    let small = |spec: ProbeSpec| ProbeSpec { size: Bytes::mib(4), accesses: 1 << 16, ..spec };
    let specs = [
        ProbeSpec::page(),
        small(ProbeSpec::chase(PageSize::Huge)),
        small(ProbeSpec::chase(PageSize::Base)),
        small(ProbeSpec::store_sweep()),
        small(ProbeSpec::core_walk()),
        small(ProbeSpec::rmw()),
    ];
    let said = answers(&job(specs.map(column).to_vec(), 8));
    for column in 0..specs.len() {
        assert!(said.iter().any(|answer| matches!(answer, Answer::Placed { column: at, .. } if *at == column)));
        let costs: Vec<f64> = readings(&said)
            .iter()
            .filter(|reading| reading.visit.column == column)
            .map(|reading| reading.ns.0)
            .collect();
        assert!(!costs.is_empty(), "column {column} was never undisturbed: {said:?}");
        assert!(costs.iter().all(|ns| (0.01..5000.0).contains(ns)), "column {column}: {costs:?}");
    }
    assert!(said.iter().any(|answer| matches!(answer, Answer::Frequency { row: 0, .. })), "{said:?}");
}

#[test]
fn readings_tell_their_cpu_and_page_and_each_visit_has_at_most_one() {
    let said = answers(&job(vec![column(ProbeSpec::page())], 6));
    let found = readings(&said);
    assert!(!found.is_empty());
    assert!(found.windows(2).all(|pair| pair[0].visit.round < pair[1].visit.round));
    for reading in found {
        assert_eq!(reading.page, reading.visit.draw % 2);
        assert!(affinity().unwrap().contains(reading.cpu));
    }
}

#[test]
fn rows_and_columns_that_cannot_be_had_say_why_and_the_rest_goes_on() {
    let too_much = ColumnJob { free: Some(Bytes::mib(1)), ..column(ProbeSpec::page()) };
    let mut job = job(vec![column(ProbeSpec::page()), too_much], 3);
    job.setup.rows.push(CpuSet::of(CpuId(60_000)));
    job.batch.visits.push(Visit { round: 9, row: 1, column: 0, draw: 0 });
    let said = answers(&job);
    assert!(said.iter().any(|answer| matches!(answer, Answer::ColumnUnavailable { column: 1, .. })), "{said:?}");
    assert!(said.iter().any(|answer| matches!(answer, Answer::RowUnavailable { row: 1, .. })), "{said:?}");
    let found = readings(&said);
    assert!(!found.is_empty() && found.iter().all(|reading| reading.visit.row == 0 && reading.visit.column == 0));
}

#[test]
fn the_thread_runs_where_it_ran_before() {
    let before = affinity().unwrap();
    answers(&job(vec![column(ProbeSpec::page())], 2));
    assert_eq!(affinity().unwrap(), before);
}

#[test]
fn a_closed_output_ends_it_quietly_and_a_full_one_does_not() {
    struct Broken(io::ErrorKind);
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let line = serde_json::to_string(&job(vec![column(ProbeSpec::page())], 1)).unwrap();
    assert!(serve(line.as_bytes(), Broken(io::ErrorKind::BrokenPipe)).is_ok());
    let full = serve(line.as_bytes(), Broken(io::ErrorKind::StorageFull)).unwrap_err();
    assert!(matches!(full, ProbeError::Output(_)), "{full}");
}
