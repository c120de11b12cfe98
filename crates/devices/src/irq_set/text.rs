//! What was set of a device's interrupts and queues, or put back.

use nearfar_machine::interrupts::InterruptSetting;
use nearfar_model::CpuSet;
use nearfar_view::terminal::printable;
use nearfar_view::text::paragraph;
use nearfar_view::text::sections;
use nearfar_view::text::table;

use crate::irq_set::{IrqSetAction, IrqSetDocument, IrqSetWarning, SavedSetting, SettingResult};

/// What was done, file by file, and what may undo it.
pub fn text(document: &IrqSetDocument) -> String {
    let warnings =
        document.warnings.iter().map(|one| paragraph::of(&warning(one), "warning: ", "  "));
    printable::lines(&sections([
        settings(document),
        restored(document),
        gone(document),
        warnings.collect(),
        hint(document),
    ]))
}

fn heading(document: &IrqSetDocument, done: &str) -> String {
    let IrqSetDocument { device, address, node, near, .. } = document;
    let place = match node {
        Some(node) => format!("node {node}, CPUs {near} are near"),
        None => "its node is unknown".to_owned(),
    };
    format!("{device} ({address}), {place}: {done}")
}

fn settings(document: &IrqSetDocument) -> String {
    let is_dry = document.action == IrqSetAction::DryRun;
    let line = |one: &SettingResult| {
        let after = if is_dry { Some(&one.change.cpus) } else { one.now.as_ref() };
        [
            one.change.setting.to_string(),
            one.change.name.clone(),
            cpus(&one.before, &one.change.setting),
            after.map_or("not readable".to_owned(), |after| cpus(after, &one.change.setting)),
            one.effective.as_ref().map(CpuSet::to_string).unwrap_or_default(),
            note(one, is_dry),
        ]
    };
    let lines = document.settings.iter().map(line).collect();
    let is_same = |one: &SettingResult| one.before == one.change.cpus;
    let (done, after) = match is_dry {
        true if document.settings.iter().all(is_same) => ("nothing would change", "asked"),
        true => ("would be set", "asked"),
        false => ("set", "now"),
    };
    table(&heading(document, done), ["", "", "before", after, "runs on", ""], lines)
}

fn note(one: &SettingResult, is_dry: bool) -> String {
    if !is_dry && one.is_different() {
        return format!("CPUs {} were asked", one.change.cpus);
    }
    let is_pending = one.is_pending && !is_dry;
    if is_pending { "takes effect with its next interrupt".to_owned() } else { String::new() }
}

/// No CPUs have a meaning for queues.
fn cpus(cpus: &CpuSet, setting: &InterruptSetting) -> String {
    match (cpus.is_empty(), setting) {
        (false, _) => cpus.to_string(),
        (true, InterruptSetting::Irq(_)) => "none".to_owned(),
        (true, InterruptSetting::Xps { .. } | InterruptSetting::Rps { .. }) => "off".to_owned(),
    }
}

fn restored(document: &IrqSetDocument) -> String {
    let line = |one: &SavedSetting| {
        let before = one.setting.parse(&one.text);
        let before = before.map_or(one.text.clone(), |before| cpus(&before, &one.setting));
        [one.setting.to_string(), before]
    };
    let done = match document.action {
        IrqSetAction::UndoDryRun => "would be put back",
        _ => "put back",
    };
    let lines = document.restored.iter().map(line).collect();
    table(&heading(document, done), ["", "CPUs"], lines)
}

fn gone(document: &IrqSetDocument) -> String {
    let names: Vec<String> = document.gone.iter().map(ToString::to_string).collect();
    if names.is_empty() {
        return String::new();
    }
    paragraph::of(&format!("no longer of this device: {}", names.join(", ")), "", "  ")
}

fn warning(warning: &IrqSetWarning) -> String {
    match warning {
        IrqSetWarning::Irqbalance { interrupts, policy_script } => {
            let options: Vec<String> =
                interrupts.iter().map(|number| format!("--banirq={number}")).collect();
            let script = match policy_script {
                Some(script) => format!("unless {script} decides otherwise"),
                None => "within its interval (10 s by default)".to_owned(),
            };
            format!(
                "irqbalance runs and may move these interrupts {script}. Ban them with {} in \
                 IRQBALANCE_ARGS, or print a policy script with --as irqbalance.",
                options.join(" ")
            )
        }
        IrqSetWarning::FarCpus { cpus, near } => {
            format!("far from the device: CPUs {cpus}; near: CPUs {near}")
        }
        IrqSetWarning::SharedInterrupt { interrupt, devices } => {
            format!("interrupt {interrupt} is of {}, too: it moves for all.", devices.join(", "))
        }
    }
}

fn hint(document: &IrqSetDocument) -> String {
    if document.action != IrqSetAction::Set {
        return String::new();
    }
    format!("Put back with: nearfar irq set {} --undo\n", document.address)
}
