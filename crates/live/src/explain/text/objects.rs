//! Which memory matters, in sentences.

use nearfar_infer::object_effects::ObjectVerdict;
use nearfar_model::Bytes;
use nearfar_process::text::objects::why_unmovable;
use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::csv_text::{CsvColumn, rows_text};
use nearfar_view::text::percent::{change, changes, percent, share};
use nearfar_view::text::{count, count_of, paragraph, sections, table};

use super::forecast::with_interval;
use super::labelled;
use super::moved::{ALL, MovedBetween, cost, nodes};
use super::object_remedies::remedies;
use super::object_words::{noun, object_name, size, verdict};
use super::obstacles::obstacle;
use super::trial::{after, metric};
use crate::explain::{MeasuredObject, ObjectsDocument, ObjectsPlan, ObjectsStage};

/// Objects that do not move, in the text.
const MOST_UNMOVABLE: usize = 5;

/// All of it, as it goes into a file.
pub fn objects_text(document: &ObjectsDocument) -> String {
    objects_screen(document).text()
}

/// What costs, the remainder and the remedy first, then all objects; the answer last.
pub fn objects_screen(document: &ObjectsDocument) -> Screen {
    let what = if document.is_of_threads() { "threads" } else { "memory" };
    let title = format!("{}: which of its {what} matters", named(document));
    let mut first = paragraph::of(&title, "", "  ");
    let answers = objects_answers(document);
    for (at, one) in answers.iter().enumerate() {
        first += &labelled(if at == 0 { "Verdict" } else { "" }, one);
    }
    for one in remedies(document) {
        first += &paragraph::of(&one.text, "  -  ", "     ");
        for command in &one.commands {
            first += &paragraph::command(command, "       ");
        }
    }
    let tables = document.stages.iter().map(objects_table);
    let first = sections([first].into_iter().chain(tables).collect::<Vec<String>>());
    let last = answers.first().cloned().unwrap_or_default();
    let last = paragraph::bold(&format!("{}: {last}", named(document)));
    Screen { first, rest: remarks(document), last }
}

/// The sentences that answer, one each: the objects that cost something, then all others.
pub fn objects_answers(document: &ObjectsDocument) -> Vec<String> {
    let Some(first) = document.stages.first() else { return Vec::new() };
    let mut sentences = Vec::new();
    for stage in &document.stages {
        let mut named: Vec<&MeasuredObject> =
            stage.objects.iter().filter(|one| one.effect.is_named).collect();
        named.retain(|one| one.effect.verdict != ObjectVerdict::DoesNotMatter);
        named.sort_by(|one, other| value(other).total_cmp(&value(one)));
        sentences.extend(named.into_iter().filter_map(|one| sentence(stage, one)));
    }
    if sentences.is_empty() {
        sentences.push(no_object(first));
    }
    sentences.extend(others(first));
    sentences.extend(sum(first));
    sentences
}

fn value(one: &MeasuredObject) -> f64 {
    one.effect.effect.map_or(0.0, |effect| effect.value)
}

/// "/dev/shm/x (8.0 GiB): far costs +21.0 % (95 % interval +19.0 % to +23.0 %)."
fn sentence(stage: &ObjectsStage, one: &MeasuredObject) -> Option<String> {
    let effect = one.effect.effect?;
    let of = stage.cut.as_deref().map(|cut| format!("Of {}: ", printable::line(cut)));
    let what = match one.effect.verdict {
        ObjectVerdict::FarIsFaster => "far is faster, its time changes by",
        _ => "far costs",
    };
    Some(format!(
        "{}{} ({}): {what} {}.",
        of.unwrap_or_default(),
        object_name(&one.object),
        size(one),
        with_interval(&effect)
    ))
}

fn no_object(stage: &ObjectsStage) -> String {
    let is_open = |one: &MeasuredObject| one.effect.verdict == ObjectVerdict::Undetermined;
    if stage.objects.iter().all(|one| one.effect.effect.is_none()) {
        return "No result: fewer than three blocks have pairs of runs that count. Give more \
                --blocks, or a longer --period."
            .to_owned();
    }
    match stage.objects.iter().any(is_open) {
        true => format!("Undetermined: no {}'s cost is sure.", noun(stage)),
        false => format!("No {}'s place matters.", noun(stage)),
    }
}

