//! How a survey came about, and everything that is needed to repeat it.

use std::collections::BTreeSet;

use maud::{Markup, html};
use nearfar_model::{Bytes, Instrument};
use nearfar_survey::{Provenance, Survey};
use nearfar_view::text::count;
use serde_json::Value;

use super::sentence::{sentence, words};
use crate::survey::Verbosity;
use crate::survey::fills::fills;

const NONE: &str = "none";

/// Facts, settings of the machine, and how long each instrument took.
pub(super) fn method(survey: &Survey) -> Markup {
    html! {
        dl {
            @for (name, value) in facts(survey) { dt { (name) } dd { (sentence(&value)) } }
        }
        (instruments(&survey.provenance))
        details {
            summary { "Machine settings" }
            dl {
                @for (name, value) in settings(survey) {
                    dt { (words(&plain(&name))) } dd { (words(&value)) }
                }
            }
        }
    }
}

fn facts(survey: &Survey) -> Vec<(&'static str, String)> {
    let provenance = &survey.provenance;
    let options = &provenance.options;
    let was_run = provenance.duration_s > 0.0;
    let mut facts =
        vec![("nearfar", provenance.version.clone()), ("began", provenance.started.clone())];
    if was_run {
        facts.push(("took", format!("{:.1} s", provenance.duration_s)));
        facts.push(("order", order(provenance)));
        facts.push(("ended by", stop_reason(&provenance.stopped).to_owned()));
    }
    facts.push(("seed", provenance.seed.to_string()));
    facts.push(("rows", options.rows.clone()));
    facts.extend(options.cpus.as_ref().map(|cpus| ("CPUs asked for", cpus.to_string())));
    facts.extend(options.nodes.as_ref().map(|nodes| ("nodes asked for", nodes.to_string())));
    facts.extend(provenance.budget_s.map(|budget| ("budget", format!("{budget:.0} s"))));
    if options.accesses > 0 {
        facts.push((
            "a sample",
            format!("{} accesses in {}", options.accesses, Bytes(options.size_bytes)),
        ));
    }
    if was_run {
        facts.push(("placement", placement(survey)));
        facts.push(("A/A controls", controls(survey)));
        facts.extend(fills(survey, Verbosity::Verbose).map(|text| ("PMU", text)));
        facts.push(("repeat with", format!("'{}'", command(survey))));
    }
    facts
}

/// Why it ended, in words; the document's own where it is of a later nearfar.
fn stop_reason(name: &str) -> &str {
    match name {
        "precise" => "enough precision",
        "round-limit" => "the limit of rounds",
        "time-limit" => "the time limit",
        "interrupted" => "the user",
        "nothing-to-measure" => "a lack of cells that can be measured",
        other => other,
    }
}

/// "before: steal ticks" of "before.steal_ticks".
fn plain(name: &str) -> String {
    name.replace('_', " ").replace('.', ": ")
}

fn order(provenance: &Provenance) -> String {
    let (rounds, processes) = (provenance.rounds as usize, provenance.processes as usize);
    let (rounds, processes) = (count(rounds, "round"), count(processes, "process"));
    format!(
        "{rounds} in {processes}, each freshly started; every round visits all cells in random \
         order"
    )
}

/// How the pages were proven to be where they were asked for.
fn placement(survey: &Survey) -> String {
    let columns = &survey.latency.columns;
    let pages: u64 = columns.iter().map(|column| u64::from(column.pages)).sum();
    let backings: BTreeSet<&str> =
        columns.iter().filter_map(|column| column.backing.as_deref()).collect();
    let backings = backings.into_iter().collect::<Vec<_>>().join(", ");
    match pages {
        0 => "nothing was placed for latency".to_owned(),
        _ => format!("{pages} pages placed and proven in each process, by {backings}"),
    }
}

fn controls(survey: &Survey) -> String {
    let controls = &survey.controls;
    if controls.pairs == 0 {
        return "none: no memory was measured twice".to_owned();
    }
    let (differing, pairs) = (controls.differing, count(controls.pairs, "pair"));
    format!("{differing} of {pairs} differed (1 in 100 does by chance)")
}

/// The command that measures the same again, as far as the document has its options.
fn command(survey: &Survey) -> String {
    let options = &survey.provenance.options;
    let mode =
        serde_json::to_value(options.mode).ok().and_then(|mode| mode.as_str().map(str::to_owned));
    let mut words = vec![match survey.measured()[..] {
        [only] if only != Instrument::Latency => format!("nearfar {only}"),
        [..] => "nearfar survey".to_owned(),
    }];
    words.extend(mode.filter(|mode| mode != "default").map(|mode| format!("--{mode}")));
    words.extend(
        (options.rows != "auto" && words[0] != "nearfar hidden")
            .then(|| format!("--rows {}", options.rows)),
    );
    words.extend(options.cpus.as_ref().map(|cpus| format!("--cpus {cpus}")));
    words.extend(options.nodes.as_ref().map(|nodes| format!("--nodes {nodes}")));
    words.extend(survey.provenance.budget_s.map(|budget| format!("--budget {budget:.0}s")));
    words.push(format!("--seed {}", survey.provenance.seed));
    words.join(" ")
}

fn instruments(provenance: &Provenance) -> Markup {
    const COLUMNS: [&str; 7] =
        ["instrument", "seconds", "processes", "rounds", "worst standard error", "aim", "ended by"];
    if provenance.instruments.is_empty() {
        return html! {};
    }
    let percent = |share: f64| format!("{:.2} %", 100.0 * share);
    html! {
        div class="drawing" {
            table {
                thead { tr { @for name in COLUMNS { th scope="col" { (name) } } } }
                tbody {
                    @for run in &provenance.instruments {
                        tr {
                            th scope="row" { (words(&run.instrument)) }
                            td { (format!("{:.1}", run.duration_s)) }
                            td { (run.processes) }
                            td { (run.rounds) }
                            td { (run.standard_error.map_or_else(|| "–".to_owned(), percent)) }
                            td { (percent(run.aim)) }
                            td { (words(stop_reason(&run.stopped))) }
                        }
                    }
                }
            }
        }
    }
}

/// Names and values of the machine's settings, nested ones by their path.
fn settings(survey: &Survey) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, value) in &survey.environment {
        flatten(name, value, &mut found);
    }
    found
}

fn flatten(name: &str, value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            fields
                .iter()
                .for_each(|(field, value)| flatten(&format!("{name}.{field}"), value, found));
        }
        other => found.push((name.to_owned(), setting(other))),
    }
}

/// A setting's value in words.
fn setting(value: &Value) -> String {
    let listed = |all: Vec<String>| if all.is_empty() { NONE.to_owned() } else { all.join(", ") };
    match value {
        Value::Null => "not known".to_owned(),
        Value::Bool(is_on) => if *is_on { "yes" } else { "no" }.to_owned(),
        Value::String(text) if text.is_empty() => NONE.to_owned(),
        Value::String(text) if text == "notsupported" => "not supported".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(all) => listed(all.iter().map(setting).collect()),
        Value::Object(fields) => {
            let named = fields.iter().map(|(name, value)| format!("{name} {}", setting(value)));
            listed(named.collect())
        }
    }
}
