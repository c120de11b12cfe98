//! The odds of nearfar's statements: how often they are wrong, and how small a difference they
//! find, on machines whose truth is known.
//!
//!     ./dev bench odds [SURVEYS] [PART...]
//!
//! 2000 of each kind unless said otherwise: about an hour of two CPUs. Writes docs/odds.md; with
//! names of parts (alarms, one-column, undetermined, power, matrices, packages, hidden, growth),
//! prints these only.

mod alarms;
mod growth;
mod hidden_nodes;
mod matrices;
mod one_column;
mod packages;
mod power;
#[path = "../../tests/replay/mod.rs"]
pub mod replay;
mod rivals;
mod share;
mod undetermined;

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use replay::Probe;

const TEXT: &str = "\
# The odds

How often nearfar's statements are wrong, and how small a difference they find. Made by `./dev \
                    bench odds`: surveys of machines whose
truth is known (`crates/infer/tests/replay`), judged by the code that judges real ones. SURVEYS \
                    surveys of each kind, unless said otherwise.

*Noise.* `recorded` replays, in each survey, what samples of one of these hosts were off by \
                    (`./dev bench noise` records them):

RECORDINGS
`threefold` is three times as large. The others are made up, on a scatter of 2.5 % in
which one sample in twenty goes up by 10 % more on average: `tails` is that alone; `pages` lets \
                    fresh pages differ by 1.5 % between processes; `drift` lets
rows wander by 2 % between processes and the machine by a random walk; in `bursts` one visit in a \
                    hundred begins a disturbance of 30 to 100 % that lasts up to six visits; in
`moves` a hypervisor moves a CPU, to one faster or slower by 2 %, every hundredth visit. Plans are \
                    those of a survey without options: 15 rounds, then 5 more until every cell's
standard error is 0.5 %, at most 60.

*Exchangeable columns.* Under all of these no column is another than the others: `recorded` deals \
                    recorded columns to columns by chance, `tails` and
`bursts` meet any cell, `pages` draws each column's pages alike, `drift` and `moves` act on rows. \
                    So dealing columns anew keeps its level by construction, and
near-zero alarms under them say that the program does what it should, not how machines behave. \
                    Under the four noises of *one memory whose level changes* columns are not
exchangeable: nothing holds there by construction.

*Rivals.* `spread`: the columns' spread looks larger than that of a control, one column measured \
                    as many times over (what one does with two plots
side by side). `20 cycles`: two columns lie at least 20 cycles apart (8 ns at 2.5 GHz). `chase`: \
                    nearfar's own test, on residuals recorded with a
chase through 256 MiB instead of page probes.
";

type Part = (&'static str, fn(u64) -> String);

const PARTS: [Part; 8] = [
    ("alarms", alarms::table),
    ("one-column", one_column::table),
    ("undetermined", undetermined::table),
    ("power", power::table),
    ("matrices", matrices::tables),
    ("packages", packages::table),
    ("hidden", hidden_nodes::table),
    ("growth", |_| growth::table()),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let surveys = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(2000);
    let named = |name: &str| args.iter().any(|arg| arg == name);
    let all = !PARTS.iter().any(|(name, _)| named(name));
    let begun = Instant::now();
    let mut text =
        TEXT.replace("SURVEYS", &surveys.to_string()).replace("RECORDINGS", &recordings());
    for (name, part) in PARTS.iter().filter(|(name, _)| all || named(name)) {
        let _ = write!(text, "\n{}", part(surveys));
        eprintln!("odds: {name} done after {:.0} s", begun.elapsed().as_secs_f64());
    }
    println!("{text}");
    if !all {
        return ExitCode::SUCCESS;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/odds.md");
    match std::fs::write(&file, &text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("odds: cannot write {}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}

/// Which hosts' noise is replayed, and how large it is.
fn recordings() -> String {
    let mut table = String::from(
        "| recording | half are off by | one in a hundred by | the farthest by \
         |\n|---|---|---|---|\n",
    );
    for recording in [Probe::Page, Probe::Chase].into_iter().flat_map(Probe::recordings) {
        let [half, hundredth, farthest] =
            [50, 99, 100].map(|percent| recording.size(percent) * 100.0);
        let _ = writeln!(
            table,
            "| {} | {half:.1} % | {hundredth:.1} % | {farthest:.1} % |",
            recording.name
        );
    }
    table
}