/// The bound of all that cost nothing, and what is open.
fn others(stage: &ObjectsStage) -> Vec<String> {
    let with = |verdict: ObjectVerdict| {
        stage.objects.iter().filter(move |one| one.effect.verdict == verdict)
    };
    let bound = |verdict| with(verdict).filter_map(|one| one.effect.at_most).max_by(f64::total_cmp);
    let mut sentences = Vec::new();
    if let Some(most) = bound(ObjectVerdict::DoesNotMatter) {
        let number = with(ObjectVerdict::DoesNotMatter).count();
        sentences.push(match number {
            1 => format!("One {} does not matter: {} at most.", noun(stage), percent(most)),
            _ => {
                format!("{number} {}s do not matter: each {} at most.", noun(stage), percent(most))
            }
        });
    }
    if let Some(most) = bound(ObjectVerdict::Undetermined) {
        let number = with(ObjectVerdict::Undetermined).count();
        let wanted = stage.blocks_wanted.map_or_else(String::new, |blocks| {
            format!(" About {blocks} --blocks, or a longer --period, would decide.")
        });
        sentences.push(match number {
            1 => format!("One {} is undetermined: {} at most.{wanted}", noun(stage), percent(most)),
            _ => format!(
                "{number} {}s are undetermined: each {} at most.{wanted}",
                noun(stage),
                percent(most)
            ),
        });
    }
    sentences
}

/// Whether effects add up to what all far costs.
fn sum(stage: &ObjectsStage) -> Option<String> {
    let is = match stage.adds_up {
        Some(false) => "Costs do not add up: a link may saturate, so take each for its own.",
        Some(true) => "Costs add up.",
        None => "There are too many of them for a check whether costs add up.",
    };
    let Some((sum, all)) = stage.sum.zip(stage.all_far) else {
        return (stage.adds_up == Some(false)).then(|| is.to_owned());
    };
    Some(format!(
        "The sum of all costs is {}; with all far, {} was measured. {is}",
        change(sum.value),
        with_interval(&all)
    ))
}

fn named(document: &ObjectsDocument) -> String {
    match &document.nodes[..] {
        [one] => format!("{} (process {})", printable::line(&one.name), one.pid),
        all => {
            format!("{} ({})", printable::line(&document.target), count(all.len(), "process"))
        }
    }
}

/// The columns of [`object_rows`].
pub const OBJECT_COLUMNS: [&str; 7] =
    ["object", "size", "used", "remote now", "far costs", "95 % interval", "verdict"];

/// The objects of a stage.
pub fn object_rows(stage: &ObjectsStage) -> Vec<[String; 7]> {
    let row = |one: &MeasuredObject| {
        let (value, interval) = match &one.effect.effect {
            Some(effect) => (change(effect.value), changes(effect.ci95)),
            None => ("-".to_owned(), String::new()),
        };
        [
            object_name(&one.object),
            if one.busy_cpus.is_some() { "-".to_owned() } else { one.object.bytes.to_string() },
            one.busy_cpus.or(one.used_share).map_or_else(|| "-".to_owned(), share),
            share(one.remote_share),
            value,
            interval,
            verdict(one.effect.verdict).to_owned(),
        ]
    };
    stage.objects.iter().map(row).collect()
}

/// The head of a stage's table.
pub fn stage_title(stage: &ObjectsStage) -> String {
    match &stage.cut {
        None if stage.is_of_threads() => "Threads, by number".to_owned(),
        None => "Objects, by address".to_owned(),
        Some(cut) => format!("Ranges of {}, with all else near", printable::line(cut)),
    }
}

fn objects_table(stage: &ObjectsStage) -> String {
    table(
        &stage_title(stage),
        [noun(stage), ">size", ">used", ">remote now", ">far costs", "95 % interval", "verdict"],
        object_rows(stage),
    )
}

/// How it was measured, and what it cost.
pub fn objects_method(document: &ObjectsDocument) -> Vec<String> {
    let cost = match document.is_of_threads() {
        true => "Memory stayed where it was.".to_owned(),
        false => cost(&document.moving),
    };
    let mut sentences = vec![figures(document), cost, nodes(&of_objects(document))];
    let all = document.unmovable.iter();
    sentences.extend(all.take(MOST_UNMOVABLE).map(|object| {
        let name = printable::line(&object.name);
        let size = match object.bytes {
            Bytes(0) => String::new(),
            bytes => format!(" ({bytes})"),
        };
        format!("{name}{size} does not move: {}.", why_unmovable(object.why))
    }));
    let more = document.unmovable.len().saturating_sub(MOST_UNMOVABLE);
    if more > 0 {
        sentences.push(format!("{more} others do not move either."));
    }
    sentences
}

