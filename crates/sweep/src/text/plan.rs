//! What a sweep would run.

use nearfar_view::terminal::printable;
use nearfar_view::terminal::table::{Align, headed};
use nearfar_view::text::sections;

use super::{interrupts, unavailable};
use crate::{ConfigurationResult, Sweep};

/// The configurations, and what would be set. Nothing has run.
pub fn plan(sweep: &Sweep) -> String {
    let count = sweep.configurations.len();
    let word = if count == 1 { "configuration" } else { "configurations" };
    let head = format!("would run {count} {word} in each block\n");
    sections([head, table(sweep), unavailable(sweep), interrupts::section(sweep)])
}

fn table(sweep: &Sweep) -> String {
    let lines = sweep.configurations.iter().map(|ConfigurationResult { configuration, .. }| {
        let one = configuration;
        let command = printable::line(&sweep.run_line(one)).into_owned();
        [one.id.clone(), one.cpus.to_string(), one.nodes.to_string(), command]
    });
    headed(["configuration", "CPUs", "nodes", "command"], lines, &[Align::Left])
}
