//! How far apart two devices are: the levels of `nvidia-smi topo -m`.
//!
//! NVML has the same levels (`nvmlGpuTopologyLevel_t`): internal 0, single 10, multiple 20, host
//! bridge 30, node 40, system 50.

use std::fmt;

use nearfar_machine::inventory::KfdLink;
use nearfar_machine::pci::{PciHop, PciPath};
use nearfar_model::NodeId;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The level of a pair of devices, nearest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// One device.
    Same,
    /// Links between GPUs, by a second witness: this number of NVLinks.
    NvLink(u32),
    /// Direct links between GPUs of AMD, by its driver: this number, if it is known.
    Xgmi(Option<u32>),
    /// This number of such links one after another, by way of other GPUs.
    XgmiHops(u32),
    /// Their paths meet at a bridge, with at most one more bridge on either side: one switch.
    Pix,
    /// Their paths meet at a bridge, over several switches.
    Pxb,
    /// Their paths meet at a root bus.
    Phb,
    /// Different root buses of one node.
    Node,
    /// Different nodes.
    Sys,
    /// A node or a path is unknown.
    Unknown,
}

impl Level {
    /// The level of two devices by their paths, else by their nodes. A machine with one node has no
    /// other node.
    pub fn between(a: (&PciPath, Option<NodeId>), b: (&PciPath, Option<NodeId>)) -> Self {
        let are_whole = a.0.is_whole() && b.0.is_whole();
        path_level(a.0, b.0).unwrap_or(match (a.1, b.1) {
            (Some(a), Some(b)) if a == b && are_whole => Self::Node,
            (Some(a), Some(b)) if a == b => Self::Unknown,
            (Some(_), Some(_)) => Self::Sys,
            _ => Self::Unknown,
        })
    }

    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "X" => Self::Same,
            "XGMI" => Self::Xgmi(None),
            "PIX" => Self::Pix,
            "PXB" => Self::Pxb,
            "PHB" => Self::Phb,
            "NODE" => Self::Node,
            "SYS" => Self::Sys,
            "N/A" => Self::Unknown,
            _ => match word.strip_prefix("XGMI") {
                Some(rest) => {
                    match rest.strip_prefix('-').and_then(|hops| hops.strip_suffix('H')) {
                        Some(hops) => Self::XgmiHops(hops.parse().ok()?),
                        None => Self::Xgmi(Some(rest.parse().ok()?)),
                    }
                }
                None => Self::NvLink(word.strip_prefix("NV")?.parse().ok()?),
            },
        })
    }

    /// The level of an XGMI link of AMD's driver, which joins GPUs directly or over others.
    pub(crate) fn from_xgmi(link: &KfdLink) -> Self {
        match link.xgmi_hops() {
            Some(1) => Self::Xgmi(link.xgmi_links()),
            Some(hops) => Self::XgmiHops(hops),
            None => Self::Xgmi(None),
        }
    }

    /// The level that a cell of `nvidia-smi topo -m` means. Drivers before 384 wrote SOC for SYS.
    pub(crate) fn from_smi(word: &str) -> Option<Self> {
        if word == "SOC" { Some(Self::Sys) } else { Self::parse(word) }
    }

    /// Whether it is a level of PCIe paths, which sysfs shows.
    pub(crate) fn is_of_paths(self) -> bool {
        !matches!(self, Self::NvLink(_) | Self::Xgmi(_) | Self::XgmiHops(_) | Self::Unknown)
    }
}

/// The level of two paths that share a root bus; `None` if they share none, or one is not known.
///
/// Bus numbers are compared within a domain only: the parts of a path have their domain.
pub fn path_level(a: &PciPath, b: &PciPath) -> Option<Level> {
    if !a.is_whole() || !b.is_whole() {
        return None;
    }
    let common = a.hops().iter().zip(b.hops()).take_while(|(a, b)| a == b).count();
    let meeting = a.hops().get(common.checked_sub(1)?)?;
    if matches!(meeting, PciHop::RootBus { .. }) {
        return Some(Level::Phb);
    }
    let farthest = a.hops().len().max(b.hops().len()) - common;
    Some(if farthest <= 1 { Level::Pix } else { Level::Pxb })
}

impl fmt::Display for Level {
    /// The word that scripts look for.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Same => "X",
            Self::NvLink(links) => return write!(f, "NV{links}"),
            Self::Xgmi(None) => "XGMI",
            Self::Xgmi(Some(links)) => return write!(f, "XGMI{links}"),
            Self::XgmiHops(hops) => return write!(f, "XGMI-{hops}H"),
            Self::Pix => "PIX",
            Self::Pxb => "PXB",
            Self::Phb => "PHB",
            Self::Node => "NODE",
            Self::Sys => "SYS",
            Self::Unknown => "N/A",
        })
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Self::parse(&word)
            .ok_or_else(|| serde::de::Error::custom(format!("'{word}' is no level of a pair")))
    }
}

impl schemars::JsonSchema for Level {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Level".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let mut schema = String::json_schema(generator);
        let text = "Level of a pair: X, NV#, XGMI, XGMI#, XGMI-#H (# hops), PIX, PXB, PHB, NODE, \
                    SYS; N/A if unknown.";
        schema.insert("description".to_owned(), text.into());
        schema
    }
}

#[cfg(test)]
mod tests;
