//! A sweep as text and CSV.

pub mod comparison;
pub mod failures;
pub mod figures;
pub mod findings;
pub(crate) mod held;
pub mod interrupts;
pub mod placements;
mod plan;
mod recipe;
mod tables;
pub mod verdict;

use nearfar_model::is_obeyed;
use nearfar_view::terminal::screen::{MAX_LINES, Screen};
use nearfar_view::text::csv_text::under;
use nearfar_view::text::{or_empty, paragraph, sections};

use crate::document::SweepMachine;
use crate::{ConfigurationResult, Sweep, SweepStopReason, SystemSetting};

pub use plan::plan;

/// Characters of the command that a screen shows.
const MAX_OF_A_COMMAND: usize = 200;

/// All of it, as it goes into a file.
pub fn text(sweep: &Sweep) -> String {
    screen(sweep).text()
}

/// The answer, the line to use and the medians; all else below them; the verdict.
pub fn screen(sweep: &Sweep) -> Screen {
    let last = paragraph::bold(&verdict::verdict(sweep));
    let answer = match &sweep.recipe {
        Some(recipe) => recipe::answer(sweep, recipe),
        None => sentences(sweep).into_iter().next().unwrap_or_default(),
    };
    let answer = if answer.is_empty() { last.clone() } else { paragraph::of(&answer, "", "") };
    let mut first = sections([answer, line(sweep), recipe::unit(sweep), head(sweep)]);
    let mut rest = Vec::new();
    let medians = tables::medians(sweep);
    let lines =
        [&first, &medians, &last].map(|text| text.lines().count() + 1).iter().sum::<usize>();
    if lines > MAX_LINES {
        rest.push(medians);
    } else {
        first = sections([first, medians]);
    }
    let more = [words, tables::runs, interrupts::section, unavailable, why_failed, held_by];
    rest.extend(more.map(|part| part(sweep)));
    Screen { first, rest: sections(rest), last }
}

fn head(sweep: &Sweep) -> String {
    let runs = sweep.runs();
    let why = match sweep.stopped {
        Some(SweepStopReason::Precise) => "as precise as was asked for",
        Some(SweepStopReason::RunLimit) => "all runs made",
        Some(SweepStopReason::TimeLimit) => "the budget is used up",
        Some(SweepStopReason::Interrupted) => "interrupted",
        Some(SweepStopReason::NothingRuns) => "every configuration failed",
        None => "not finished",
    };
    let command = sweep.command.join(" ");
    let short: String = command.chars().take(MAX_OF_A_COMMAND).collect();
    let dots = if short.len() < command.len() { "..." } else { "" };
    paragraph::of(&format!("{short}{dots} ({runs} runs, {why})"), "", "  ")
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
    let last = |one: &ConfigurationResult| {
        let why = failures::sentence(one.configuration.failures().last()?.failed.as_ref()?);
        Some(paragraph::of(&format!("{}: {why}", one.configuration.id), "failed: ", "  "))
    };
    sweep.configurations.iter().filter_map(last).collect()
}

/// What programs could not shake off.
fn held_by(sweep: &Sweep) -> String {
    let words = sweep.enforcement.as_ref().map(held::sentence);
    words
        .map_or_else(String::new, |words| paragraph::of(&words, "Placement was enforced by ", "  "))
}

/// What it found, a sentence each.
pub fn sentences(sweep: &Sweep) -> Vec<String> {
    sweep
        .answers
        .findings
        .iter()
        .map(|finding| findings::sentence(finding, &sweep.objective))
        .filter(|sentence| !sentence.is_empty())
        .collect()
}

/// All but the answer, which stands first.
fn words(sweep: &Sweep) -> String {
    sentences(sweep).iter().skip(1).map(|sentence| paragraph::remark(sentence)).collect()
}

