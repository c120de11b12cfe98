//! The machines that the lab has from the start; their files are part of the program.

macro_rules! machines {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../machines/", $name, ".toml")))),*]
    };
}

const MACHINES: [(&str, &str); 16] = machines![
    "epyc-7451-2p",
    "xeon-2s",
    "noisy-xeon-2s",
    "xeon-2s-slow-node",
    "epyc-9224-nps2-cxl",
    "opteron-4p-8n",
    "sparse-a64",
    "memoryless",
    "uma-claims-8-nodes",
    "sc2a11-24c",
    "hidden-2n",
    "hidden-4n",
    "firmware-interleaved",
    "devices-2s",
    "disks-2s",
    "gpus-2s",
];

pub(super) fn names() -> Vec<&'static str> {
    MACHINES.iter().map(|(name, _)| *name).collect()
}

/// The description of one.
pub(super) fn text(name: &str) -> Option<&'static str> {
    MACHINES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
