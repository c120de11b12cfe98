//! Drift: settings that differ between machines that should be alike.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_infer::fleet::MIN_MACHINES;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fleet::Interned;
use crate::fleet::ShapeGroup;
use crate::fleet::joined::JoinedMachine;
use crate::fleet::surveys::FleetSurvey;

/// A setting that differs within a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FleetDrift {
    /// Index of the group.
    pub group: usize,
    /// Index of the group that it is compared with: of a group with fewer than four machines, the
    /// largest with the same CPU model, so that it shows why they are apart.
    pub compared_with: usize,
    /// The setting: a path in the survey's `environment`, or a fact such as `machine.kernel`.
    pub setting: String,
    /// The value of most machines, or of the reference. Null where no value is that of more than
    /// half of the machines with a value.
    pub usual: Option<String>,
    /// How many machines have it.
    pub machines: usize,
    /// All others.
    pub others: Vec<DriftValue>,
}

/// Machines whose setting is not the usual one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct DriftValue {
    /// What is known of it.
    pub state: DriftState,
    /// Its value; null where it is not known.
    pub value: Option<String>,
    /// The machines.
    pub machines: Vec<String>,
}

/// What is known of a setting.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum DriftState {
    /// It has another value.
    Differs,
    /// The machine has no such setting, or it was not readable.
    NotReadable,
    /// The survey does not have it: another version of nearfar, or an instrument did not run.
    NotSent,
}

/// A machine's name and its statements by the setting's number.
type Stated<'m> = (&'m str, BTreeMap<u32, Option<u32>>);

/// The drift of each group.
pub(crate) fn drift(
    groups: &[ShapeGroup],
    reference: Option<&FleetSurvey>,
    texts: &Interned<String>,
) -> Vec<FleetDrift> {
    let golden = reference.map(|golden| golden.statements.iter().copied().collect());
    let mut found = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let compared_with = counterpart(groups, number);
        let others = groups[compared_with].machines.iter();
        let majority: Vec<Stated<'_>> = others.map(stated).collect();
        let own: Vec<Stated<'_>> = group.machines.iter().map(stated).collect();
        let settings: BTreeSet<u32> =
            own.iter().chain(&majority).flat_map(|(_, of)| of.keys().copied()).collect();
        let mut named: Vec<(&String, u32)> =
            settings.into_iter().map(|setting| (texts.name(setting), setting)).collect();
        named.sort();
        found.extend(named.into_iter().filter_map(|(name, setting)| {
            let usual = usual(setting, golden.as_ref(), &majority, texts);
            let others = others_than(usual, setting, &own, texts);
            (!others.is_empty()).then(|| FleetDrift {
                group: number,
                compared_with,
                setting: name.clone(),
                usual: usual.map(|value| texts.name(value).clone()),
                machines: own.len()
                    - others.iter().map(|other| other.machines.len()).sum::<usize>(),
                others,
            })
        }));
    }
    found
}

/// The group that a group is compared with: itself, or the largest of its CPU model if it is too
/// small to have a majority.
fn counterpart(groups: &[ShapeGroup], number: usize) -> usize {
    let group = &groups[number];
    let largest =
        groups.iter().position(|other| other.shape.model == group.shape.model).unwrap_or(number);
    if group.machines.len() < MIN_MACHINES { largest } else { number }
}

fn stated(machine: &JoinedMachine) -> Stated<'_> {
    (&machine.name, machine.statements.iter().copied().collect())
}

/// The usual value of a setting: the reference's, or that of more than half of the machines.
fn usual(
    setting: u32,
    reference: Option<&BTreeMap<u32, Option<u32>>>,
    machines: &[Stated<'_>],
    texts: &Interned<String>,
) -> Option<u32> {
    if let Some(golden) = reference {
        return golden.get(&setting).copied().flatten();
    }
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for value in machines.iter().filter_map(|(_, of)| of.get(&setting).copied().flatten()) {
        *counts.entry(value).or_default() += 1;
    }
    let known: usize = counts.values().sum();
    let most = counts
        .into_iter()
        .max_by_key(|&(value, count)| (count, std::cmp::Reverse(texts.name(value))));
    most.filter(|(_, count)| 2 * count > known).map(|(value, _)| value)
}

/// Machines with another value, by value. Nothing, where no machine has any value.
fn others_than(
    usual: Option<u32>,
    setting: u32,
    machines: &[Stated<'_>],
    texts: &Interned<String>,
) -> Vec<DriftValue> {
    let mut by_value: BTreeMap<(DriftState, Option<&String>), Vec<String>> = BTreeMap::new();
    let mut is_known = usual.is_some();
    for (name, of) in machines {
        let key = match of.get(&setting) {
            Some(Some(value)) if Some(*value) == usual => continue,
            Some(Some(value)) => {
                is_known = true;
                (DriftState::Differs, Some(texts.name(*value)))
            }
            Some(None) => (DriftState::NotReadable, None),
            None => (DriftState::NotSent, None),
        };
        by_value.entry(key).or_default().push((*name).to_owned());
    }
    if !is_known {
        return Vec::new();
    }
    let value = |((state, value), machines): ((DriftState, Option<&String>), Vec<String>)| {
        DriftValue { state, value: value.cloned(), machines }
    };
    by_value.into_iter().map(value).collect()
}
