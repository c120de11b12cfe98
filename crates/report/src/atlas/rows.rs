//! Rows of the atlas as a table, and as CSV.

use nearfar_survey::atlas::{AtlasRow, Method, Platform, Span};
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::csv_text::under;
use nearfar_view::text::paragraph;
use nearfar_view::text::{or_dash, or_empty, table as view_table};

use crate::pictures::figures::short;

/// A line for each row.
pub fn table(rows: &[&AtlasRow]) -> String {
    let head = ["CPU", "mode", "local ns", "remote ns", "local GB/s", "core to core ns", "method"];
    let line = |row: &&AtlasRow| {
        let core_to_core: Vec<f64> =
            row.core_to_core_ns.iter().flatten().flat_map(|(_, span)| span.ends()).collect();
        [
            row.cpu.clone(),
            mode(row),
            or_dash(row.local().map(written)),
            or_dash(row.remote().map(written)),
            or_dash(row.local_bandwidth().map(written)),
            or_dash(Span::around(&core_to_core).map(written)),
            row.method.name().to_owned(),
        ]
    };
    let align = [Align::Left, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right];
    headed(head, rows.iter().map(line), &align)
}

/// A line for each family: how many rows, and the range of their figures.
pub(super) fn families(rows: &[&AtlasRow]) -> String {
    let mut names: Vec<&str> = rows.iter().map(|row| row.family.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let line = |name: &str| {
        let here: Vec<&&AtlasRow> = rows.iter().filter(|row| row.family == name).collect();
        [
            name.to_owned(),
            here.len().to_string(),
            range(&here, AtlasRow::local),
            range(&here, AtlasRow::remote),
            range(&here, AtlasRow::local_bandwidth),
        ]
    };
    let heads = ["family", ">rows", ">local ns", ">remote ns", ">local GB/s"];
    let lines = names.into_iter().map(line);
    let lines = lines.filter(|line| line[2..].iter().any(|range| !range.is_empty()));
    view_table("Published figures by family", heads, lines.collect())
}

/// "81-112": from the smallest to the largest figure of some rows; nothing where they have none.
pub(super) fn range(rows: &[&&AtlasRow], of: fn(&AtlasRow) -> Option<Span>) -> String {
    let ends: Vec<f64> = rows.iter().filter_map(|row| of(row)).flat_map(Span::ends).collect();
    or_empty(Span::around(&ends).map(written))
}

/// Each row's source, tool and note.
pub fn sources(rows: &[&AtlasRow]) -> String {
    let line = |row: &&AtlasRow| {
        let date = or_empty(row.date.as_ref().map(|date| format!(", {date}")));
        let read = if row.read_again { "checked at the source" } else { "copied once" };
        let [mode, note] = [&row.mode, &row.note]
            .map(|text| or_empty(text.as_ref().map(|text| format!(". {text}"))));
        let text = format!("{} ({}{date}; {read}){mode}{note}", row.source, row.tool);
        paragraph::of(&text, &format!("  {}: ", row.id), "    ")
    };
    format!("Sources\n{}", rows.iter().map(line).collect::<String>())
}

/// A record for each row.
pub fn csv(rows: &[&AtlasRow]) -> String {
    const HEADER: &str = "id,cpu,family,sockets,nodes,mode,nodes_per_socket,interleaved,platform,\
                          method,tool,local_ns_low,local_ns_high,remote_ns_low,remote_ns_high,\
                          local_gb_s_low,local_gb_s_high,source,read_again,date";
    let record = |row: &&AtlasRow| {
        let ends = |span: Option<Span>| {
            span.map_or_else(Default::default, |span| span.ends().map(|end| end.to_string()))
        };
        let [local_low, local_high]: [String; 2] = ends(row.local());
        let [remote_low, remote_high]: [String; 2] = ends(row.remote());
        let [reads_low, reads_high]: [String; 2] = ends(row.local_bandwidth());
        [
            row.id.clone(),
            row.cpu.clone(),
            row.family.clone(),
            or_empty(row.sockets),
            or_empty(row.nodes),
            or_empty(row.mode.as_ref()),
            or_empty(row.nodes_per_socket),
            row.interleaved.to_string(),
            platform(row.platform).to_owned(),
            row.method.name().to_owned(),
            row.tool.clone(),
            local_low,
            local_high,
            remote_low,
            remote_high,
            reads_low,
            reads_high,
            row.source.clone(),
            row.read_again.to_string(),
            or_empty(row.date.as_ref()),
        ]
    };
    under(HEADER, rows.iter().map(record))
}

/// The source's words, else packages and nodes.
pub(crate) fn mode(row: &AtlasRow) -> String {
    let shape = match (row.sockets, row.nodes) {
        (Some(sockets), Some(nodes)) => format!("{sockets}P {nodes}N"),
        (Some(sockets), None) => format!("{sockets}P"),
        _ => String::new(),
    };
    // The sources list has it in full.
    let short = row.mode.as_ref().and_then(|mode| mode.split([',', '(']).next());
    match short.map(str::trim) {
        Some(mode) if shape.is_empty() => mode.to_owned(),
        Some(mode) => format!("{shape} {mode}"),
        None if shape.is_empty() => "-".to_owned(),
        None => shape,
    }
}

fn written(span: Span) -> String {
    let [low, high] = span.ends().map(short);
    if low == high { low } else { format!("{low}-{high}") }
}

const fn platform(platform: Platform) -> &'static str {
    match platform {
        Platform::BareMetal => "bare-metal",
        Platform::Guest => "guest",
        Platform::Unknown => "unknown",
    }
}

/// How a row's latency was measured, where it has one.
pub(crate) fn latency_method(row: &AtlasRow) -> Option<Method> {
    row.local().map(|_| row.method)
}
