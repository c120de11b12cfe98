//! Conditions on the placement of workers: `nearfar where --fail-if`.

use std::fmt;
use std::str::FromStr;

use nearfar_machine::DeviceKind;
use nearfar_model::Bytes;
use serde::Serialize;
use thiserror::Error;

use crate::text::conditions as sentences;
use crate::worker::Worker;

/// A condition, with the text that the user wrote.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacementCondition {
    text: String,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    RemoteShare(f64),
    RemoteBytes(Bytes),
    ThreadsOffNode(f64),
    /// A kind of device by its word; `None` for any.
    Far(Option<&'static str>),
    Unbound,
    SharedCpus,
}

/// A share of CPU time that does not count, unless another is written: threads of the kernel's and
/// libraries' making run anywhere for a moment.
const USUAL_OFF_NODE: f64 = 0.05;
/// Devices that conditions name.
const KINDS: [DeviceKind; 5] = [
    DeviceKind::Gpu,
    DeviceKind::Accelerator,
    DeviceKind::Network,
    DeviceKind::Disk,
    DeviceKind::Cxl,
];

/// A text that is no condition.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "write remote>SHARE or remote>SIZE, threads-off-node, unbound, shared-cpus, far-device or \
     far-KIND (gpu, acc, nic, disk, cxl), such as 'remote>5%'"
)]
pub struct BadPlacementCondition;

impl FromStr for PlacementCondition {
    type Err = BadPlacementCondition;

    fn from_str(text: &str) -> Result<Self, BadPlacementCondition> {
        let (name, bound) = match text.split_once('>') {
            Some((name, bound)) => (name.trim(), Some(bound.trim())),
            None => (text.trim(), None),
        };
        let what = match (name, bound) {
            ("remote", Some(bound)) => match share(bound) {
                Some(share) => What::RemoteShare(share),
                None => What::RemoteBytes(bound.parse().map_err(|_| BadPlacementCondition)?),
            },
            ("threads-off-node", None) => What::ThreadsOffNode(USUAL_OFF_NODE),
            ("threads-off-node", Some(bound)) => {
                What::ThreadsOffNode(share(bound).ok_or(BadPlacementCondition)?)
            }
            ("unbound", None) => What::Unbound,
            ("shared-cpus", None) => What::SharedCpus,
            ("far-device", None) => What::Far(None),
            (name, None) => {
                let kind = name.strip_prefix("far-").ok_or(BadPlacementCondition)?;
                let known = KINDS.into_iter().map(DeviceKind::word).find(|word| *word == kind);
                What::Far(Some(known.ok_or(BadPlacementCondition)?))
            }
            _ => return Err(BadPlacementCondition),
        };
        Ok(Self { text: text.to_owned(), what })
    }
}

/// "5%", from 0 to below 100 %.
fn share(text: &str) -> Option<f64> {
    let number: f64 = text.strip_suffix('%')?.trim().parse().ok()?;
    (0.0..100.0).contains(&number).then_some(number / 100.0)
}

impl fmt::Display for PlacementCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// For at least one worker.
    Yes,
    /// For none.
    No,
    /// For none that is known, and of some it is unknown.
    Undetermined,
}

/// A condition and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ConditionResult {
    /// As the user wrote it.
    pub condition: String,
    /// Whether it holds.
    pub holds: Holds,
    /// The workers that it holds for; if there are none, those that may be. A sentence each.
    pub because: Vec<String>,
}

/// What of one worker is known.
enum Judged {
    Holds(String),
    Not,
    Unknown(String),
}

impl PlacementCondition {
    /// Judges the condition on these workers. Of `unreadable` processes, nothing is known.
    pub fn judge(&self, workers: &[Worker], unreadable: &[String]) -> ConditionResult {
        let (mut holds, mut unknown) = (Vec::new(), unreadable.to_owned());
        for worker in workers {
            match self.of(worker, workers) {
                Judged::Holds(why) => holds.push(format!("{}: {why}", sentences::name(worker))),
                Judged::Unknown(why) => unknown.push(format!("{}: {why}", sentences::name(worker))),
                Judged::Not => {}
            }
        }
        let (verdict, because) = match (holds.is_empty(), unknown.is_empty()) {
            (false, _) => (Holds::Yes, holds),
            (true, false) => (Holds::Undetermined, unknown),
            (true, true) => (Holds::No, Vec::new()),
        };
        ConditionResult { condition: self.text.clone(), holds: verdict, because }
    }

    fn of(&self, worker: &Worker, all: &[Worker]) -> Judged {
        let beyond = |holds: bool, why: &dyn Fn() -> String| match holds {
            true => Judged::Holds(why()),
            false => Judged::Not,
        };
        match &self.what {
            What::RemoteShare(_) | What::RemoteBytes(_) | What::ThreadsOffNode(_)
                if worker.is_small() =>
            {
                Judged::Not
            }
            What::RemoteShare(most) => match worker.own_remote_share {
                Some(share) => beyond(share > *most, &|| sentences::remote(worker, share)),
                None => Judged::Unknown(sentences::NO_SHARE.to_owned()),
            },
            What::RemoteBytes(most) => match worker.remote_bytes().zip(worker.own_remote_share) {
                Some((size, share)) => beyond(size > *most, &|| sentences::remote(worker, share)),
                None => Judged::Unknown(sentences::NO_SHARE.to_owned()),
            },
            What::ThreadsOffNode(most) => match worker.cpu_time_off_node {
                Some(share) => beyond(share > *most, &|| sentences::off_node(worker, share)),
                None => Judged::Unknown(sentences::NO_HOME.to_owned()),
            },
            What::Far(kind) => far(worker, *kind),
            What::SharedCpus if all.iter().all(|one| one.rank.is_none()) => {
                Judged::Unknown(sentences::NO_RANK.to_owned())
            }
            What::Unbound | What::SharedCpus if worker.allowed_cpus.is_empty() => {
                Judged::Unknown(sentences::NO_CPUS.to_owned())
            }
            What::Unbound => beyond(worker.cpu_nodes.len() > 1, &|| sentences::unbound(worker)),
            What::SharedCpus => match worker.shares_cpus_with(all) {
                Some(other) => Judged::Holds(sentences::shared_cpus(worker, other)),
                None => Judged::Not,
            },
        }
    }
}

fn far(worker: &Worker, kind: Option<&str>) -> Judged {
    if !worker.devices_known {
        return Judged::Unknown(sentences::NO_DEVICES.to_owned());
    }
    let meant = |word: Option<&'static str>| kind.is_none() || word.is_none() || word == kind;
    let devices = || worker.devices.iter().filter(|device| meant(device.kind));
    if let Some(device) = devices().find(|one| one.is_far() && (kind.is_none() || one.kind == kind))
    {
        return Judged::Holds(sentences::far(device));
    }
    // One of an unknown kind may be meant.
    match devices().find(|one| one.is_undetermined() || one.is_far()) {
        Some(device) => Judged::Unknown(sentences::device_unknown(device)),
        None => Judged::Not,
    }
}

#[cfg(test)]
mod tests;
