//! Parses the output of programs: bytes read and written per second, or nanoseconds. Samples of
//! their output are in `tests/it/peers.rs`.

const MIB_BYTES: f64 = (1u64 << 20) as f64;
const GIB_BYTES: f64 = (1u64 << 30) as f64;
/// A copy reads and writes; these programs count one of the two.
const BOTH: f64 = 2.0;

/// mbw's average. It counts what it copied, once.
pub(crate) fn mbw(text: &str) -> Option<f64> {
    let average = text.lines().find(|line| line.starts_with("AVG"))?;
    Some(after(average, "Copy:")? * MIB_BYTES * BOTH)
}

/// The rate of `perf bench mem`: its GB are GiB. It counts what it copied, once.
pub(crate) fn perf_bench(text: &str, copies: bool) -> Option<f64> {
    let units = [("GB/sec", GIB_BYTES), ("MB/sec", MIB_BYTES)];
    let rate = units.iter().find_map(|(unit, bytes)| Some(before(text, unit)? * bytes))?;
    Some(if copies { rate * BOTH } else { rate })
}

/// sysbench's rate over all threads.
pub(crate) fn sysbench(text: &str) -> Option<f64> {
    Some(before(text, "MiB/sec")? * MIB_BYTES)
}

/// The sum over all requested instances of stress-ng; its MB are MiB.
pub(crate) fn stress_ng(text: &str, instances: usize) -> Option<f64> {
    let rates = text
        .lines()
        .filter_map(|line| after(line, "memory rate:").zip(before(line, "MB write/sec")));
    let rates: Vec<f64> = rates.map(|(read, written)| (read + written) * MIB_BYTES).collect();
    (rates.len() == instances).then(|| rates.iter().sum())
}

/// numademo's first average, of memory without a policy. Its MB are 10^6 bytes; of a copy it counts
/// what is read and what is written.
pub(crate) fn numademo(text: &str) -> Option<f64> {
    Some(text.lines().find_map(|line| after(line, "Avg"))? * 1e6)
}

/// The first figure of core-to-core-latency's table, in nanoseconds.
pub(crate) fn core_to_core_latency(text: &str) -> Option<f64> {
    text.split([',', '\n']).find_map(|word| word.trim().parse().ok())
}

/// The number before a word: "(4385.50 MiB/sec)".
fn before(text: &str, unit: &str) -> Option<f64> {
    let head = &text[..text.find(unit)?];
    head.split_whitespace().last()?.trim_start_matches('(').parse().ok()
}

/// The number after a word.
fn after(line: &str, word: &str) -> Option<f64> {
    let rest = &line[line.find(word)? + word.len()..];
    rest.split_whitespace().next()?.parse().ok()
}
