//! `nearfar-lab list`: the machines there are.

use clap::Args;
use nearfar_view::terminal::output;
use nearfar_view::terminal::table::Align::{Left, Right};
use nearfar_view::terminal::table::Table;
use serde_json::json;

use crate::machine::LabMachine;

/// List the machines of the lab.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar-lab list
  nearfar-lab list --json | jq -r '.machines[].name'
  nearfar-lab show epyc-7451-2p --toml > mine.toml     a description to start from")]
pub(crate) struct List {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl List {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let machines = LabMachine::builtin()
            .into_iter()
            .map(LabMachine::load)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(output::text(&if self.json { document(&machines) } else { table(&machines) })?)
    }
}

fn table(machines: &[LabMachine]) -> String {
    let mut table = Table::default();
    table.line(["machine", "arch", "nodes", "CPUs", "memory", "devices", "what it is"]);
    for machine in machines {
        let (name, arch, summary) =
            (&machine.name, machine.arch().to_string(), &machine.description.summary);
        let (nodes, cpus) = (machine.nodes().len().to_string(), machine.cpus().to_string());
        let (memory, devices) =
            (machine.memory().to_string(), machine.description.devices.len().to_string());
        table.line([name, &arch, &nodes, &cpus, &memory, &devices, summary]);
    }
    table.text(&[Left, Left, Right, Right, Right, Right, Left])
}

fn document(machines: &[LabMachine]) -> String {
    let machines = machines.iter().map(|machine| {
        json!({
            "name": machine.name,
            "arch": machine.arch(),
            "nodes": machine.nodes().len(),
            "cpus": machine.cpus(),
            "memory_bytes": machine.memory(),
            "devices": machine.description.devices.len(),
            "summary": machine.description.summary,
        })
    });
    format!(
        "{}\n",
        json!({ "schema": "nearfar-lab.machines/1", "machines": machines.collect::<Vec<_>>() })
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_machine_of_the_lab_is_listed_with_what_it_is() {
        let machines: Vec<LabMachine> =
            LabMachine::builtin().into_iter().map(|name| LabMachine::load(name).unwrap()).collect();
        let text = table(&machines);
        let first_lines = text.lines().filter(|line| !line.starts_with(' '));
        assert_eq!(first_lines.count(), machines.len() + 1);
        let epyc = text.lines().find(|line| line.starts_with("epyc-9224-nps2-cxl")).unwrap();
        assert!(epyc.contains("x86_64       5     8   960 MiB        0  two EPYC 9224"), "{epyc}");
        let document: serde_json::Value = serde_json::from_str(&document(&machines)).unwrap();
        assert_eq!(document["machines"][0]["cpus"], 8);
        assert_eq!(document["machines"][0]["memory_bytes"], (7 * 160 + 256) << 20);
    }
}
