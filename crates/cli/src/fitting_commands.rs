//! Which commands fit a machine: the table, and the rule that picks three of it.

use nearfar_machine::{DeviceKind, Inventory, ProcessRights, Source};
use nearfar_view::text::fitted::ToDo;

/// Commands of a first screen.
const MOST: usize = 3;
/// Stands for a device's name in a command of the table.
const DEVICE: &str = "DEVICE";
/// Stands for a captured machine's path.
const PATH: &str = "PATH";

/// What a command needs of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trait {
    /// It runs nearfar.
    Live,
    /// It was captured.
    Captured,
    OneNode,
    SeveralNodes,
    Guest,
    Container,
    Gpu,
    /// A device on a node that the kernel knows.
    NearDevice,
}

use Trait::{Captured, Container, Gpu, Guest, Live, NearDevice, OneNode, SeveralNodes};

/// What a command needs, the command, and what it is for. The best stand first; of equal commands
/// the first that fits is taken.
const COMMANDS: &[(&[Trait], &str, &str)] = &[
    (&[Live, Container], "nearfar doctor", "what this container refuses, and what allows it"),
    (&[Live, SeveralNodes], "nearfar survey --quick", "what remote memory costs"),
    (&[Live, SeveralNodes, Gpu], "nearfar gpu", "the nearest node of each GPU, measured"),
    (
        &[Live, SeveralNodes, NearDevice],
        "nearfar run --near DEVICE PROGRAM",
        "a program on the node of this device",
    ),
    (&[Live, SeveralNodes], "nearfar run -N 0 -m 0 PROGRAM", "a program on node 0"),
    (&[Live, OneNode, Guest], "nearfar diagnose", "the setting that gives this guest nodes"),
    (&[Live, OneNode], "nearfar diagnose", "why the kernel shows one node"),
    (&[Live, OneNode], "nearfar hidden", "nodes that the system does not show, measured"),
    (&[Live], "nearfar explain PID", "why a running program is slow"),
    (&[Captured], "nearfar diagnose --root PATH", "why the kernel shows these nodes"),
    (&[Captured], "nearfar devices --root PATH", "the node of each device"),
    (&[Captured], "nearfar plot machine --root PATH", "a drawing, as lstopo makes it"),
];

/// What decides which commands fit.
pub(crate) struct FittingMachine {
    traits: Vec<Trait>,
    device: String,
    path: String,
}

impl FittingMachine {
    pub(crate) fn read(source: &Source, nodes: usize, is_guest: bool, devices: &Inventory) -> Self {
        let is_live = source.is_live();
        let near = near_device(devices);
        let has_gpu = devices.devices.iter().any(|device| device.kind == DeviceKind::Gpu);
        let is_contained = is_live && ProcessRights::read(source).container.is_some();
        let all = [
            (Live, is_live),
            (Captured, !is_live),
            (OneNode, nodes < 2),
            (SeveralNodes, nodes > 1),
            (Guest, is_guest),
            (Container, is_contained),
            (Gpu, has_gpu),
            (NearDevice, near.is_some()),
        ];
        let traits = all.into_iter().filter(|(_, is)| *is).map(|(one, _)| one).collect();
        Self { traits, device: near.unwrap_or_default(), path: source.origin().to_owned() }
    }

    /// The commands that fit, the best first.
    pub(crate) fn commands(&self) -> Vec<ToDo> {
        let mut chosen: Vec<(&str, &str)> = Vec::new();
        for (needs, command, why) in COMMANDS {
            let fits = needs.iter().all(|need| self.traits.contains(need));
            if fits && !chosen.iter().any(|(other, _)| other == command) {
                chosen.push((command, why));
            }
        }
        chosen.truncate(MOST);
        let path = shlex::try_quote(&self.path).unwrap_or_default();
        let filled = |command: &str| command.replace(DEVICE, &self.device).replace(PATH, &path);
        chosen.into_iter().map(|(command, why)| ToDo::new(filled(command), why)).collect()
    }
}

/// A device on a known node, as `run --near` takes it: a GPU, else a network card, else a disk.
fn near_device(inventory: &Inventory) -> Option<String> {
    let labels = inventory.labels();
    let devices = || inventory.devices.iter().zip(&labels);
    [DeviceKind::Gpu, DeviceKind::Network, DeviceKind::Disk].into_iter().find_map(|kind| {
        let (device, label) =
            devices().find(|(one, _)| one.kind == kind && one.node.node().is_some())?;
        let number = label.trim_start_matches(|c: char| !c.is_ascii_digit());
        match device.names.first().filter(|_| kind != DeviceKind::Gpu) {
            Some(named) => Some(named.name.clone()),
            None => Some(format!("{}:{number}", kind.word())),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(traits: &[Trait]) -> Vec<String> {
        let machine = FittingMachine {
            traits: traits.to_vec(),
            device: "eth0".to_owned(),
            path: "a b.tar.gz".to_owned(),
        };
        machine.commands().into_iter().map(|one| one.command).collect()
    }

    #[test]
    fn each_kind_of_machine_has_its_three() {
        for (traits, expected) in [
            (&[Live, OneNode][..], ["nearfar diagnose", "nearfar hidden", "nearfar explain PID"]),
            (
                &[Live, SeveralNodes, NearDevice],
                [
                    "nearfar survey --quick",
                    "nearfar run --near eth0 PROGRAM",
                    "nearfar run -N 0 -m 0 PROGRAM",
                ],
            ),
            (
                &[Live, SeveralNodes, Gpu, NearDevice],
                ["nearfar survey --quick", "nearfar gpu", "nearfar run --near eth0 PROGRAM"],
            ),
            (
                &[Live, OneNode, Guest, Container],
                ["nearfar doctor", "nearfar diagnose", "nearfar hidden"],
            ),
            (
                &[Captured, SeveralNodes, Gpu],
                [
                    "nearfar diagnose --root 'a b.tar.gz'",
                    "nearfar devices --root 'a b.tar.gz'",
                    "nearfar plot machine --root 'a b.tar.gz'",
                ],
            ),
        ] {
            assert_eq!(commands(traits), expected, "{traits:?}");
        }
    }

    #[test]
    fn a_guest_is_shown_what_its_host_has_to_set() {
        let machine = FittingMachine {
            traits: vec![Live, OneNode, Guest],
            device: String::new(),
            path: String::new(),
        };
        assert!(machine.commands()[0].why.contains("guest"));
    }

    #[test]
    fn all_commands_parse() {
        for (_, command, _) in COMMANDS {
            let words = command.split(' ');
            if !command.starts_with("nearfar run ") {
                crate::command().try_get_matches_from(words).unwrap();
            }
        }
    }
}
