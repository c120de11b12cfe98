//! Why a program was not placed, in one line: what was asked, what is in its way, what helps.

use nearfar_machine::{HardwareNode, MachineError};
use nearfar_model::{NodeId, NodeSet, UnwritableWord};
use nearfar_place::PlaceError;
use thiserror::Error;

/// Why a command line cannot be followed.
#[derive(Debug, Error)]
pub enum LaunchError {
    /// A word that is no option.
    #[error("there is no option '{word}': {}", near(suggestion.as_deref()))]
    UnknownOption {
        /// The word.
        word: String,
        /// The nearest that there is.
        suggestion: Option<String>,
    },
    /// The beginning of several options.
    #[error("option '{word}' is ambiguous: it may be {candidates}")]
    Ambiguous {
        /// The word.
        word: String,
        /// What it may mean.
        candidates: String,
    },
    /// An option without the value that it needs.
    #[error("option '{option}' needs a value: {option} {value}")]
    MissingValue {
        /// The option.
        option: String,
        /// What its value is called.
        value: &'static str,
    },
    /// A value for an option that takes none.
    #[error("option '{option}' takes no value, so leave '={value}' out")]
    UnwantedValue {
        /// The option.
        option: String,
        /// The value.
        value: String,
    },
    /// A value that is not text.
    #[error("the value of '{option}' is not UTF-8 text: give names in it that are")]
    NotText {
        /// The option.
        option: String,
    },
    /// A value that is no number, size or mode.
    #[error("{option} '{text}' is not {wanted}")]
    BadValue {
        /// The option.
        option: String,
        /// The value.
        text: String,
        /// What it should be.
        wanted: &'static str,
    },
    /// Two policies.
    #[error("Conflicting policies: {first} and {second}; a program has one, so leave one out")]
    ConflictingPolicies {
        /// The first.
        first: String,
        /// The second.
        second: String,
    },
    /// Options that exclude each other, or stand in the wrong order.
    #[error("{option} {rule}")]
    Order {
        /// The option.
        option: String,
        /// What is wrong with where it stands.
        rule: String,
    },
    /// No program, and nothing else to do.
    #[error(
        "there is no program to run: put it behind the options, or ask for --show or --hardware"
    )]
    NothingToRun,
    /// A list that names nothing usable.
    #[error("{option}: {why}")]
    List {
        /// The option.
        option: String,
        /// What is wrong with the list.
        why: MachineError,
    },
    /// A device that is not found, or is no hardware.
    #[error("{option}: {why}{}", near_advice(why))]
    Near {
        /// The option.
        option: String,
        /// The device, and what is wrong.
        why: MachineError,
    },
    /// A device whose node the kernel does not know.
    #[error(
        "--near: the kernel does not know the node of {}{claims}: --near-anyway NODE goes on with \
         one of nodes {nodes}; 'nearfar devices' shows what firmware claims, and 'nearfar sweep' \
         measures the program on each node",
        unplaced(asked, hardware)
    )]
    UnknownDeviceNode {
        /// The device as it was named.
        asked: String,
        /// Its hardware.
        hardware: Vec<HardwareNode>,
        /// The online nodes.
        nodes: NodeSet,
        /// What other witnesses claim, as a phrase; empty before they are read.
        claims: String,
    },
    /// The kernel shows no distances.
    #[error(
        "--near: node {node} has no CPUs or no memory, and the kernel shows no distances to \
         nodes that have: give nodes with --cpunodebind and --preferred"
    )]
    NoNearestNode {
        /// The node of the device.
        node: NodeId,
    },
    /// Several nodes where one is wanted.
    #[error("--preferred takes one node, not {nodes}: --preferred-many takes several (Linux 5.15)")]
    ManyPreferred {
        /// The nodes.
        nodes: NodeSet,
    },
    /// The kernel was built without NUMA.
    #[error(
        "{option}: this kernel knows no NUMA (CONFIG_NUMA is off): leave the option out; \
         --physcpubind works"
    )]
    NoNuma {
        /// The option.
        option: String,
    },
    /// sysfs is not mounted.
    #[error(
        "{option}: /sys is empty, so no node can be seen: mount it (mount -t sysfs sysfs /sys), \
         or leave the option out"
    )]
    NoSysfs {
        /// The option.
        option: String,
    },
    /// The kernel does not take it.
    #[error("{option}: {cause}")]
    Refused {
        /// The option.
        option: String,
        /// Why.
        cause: PlaceError,
    },
    /// The memory-policy calls are denied altogether.
    #[error("{option}: {cause}; {still}")]
    Denied {
        /// The option.
        option: String,
        /// Why.
        cause: PlaceError,
        /// What can be had all the same.
        still: &'static str,
    },
    /// Weights that are none.
    #[error(
        "--weights '{text}': {why}; write NODE=WEIGHT,.. with weights from 1 to 255, or, before \
         Linux 6.16, 0 for the kernel's own"
    )]
    Weights {
        /// What was written.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// A word that another system's file cannot have.
    #[error("--as {system}: {why}")]
    Unwritable {
        /// The system.
        system: &'static str,
        /// The word, and why.
        why: UnwritableWord,
    },
    /// An unknown system.
    #[error("--as '{name}': give one of systemd, systemd-262, docker, slurm, libvirt, kubernetes")]
    NoSuchSystem {
        /// The name.
        name: String,
    },
}

impl LaunchError {
    /// What the kernel refused to an option. A denied call is denied for whatever it is asked for,
    /// so then `still` names what is left; a wrong node is not.
    pub(crate) fn refused(option: String, cause: PlaceError, still: &'static str) -> Self {
        if cause.is_denied() {
            Self::Denied { option, cause, still }
        } else {
            Self::Refused { option, cause }
        }
    }

    /// Whether the words are at fault, whatever the machine.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::List { why, .. } => matches!(why, MachineError::MalformedList { .. }),
            Self::Near { why, .. } => matches!(why, MachineError::MalformedDevice { .. }),
            Self::UnknownDeviceNode { .. }
            | Self::NoNearestNode { .. }
            | Self::NoNuma { .. }
            | Self::NoSysfs { .. }
            | Self::Refused { .. }
            | Self::Denied { .. } => false,
            _ => true,
        }
    }
}

/// A user may know the node of what has no hardware.
fn near_advice(why: &MachineError) -> &'static str {
    match why {
        MachineError::NoHardware { why, .. } if why.is_software() => ": bind with -N NODE",
        _ => "",
    }
}

/// "/data (nvme0n1, nvme1n1)".
fn unplaced(asked: &str, hardware: &[HardwareNode]) -> String {
    let mut names: Vec<String> = Vec::new();
    for one in hardware {
        match one.address {
            // Not "vda (vda)".
            Some(address) if one.name == asked => names.push(address.to_string()),
            Some(address) if one.name != address.to_string() => {
                names.push(format!("{} at {address}", one.name));
            }
            _ => names.push(one.name.clone()),
        }
    }
    match &names[..] {
        [] => asked.to_owned(),
        [only] if only == asked => asked.to_owned(),
        _ => format!("{asked} ({})", names.join(", ")),
    }
}

fn near(suggestion: Option<&str>) -> String {
    match suggestion {
        Some(option) => {
            format!("did you mean '{option}'? Put a program's own options after its name")
        }
        None => "put a program's own options after its name, or after --".to_owned(),
    }
}
