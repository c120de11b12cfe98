//! Error rates of `diagnose` on machines without SRAT: the last table of docs/method/odds.md.
//!
//!     ./dev bench odds diagnose [MACHINES]
//!
//! The default is 2000 machines of each kind. With `write` the table replaces the one in
//! docs/method/odds.md, as in `./dev bench odds`.

mod machines;

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use nearfar_diagnose::{DiagnosisVerdict, diagnose};

use machines::{Dice, KINDS, MachineKind, ReadableData};

const HEAD: &str = "\
## Diagnose: machines without SRAT

Verdicts of `nearfar diagnose` on simulated machines with known truth, in per cent of COUNT machines
of each kind (`crates/diagnose/benches/odds`). *machine*: sysfs, tables and log; tables and log are
missing in 30 % of them, the CPU model in 10 %, packages in 10 %. *tables*: a FADT and a MADT alone.
*wrong*: withheld by firmware where there is one memory or the machine is a guest; uniform where
there are several memories; not exposed where there is no hypervisor.

| kind | seen | withheld by firmware | uniform | unknown | not exposed | wrong |
|---|---|---|---|---|---|---|
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let count: u64 = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(2000);
    let mut text = HEAD.replace("COUNT", &count.to_string());
    for kind in &KINDS {
        text += &line(kind, ReadableData::Machine, count);
        if !kind.name.starts_with("board") {
            text += &line(kind, ReadableData::Tables, count);
        }
    }
    println!("{text}");
    if !args.iter().any(|arg| arg == "write") {
        return ExitCode::SUCCESS;
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/method/odds.md");
    let written = std::fs::read_to_string(&file)
        .and_then(|page| std::fs::write(&file, replaced(&page, &text)));
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("odds: cannot write {}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}

/// The page with this section instead of the old one; a new section is appended.
fn replaced(page: &str, section: &str) -> String {
    let title = section.lines().next().unwrap_or_default();
    let (before, rest) = page.split_once(title).unwrap_or((page, ""));
    let after = rest.find("\n## ").map_or("", |next| &rest[next..]);
    format!("{}\n\n{section}{after}", before.trim_end())
}

fn line(kind: &MachineKind, seen: ReadableData, count: u64) -> String {
    let mut dice = Dice(1);
    let mut tally = [0u64; 5];
    for _ in 0..count {
        let verdict = diagnose(&machines::witnesses(kind, seen, &mut dice)).verdict;
        let column = match verdict {
            DiagnosisVerdict::WithheldByFirmware => 0,
            DiagnosisVerdict::Uniform => 1,
            DiagnosisVerdict::Unknown => 2,
            DiagnosisVerdict::WithheldByHypervisor => 3,
            other => unreachable!("{}: {}", kind.name, other.name()),
        };
        tally[column] += 1;
        tally[4] += u64::from(kind.truth.is_contradicted_by(verdict));
    }
    let seen = if seen == ReadableData::Machine { "machine" } else { "tables" };
    let mut line = format!("| {} | {seen} |", kind.name);
    for number in tally {
        let share = number as f64 * 100.0 / count.max(1) as f64;
        let digits = usize::from(share > 0.0 && share < 100.0);
        let _ = write!(line, " {share:.digits$} |");
    }
    line + "\n"
}
