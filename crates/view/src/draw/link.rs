//! A connection of two nodes, as plans and graphs draw it.

/// How a connection is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkSource {
    /// Measured costs show it: solid.
    #[default]
    Measured,
    /// Firmware claims it: dashed.
    Claimed,
    /// Measured costs cannot decide whether it exists: dashed.
    Open,
}

impl LinkSource {
    pub(crate) const ALL: [Self; 3] = [Self::Measured, Self::Claimed, Self::Open];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Claimed => "claimed",
            Self::Open => "undetermined",
        }
    }

    /// The class of its line.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Measured => "l",
            Self::Claimed | Self::Open => "c",
        }
    }
}

/// A connection of two nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanLink {
    /// The nodes' numbers, as [`PlanNode::id`](crate::draw::PlanNode::id).
    pub ends: [u32; 2],
    /// What is written at it: "167 ns".
    pub label: String,
    /// How it is known.
    pub source: LinkSource,
}

impl PlanLink {
    /// "0 – 1: 167 ns, claimed".
    pub(crate) fn text(&self) -> String {
        let label = if self.label.is_empty() { String::new() } else { format!(": {}", self.label) };
        let claimed = if self.source == LinkSource::Claimed { ", claimed" } else { "" };
        format!("{} – {}{label}{claimed}", self.ends[0], self.ends[1])
    }
}
