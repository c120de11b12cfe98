//! Figures of nodes for a spreadsheet.

use nearfar_view::text::csv_text::{records_text, under};
use serde_json::Value;

use crate::columns::Row;
use crate::{NodeRow, Tick};

/// A line for each node of a tick, below the names of the fields or without them.
pub fn csv(tick: &Tick, has_header: bool) -> String {
    let records = tick.nodes.iter().map(|row| {
        let row = serde_json::to_value(row).unwrap_or_default();
        let cells = NodeRow::FIELDS.iter().map(move |field| cell(&row[field]));
        [tick.time.clone(), tick.interval_s.to_string()].into_iter().chain(cells)
    });
    match has_header {
        true => under(&format!("time,interval_s,{}", NodeRow::FIELDS.join(",")), records),
        false => records_text(records),
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