/// Never broken: it is to be copied. What it needs of the machine is a shell's comment.
fn line(sweep: &Sweep) -> String {
    let Some(kept) = &sweep.answers.run_line else { return String::new() };
    if recipe::verdict(sweep).is_some() {
        return String::new();
    }
    let fastest = sweep.configurations.iter().map(|configuration| &configuration.configuration);
    let fastest = fastest.filter(|one| sweep.answers.fastest.as_ref() == Some(&one.id));
    let line = &fastest.clone().next().map_or_else(|| kept.clone(), |one| sweep.run_line(one));
    let settings: Vec<String> = fastest
        .flat_map(|one| &one.system)
        .map(|(setting, value)| match (&sweep.interrupts, setting) {
            (Some(facts), SystemSetting::Irq) => {
                format!("{}={value} ({})", setting.name(), interrupts::command(facts, value))
            }
            _ => format!("{}={value}", setting.name()),
        })
        .collect();
    let settings = if settings.is_empty() {
        String::new()
    } else {
        format!("    # with {}", settings.join(", "))
    };
    if line.contains(|c: char| c != '\n' && is_obeyed(c)) {
        let why = "the command has characters that no line to copy can have: --json has the line";
        return paragraph::of(why, "", "  ");
    }
    format!("    {line}{settings}\n")
}

/// Every run as a line of CSV.
pub fn csv(sweep: &Sweep) -> String {
    const HEADER: &str = "configuration,placement,jobs,block,order,wall_s,user_s,sys_s,\
                          max_rss_bytes,minor_faults,major_faults,pages_migrated,numa_hit,\
                          numa_miss,numa_foreign,remote_share,metric,failed,\
                          interrupts,interrupts_elsewhere";
    let configurations =
        sweep.configurations.iter().map(|configuration| &configuration.configuration);
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
            or_empty(run.interrupts.as_ref().map(|interrupts| interrupts.count)),
            or_empty(run.interrupts.as_ref().map(|interrupts| interrupts.elsewhere)),
        ]
    });
    under(HEADER, records)
}

impl SweepMachine {
    /// What sets two machines apart, in words. Where the sweep itself switches hardware threads,
    /// CPUs come and go.
    pub fn difference(&self, now: &Self, is_smt_switched: bool) -> Option<String> {
        let unknown = || "unknown".to_owned();
        let named = |text: &Option<String>| text.clone().unwrap_or_else(unknown);
        let smt = |machine: &Self| machine.smt.map_or_else(unknown, |smt| smt.to_string());
        let fixed = [
            ("processor", named(&self.model), named(&now.model)),
            ("kernel", named(&self.kernel), named(&now.kernel)),
            ("nodes", self.nodes.clone(), now.nodes.clone()),
        ];
        let switched = [
            ("CPUs", self.cpus.clone(), now.cpus.clone()),
            ("threads that share a core", smt(self), smt(now)),
        ];
        let switched = switched.into_iter().filter(|_| !is_smt_switched);
        let mut all = fixed.into_iter().chain(switched);
        let (what, then, now) = all.find(|(_, then, now)| then != now)?;
        Some(format!("{what} {then} then, {now} now"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine() -> SweepMachine {
        let words = |text: &str| Some(text.to_owned());
        SweepMachine {
            model: words("A"),
            kernel: words("6.1"),
            cpus: "0-3".into(),
            nodes: "0".into(),
            smt: Some(true),
            load_average: None,
        }
    }

    #[test]
    fn other_machines_are_named_by_their_differences() {
        assert_eq!(machine().difference(&machine(), false), None);
        let other = SweepMachine { kernel: None, ..machine() };
        assert_eq!(machine().difference(&other, true).unwrap(), "kernel 6.1 then, unknown now");
        let fewer = SweepMachine { cpus: "0,2".into(), smt: Some(false), ..machine() };
        assert_eq!(machine().difference(&fewer, false).unwrap(), "CPUs 0-3 then, 0,2 now");
        assert_eq!(machine().difference(&fewer, true), None);
    }
}
