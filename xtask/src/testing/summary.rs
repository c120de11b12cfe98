//! What a run of all tests comes to.

use std::env;
use std::fs;
use std::time::Duration;

use anyhow::ensure;

/// How many of the slowest binaries stand at the end.
const SLOWEST: usize = 10;

/// A binary that ran.
#[derive(Debug)]
pub(super) struct Done {
    name: String,
    took: Duration,
    pub(super) passed: bool,
    /// Tests that passed, that failed, that were ignored.
    pub(super) counts: [u64; 3],
}

impl Done {
    pub(super) fn new(name: String, took: Duration, passed: bool, output: &[String]) -> Self {
        let mut counts = [0; 3];
        for line in output.iter().filter(|line| line.starts_with("test result: ")) {
            for (count, word) in counts.iter_mut().zip([" passed", " failed", " ignored"]) {
                *count += number_before(line, word);
            }
        }
        Self { name, took, passed, counts }
    }
}

fn number_before(line: &str, word: &str) -> u64 {
    let before = line.split(word).next().filter(|before| before.len() < line.len());
    before.and_then(|before| before.rsplit(' ').next()?.parse().ok()).unwrap_or(0)
}

/// Counts of tests, phases, then every binary with its time, the slowest last.
pub(super) fn print(done: &[Done], took: Duration) {
    let [passed, failed, ignored] =
        [0, 1, 2].map(|at| done.iter().map(|done| done.counts[at]).sum::<u64>());
    println!("\n{passed} passed, {failed} failed, {ignored} skipped");
    println!("\nseconds  phase\n{}{:7}  tests", phases(), took.as_secs());
    let mut sorted: Vec<&Done> = done.iter().collect();
    sorted.sort_by_key(|done| done.took);
    println!("\nseconds  test binary");
    for (at, done) in sorted.iter().enumerate() {
        if at + SLOWEST == sorted.len() {
            println!("The slowest {SLOWEST}:");
        }
        println!("{:7.1}  {}", done.took.as_secs_f64(), done.name);
    }
}

/// An error that names the binaries that failed.
pub(super) fn verdict(done: &[Done]) -> anyhow::Result<()> {
    let failed: Vec<&str> =
        done.iter().filter(|done| !done.passed).map(|done| done.name.as_str()).collect();
    ensure!(failed.is_empty(), "tests failed in: {}", failed.join(", "));
    Ok(())
}

/// The lines that `./dev` has left of its phases.
fn phases() -> String {
    env::var_os("NEARFAR_PHASES").and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_several_results_are_added() {
        let line = |passed| {
            format!(
                "test result: ok. {passed} passed; 0 failed; 4 ignored; 0 measured; finished in 1s"
            )
        };
        let output = [line(12), "test passed ... ok".to_owned(), line(30)];
        let done = Done::new("doc tests".to_owned(), Duration::ZERO, true, &output);
        assert_eq!(done.counts, [42, 0, 8]);
    }

    #[test]
    fn the_verdict_names_what_failed() {
        let mut done = vec![Done::new("a it".to_owned(), Duration::ZERO, true, &[])];
        assert!(verdict(&done).is_ok());
        done.push(Done::new("b it".to_owned(), Duration::ZERO, false, &[]));
        assert_eq!(verdict(&done).unwrap_err().to_string(), "tests failed in: b it");
    }
}
