//! A sweep as text and CSV.

pub mod failures;
pub(crate) mod figures;
pub mod findings;
pub(crate) mod held;
pub mod placements;
use nearfar_terminal::printable;
use nearfar_terminal::table::{Align, Table};

use nearfar_sweep::{Measured, Stop, Sweep, is_really_fastest};

use self::figures::{change, four_digits, percent};
use crate::paragraph;

/// The table of configurations, what follows, and the line to use.
pub fn text(sweep: &Sweep) -> String {
    let parts =
        [head(sweep), table(sweep), unavailable(sweep), why_failed(sweep), held_by(sweep), words(sweep), line(sweep)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn head(sweep: &Sweep) -> String {
    let runs = sweep.runs();
    let why = match sweep.stopped {
        Some(Stop::Precise) => "as precise as was asked for",
        Some(Stop::RunLimit) => "all runs made",
        Some(Stop::TimeLimit) => "the budget is used up",
        Some(Stop::Interrupted) => "interrupted",
        Some(Stop::NothingRuns) => "every configuration failed",
        None => "not finished",
    };
    paragraph::of(&format!("{} ({runs} runs, {why})", sweep.command.join(" ")), "", "  ")
}

fn table(sweep: &Sweep) -> String {
    let unit = if sweep.objective.metric.is_some() { sweep.objective.name.as_str() } else { "seconds" };
    let mut table = Table::default();
    table.line(["configuration", unit, "95 % interval", "spread", "runs", "run by run", ""]);
    for (at, one) in sweep.configurations.iter().enumerate() {
        let id = &one.configuration.id;
        let compared = sweep.answers.difference_to_default.get(id);
        let against = match compared {
            Some(compared) => {
                format!("{}{}", change(compared.ratio), if compared.real { "" } else { " ?" })
            }
            None if at == 0 => "-".to_owned(),
            None => String::new(),
        };
        table.line([
            id.clone(),
            one.median.map(four_digits).unwrap_or_default(),
            one.ci95.map(|[low, high]| format!("{} to {}", four_digits(low), four_digits(high))).unwrap_or_default(),
            one.cv.map(percent).unwrap_or_default(),
            runs(one),
            against,
            marks(sweep, id),
        ]);
    }
    let mut text =
        table.text(&[Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right, Align::Left]);
    if sweep.answers.difference_to_default.values().any(|compared| !compared.real) {
        text += "?: not beyond chance (family-wise 5 %)\n";
    }
    text
}

fn runs(one: &Measured) -> String {
    match one.failed {
        0 => one.configuration.runs.len().to_string(),
        failed => format!("{} ({failed} failed)", one.configuration.runs.len()),
    }
}

fn marks(sweep: &Sweep, id: &String) -> String {
    let answers = &sweep.answers;
    if sweep.configurations.len() < 2 {
        return String::new();
    }
    let is_fastest = answers.fastest.as_ref() == Some(id) && is_really_fastest(sweep, answers);
    let marks = [
        (is_fastest, if sweep.objective.metric.is_some() { "best" } else { "fastest" }),
        (answers.steadiest.as_ref() == Some(id) && answers.is_really_steadiest(), "steadiest"),
        (answers.two_humped.iter().any(|one| one.id == *id), "two humps"),
    ];
    marks.iter().filter(|(holds, _)| *holds).map(|(_, mark)| *mark).collect::<Vec<_>>().join(", ")
}

fn unavailable(sweep: &Sweep) -> String {
    sweep.unavailable.iter().map(|gone| paragraph::of(&placements::sentence(gone), "left out: ", "  ")).collect()
}

/// Why runs failed: the last reason of each configuration.
fn why_failed(sweep: &Sweep) -> String {
    let last = |one: &Measured| {
        let why = failures::sentence(one.configuration.failures().last()?.failed.as_ref()?);
        Some(paragraph::of(&format!("{}: {why}", one.configuration.id), "failed: ", "  "))
    };
    sweep.configurations.iter().filter_map(last).collect()
}

/// What programs could not shake off.
fn held_by(sweep: &Sweep) -> String {
    let words = sweep.enforcement.as_ref().map(held::sentence);
    words.map_or_else(String::new, |words| paragraph::of(&words, "held by: ", "  "))
}

/// What it found, a sentence each.
pub(crate) fn sentences(sweep: &Sweep) -> Vec<String> {
    sweep.answers.findings.iter().map(|finding| findings::sentence(finding, &sweep.objective)).collect()
}

fn words(sweep: &Sweep) -> String {
    match sweep.answers.findings.is_empty() {
        true => String::new(),
        false => paragraph::of(&sentences(sweep).join(" "), "", ""),
    }
}

/// Never broken: it is to be copied. What it needs of the machine is a shell's comment.
fn line(sweep: &Sweep) -> String {
    let Some(line) = &sweep.answers.run_line else { return String::new() };
    let fastest = sweep.configurations.iter().map(|one| &one.configuration);
    let fastest = fastest.filter(|one| sweep.answers.fastest.as_ref() == Some(&one.id));
    let settings: Vec<String> =
        fastest.flat_map(|one| &one.system).map(|(switch, value)| format!("{}={value}", switch.name())).collect();
    let settings = if settings.is_empty() { String::new() } else { format!("    # with {}", settings.join(", ")) };
    format!("    {}{settings}\n", printable::line(line))
}

/// Every run as a line of CSV.
pub fn csv(sweep: &Sweep) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = [
        "configuration",
        "placement",
        "jobs",
        "block",
        "order",
        "wall_s",
        "user_s",
        "sys_s",
        "max_rss_bytes",
        "minor_faults",
        "major_faults",
        "pages_migrated",
        "numa_hit",
        "numa_miss",
        "numa_foreign",
        "remote_share",
        "metric",
        "failed",
    ];
    // Writing to memory does not fail.
    let mut failed = writer.write_record(header).is_err();
    for Measured { configuration, .. } in &sweep.configurations {
        for run in &configuration.runs {
            let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
            let share = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
            failed |= writer
                .write_record([
                    configuration.id.clone(),
                    configuration.placement.clone(),
                    configuration.jobs.to_string(),
                    run.block.to_string(),
                    run.order.to_string(),
                    run.wall_s.to_string(),
                    run.used.user_s.to_string(),
                    run.used.sys_s.to_string(),
                    run.used.max_rss_bytes.to_string(),
                    run.used.minor_faults.to_string(),
                    run.used.major_faults.to_string(),
                    number(run.allocations.pages_migrated),
                    number(run.allocations.numa_hit),
                    number(run.allocations.numa_miss),
                    number(run.allocations.numa_foreign),
                    share(run.remote_share),
                    share(run.metric),
                    run.failed.as_ref().map(failures::sentence).unwrap_or_default(),
                ])
                .is_err();
        }
    }
    let bytes = writer.into_inner().ok().filter(|_| !failed).unwrap_or_default();
    printable::lines(&String::from_utf8_lossy(&bytes))
}
