//! A placement as the lines of a systemd unit.

use std::ffi::OsString;

use nearfar_machine::Source;
use nearfar_process::launch::{System, Translation};

use super::Recipe;
use crate::configuration::{Configuration, PER_NODE};
use crate::placement::checked;

/// The lines; none of a placement that leaves the unit as it is, or that systemd cannot have.
pub fn unit_lines(
    recipe: &Recipe,
    configuration: &Configuration,
    source: &Source,
) -> Option<String> {
    if configuration.placement != PER_NODE {
        return lines(&configuration.words, &recipe.command, source);
    }
    let each = configuration.nodes.iter().map(|node| {
        let words = [format!("--cpunodebind={node}"), format!("--membind={node}")];
        Some(format!("# instance {node}\n{}", lines(&words, &recipe.command, source)?))
    });
    Some(each.collect::<Option<Vec<_>>>()?.join("\n"))
}

fn lines(words: &[String], command: &str, source: &Source) -> Option<String> {
    if words.is_empty() {
        return None;
    }
    let placement = checked(words, source).ok()?.placement;
    let file = |command: &[OsString]| {
        let translation = Translation::new(&placement, command, System::Systemd).ok()?;
        Some(translation.parts.into_iter().next()?.text)
    };
    let text = file(&[])?;
    if !text.contains("ExecStart=") {
        return Some(text);
    }
    // A line that replaces the unit's own needs an empty one before it (systemd.service(5)).
    let command: Vec<OsString> = shlex::split(command)?.into_iter().map(OsString::from).collect();
    Some(file(&command)?.replace("ExecStart=", "ExecStart=\nExecStart="))
}
