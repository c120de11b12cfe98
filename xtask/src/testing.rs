//! `xtask test [--long]`: runs every test binary of the workspace and prints what each one took.
//!
//! Two lanes run beside each other: the lab, and everything else, one binary after the other. With
//! `--long`, which compares figures, the lab follows by itself, one test at a time. A failure stops
//! nothing; failures are listed at the end.

mod binary;
mod summary;

use std::thread;

use anyhow::{Context, bail, ensure};

use binary::{Binary, Show, built, doc_tests};
use summary::Summary;

/// The package whose tests boot guests.
const LAB: &str = "nearfar-lab";

/// Runs all tests; an error when one failed.
pub(crate) fn run(words: &[&str]) -> anyhow::Result<()> {
    let long = match words {
        [] => false,
        ["--long"] => true,
        _ => bail!("usage: xtask test [--long]"),
    };
    let binaries = built(long)?;
    ensure!(!binaries.is_empty(), "cargo built no tests");
    let (lab, others): (Vec<_>, Vec<_>) = binaries.into_iter().partition(|one| one.package == LAB);
    let mut summary = Summary::begin();
    thread::scope(|scope| {
        let guests = (!long).then(|| scope.spawn(|| each(&lab, long, Show::AtTheEnd)));
        for done in others.iter().map(|one| one.run(long, Show::Live)) {
            summary.add(done?);
        }
        summary.add(doc_tests(long)?);
        let done = match guests {
            Some(lane) => lane.join().ok().context("the lab's lane panicked")??,
            None => each(&lab, long, Show::Live)?,
        };
        done.into_iter().for_each(|one| summary.add(one));
        anyhow::Ok(())
    })?;
    summary.print();
    summary.verdict()
}

fn each(binaries: &[Binary], long: bool, show: Show) -> anyhow::Result<Vec<summary::Done>> {
    binaries.iter().map(|one| one.run(long, show)).collect()
}
