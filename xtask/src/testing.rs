//! `xtask test [--long]`: runs every test binary of the workspace and prints what each one took.
//!
//! Two lanes run beside each other: the lab, and everything else, one binary after the other. With
//! `--long`, which compares figures, the lab follows by itself, one test at a time. A failure stops
//! nothing; failures are listed at the end.

mod binary;
mod summary;

use std::thread;
use std::time::Instant;

use anyhow::{Context, bail, ensure};

use binary::{Binary, OutputMode, built, doc_tests};
use summary::Done;

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
    let (lab, others): (Vec<_>, Vec<_>) =
        binaries.into_iter().partition(|binary| binary.package == LAB);
    let begun = Instant::now();
    let done = thread::scope(|scope| {
        let guests = (!long).then(|| scope.spawn(|| each(&lab, long, OutputMode::AtTheEnd)));
        let mut done = each(&others, long, OutputMode::Live)?;
        done.push(doc_tests(long)?);
        done.extend(match guests {
            Some(lane) => lane.join().ok().context("the lab's lane panicked")??,
            None => each(&lab, long, OutputMode::Live)?,
        });
        anyhow::Ok(done)
    })?;
    summary::print(&done, begun.elapsed());
    summary::verdict(&done)
}

fn each(binaries: &[Binary], long: bool, show: OutputMode) -> anyhow::Result<Vec<Done>> {
    binaries.iter().map(|binary| binary.run(long, show)).collect()
}