fn remarks(document: &ObjectsDocument) -> String {
    let labels = ["Figures", "Cost", "Nodes"];
    let method = objects_method(document);
    let mut text = String::new();
    for (at, one) in method.iter().enumerate() {
        text += &match labels.get(at) {
            Some(label) => labelled(label, one),
            None => paragraph::of(one, "  !  ", "     "),
        };
    }
    text += &labelled(
        "After",
        &match document.is_of_threads() {
            true => "Threads may run where they might before.".to_owned(),
            false => after(&document.processes),
        },
    );
    for process in &document.nodes {
        for one in &process.obstacles {
            text += &paragraph::of(&(obstacle(process.pid, one) + "."), "  !  ", "     ");
        }
    }
    text
}

fn figures(document: &ObjectsDocument) -> String {
    let periods: usize = document.stages.iter().map(|stage| stage.periods.len()).sum();
    let dropped = document.stages.iter().flat_map(|stage| &stage.periods);
    let dropped = dropped.filter(|period| period.dropped.is_some()).count();
    let blocks = document.stages.first().map_or(0, |stage| stage.blocks);
    let mut text = format!(
        "{}: {periods} runs of {} s, in {blocks} blocks of random order. Costs are shares of its \
         time with all objects near.",
        metric(&document.metric),
        document.period_s
    );
    if dropped > 0 {
        text += &format!(
            " {} not count: without a figure, or something else moved what was placed.",
            count_of(dropped, periods, "run", "do")
        );
    }
    text
}

/// What a stage will take, before it begins.
pub fn objects_plan(plan: &ObjectsPlan) -> String {
    let what = match &plan.cut {
        // Threads move no memory.
        None => count(plan.objects, if plan.bytes.0 > 0 { "object" } else { "thread" }),
        Some(cut) => format!("{} of {}", count(plan.objects, "range"), printable::line(cut)),
    };
    let minutes = plan.time.as_secs_f64() / 60.0;
    let (blocks, runs) = (plan.blocks, plan.runs);
    let mut text = format!("{what}: {blocks} blocks of {runs} runs, about {minutes:.0} min");
    if plan.bytes.0 > 0 {
        text += &format!("; about {} move, which takes {:.1} s", plan.bytes, plan.moving_s);
    }
    if plan.taking_part < ALL {
        text += &format!(" ({} of its pages take part)", percent(plan.taking_part));
    }
    text
}

/// The objects as CSV, those of all stages.
pub fn objects_csv(document: &ObjectsDocument) -> String {
    type Row = (String, MeasuredObject);
    fn number(value: Option<f64>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    const COLUMNS: [CsvColumn<Row>; 11] = [
        ("range_of", |row| row.0.clone()),
        ("object", |row| row.1.object.name.clone()),
        ("bytes", |row| row.1.object.bytes.0.to_string()),
        ("remote_share", |row| row.1.remote_share.to_string()),
        ("effect", |row| number(row.1.effect.effect.map(|effect| effect.value))),
        ("low", |row| number(row.1.effect.effect.map(|effect| effect.ci95[0]))),
        ("high", |row| number(row.1.effect.effect.map(|effect| effect.ci95[1]))),
        ("at_most", |row| number(row.1.effect.at_most)),
        ("verdict", |row| verdict(row.1.effect.verdict).replace(' ', "-")),
        ("busy_cpus", |row| number(row.1.busy_cpus)),
        ("used_share", |row| number(row.1.used_share)),
    ];
    let rows = document.stages.iter().flat_map(|stage| {
        let of = stage.cut.clone().unwrap_or_default();
        stage.objects.iter().map(move |one| (of.clone(), one.clone()))
    });
    rows_text(&COLUMNS, rows)
}

fn of_objects(document: &ObjectsDocument) -> MovedBetween<'_> {
    MovedBetween {
        nodes: &document.nodes,
        unit: document.moved_together,
        balancing_was_off: document.balancing_was_off,
        started_meanwhile: document.started_meanwhile,
    }
}
