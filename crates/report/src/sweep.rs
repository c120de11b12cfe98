//! A sweep as text and CSV.

pub mod failures;
pub(crate) mod figures;
pub mod findings;
pub(crate) mod held;
pub mod placements;

use nearfar_sweep::{Measured, Stop, Sweep, is_really_fastest};
use nearfar_terminal::printable;
use nearfar_terminal::table::{Align, headed};

use self::figures::{change, four_digits, interval};
use crate::optional::or_empty;
use crate::paragraph;
use crate::percent::share;
use crate::sections::sections;
use crate::survey::csv::under;

/// The table of configurations, what follows, and the line to use.
pub fn text(sweep: &Sweep) -> String {
    let parts = [head, table, unavailable, why_failed, held_by, words, line];
    sections(parts.map(|part| part(sweep)))
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
    let unit =
        if sweep.objective.metric.is_some() { sweep.objective.name.as_str() } else { "seconds" };
    let line = |(at, one): (usize, &Measured)| {
        let id = &one.configuration.id;
        let otherwise = if at == 0 { "-" } else { "" };
        let against = sweep.answers.difference_to_default.get(id);
        [
            id.clone(),
            or_empty(one.median.map(four_digits)),
            or_empty(one.ci95.map(interval)),
            or_empty(one.cv.map(share)),
            runs(one),
            against.map_or_else(
                || otherwise.to_owned(),
                |compared| change(compared.ratio, compared.real),
            ),
            marks(sweep, id),
        ]
    };
    let head = ["configuration", unit, "95 % interval", "spread", "runs", "run by run", ""];
    let (left, right) = (Align::Left, Align::Right);
    let lines = sweep.configurations.iter().enumerate().map(line);
    let mut text = headed(head, lines, &[left, right, right, right, right, right, left]);
    if let Some(first) =
        sweep.configurations.first().filter(|_| !sweep.answers.difference_to_default.is_empty())
    {
        let first = &first.configuration.id;
        text += &format!(
            "run by run: each run against that of {first} in its block, then the mean; medians \
             may differ otherwise\n"
        );
    }
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
        (answers.bimodal.iter().any(|one| one.id == *id), "bimodal"),
    ];
    marks.iter().filter(|(holds, _)| *holds).map(|(_, mark)| *mark).collect::<Vec<_>>().join(", ")
}

fn unavailable(sweep: &Sweep) -> String {
    sweep
        .unavailable
        .iter()
        .map(|gone| paragraph::of(&placements::sentence(gone), "left out: ", "  "))
        .collect()
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
    sweep
        .answers
        .findings
        .iter()
        .map(|finding| findings::sentence(finding, &sweep.objective))
        .collect()
}

fn words(sweep: &Sweep) -> String {
    if sweep.answers.findings.is_empty() {
        String::new()
    } else {
        paragraph::of(&sentences(sweep).join(" "), "", "")
    }
}

/// Never broken: it is to be copied. What it needs of the machine is a shell's comment.
fn line(sweep: &Sweep) -> String {
    let Some(line) = &sweep.answers.run_line else { return String::new() };
    let fastest = sweep.configurations.iter().map(|one| &one.configuration);
    let fastest = fastest.filter(|one| sweep.answers.fastest.as_ref() == Some(&one.id));
    let settings: Vec<String> = fastest
        .flat_map(|one| &one.system)
        .map(|(switch, value)| format!("{}={value}", switch.name()))
        .collect();
    let settings = if settings.is_empty() {
        String::new()
    } else {
        format!("    # with {}", settings.join(", "))
    };
    format!("    {}{settings}\n", printable::line(line))
}

/// Every run as a line of CSV.
pub fn csv(sweep: &Sweep) -> String {
    const HEADER: &str = "configuration,placement,jobs,block,order,wall_s,user_s,sys_s,\
                          max_rss_bytes,minor_faults,major_faults,pages_migrated,numa_hit,\
                          numa_miss,numa_foreign,remote_share,metric,failed";
    let configurations = sweep.configurations.iter().map(|one| &one.configuration);
    let runs = configurations
        .flat_map(|configuration| configuration.runs.iter().map(move |run| (configuration, run)));
    let records = runs.map(|(configuration, run)| {
        [
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
            or_empty(run.allocations.pages_migrated),
            or_empty(run.allocations.numa_hit),
            or_empty(run.allocations.numa_miss),
            or_empty(run.allocations.numa_foreign),
            or_empty(run.remote_share),
            or_empty(run.metric),
            or_empty(run.failed.as_ref().map(failures::sentence)),
        ]
    });
    under(HEADER, records)
}
