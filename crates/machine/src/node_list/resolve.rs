//! Resolves the items of a list on a machine, with errors in words.

use nearfar_model::{CpuId, CpuSet, Id, IdSet, MAX_ID, NodeId, NodeSet};

use super::context::{ListContext, RangeRule};
use super::grammar::{ListItem, NodeOrCpuList};
use crate::device_node::ListedDevice;

/// Why a list has no IDs.
#[derive(Debug)]
pub(super) struct ListFault {
    /// The device in the list that is at fault; `None` for others.
    device: Option<String>,
    why: String,
}

impl ListFault {
    fn for_device(device: &ListedDevice, why: &impl ToString) -> Self {
        Self { device: Some(device.to_string()), why: why.to_string() }
    }

    /// The text after the list, which is not repeated if it is one device.
    pub(super) fn text_in(self, list: &str) -> String {
        match self.device.filter(|device| device != list) {
            Some(device) => format!("{device}: {}", self.why),
            None => self.why,
        }
    }
}

impl From<String> for ListFault {
    fn from(why: String) -> Self {
        Self { device: None, why }
    }
}

/// The kind of IDs in a list.
pub(super) trait ListedIds {
    type Id: Id;
    fn usable(&self) -> IdSet<Self::Id>;
    /// Whether an unusable ID may be listed and adds nothing: a node without CPUs, in a list of
    /// nodes for their CPUs.
    fn is_barren(&self, _: Self::Id) -> bool {
        false
    }
    /// All existing IDs. An inverted list (`!`) may exclude unusable ones.
    fn existing(&self) -> IdSet<Self::Id>;
    /// Whether a range may end at an unusable ID, which is left out with a warning.
    fn may_end_a_range(&self, id: Self::Id) -> bool;
    /// The IDs that numbers of a relative list (`+`) count.
    fn counted(&self) -> IdSet<Self::Id> {
        self.usable()
    }
    /// Notes that IDs of a range are left out, and why the first of them is.
    fn leave_out(&self, ids: IdSet<Self::Id>, why: String);
    /// Why an ID is not usable.
    fn refusal(&self, id: Self::Id) -> String;
    /// The list that `same` repeats.
    fn last(&self) -> Result<IdSet<Self::Id>, String>;
    /// The IDs of a device.
    fn for_device(&self, device: &ListedDevice) -> Result<IdSet<Self::Id>, ListFault>;
}

impl NodeOrCpuList {
    /// The listed IDs, never empty.
    pub(super) fn resolve<S: ListedIds>(&self, subject: &S) -> Result<IdSet<S::Id>, ListFault> {
        let usable = subject.usable();
        let nameable =
            if self.inverted { subject.existing().union(&usable) } else { usable.clone() };
        let mut named = IdSet::new();
        for item in &self.items {
            let ids = match (item, self.relative) {
                (ListItem::All, _) => usable.clone(),
                (ListItem::Number(_) | ListItem::Range(..), true) => {
                    within_usable(counted(item, &subject.counted())?, &usable, subject)?
                }
                _ => item.named(&nameable, subject)?,
            };
            named.extend(ids.iter());
        }
        if self.inverted {
            let left = usable.difference(&named);
            return if left.is_empty() {
                Err(format!("nothing is left of {}s {usable}", S::Id::NOUN).into())
            } else {
                Ok(left)
            };
        }
        let taken = named.intersection(&usable);
        match (taken.is_empty(), named.first()) {
            (false, _) => Ok(taken),
            (true, Some(barren)) => Err(subject.refusal(barren).into()),
            (true, None) => Err(format!("it has none of {}s {usable}", S::Id::NOUN).into()),
        }
    }
}

impl ListItem {
    /// The IDs of an item among the allowed ones.
    fn named<S: ListedIds>(
        &self,
        nameable: &IdSet<S::Id>,
        subject: &S,
    ) -> Result<IdSet<S::Id>, ListFault> {
        let one = |number: u32| {
            let id = S::Id::from_number(number);
            let may_be_named = number <= MAX_ID && (nameable.contains(id) || subject.is_barren(id));
            if may_be_named { Ok(id) } else { Err(subject.refusal(id)) }
        };
        match self {
            Self::All => Ok(nameable.clone()),
            Self::Same => Ok(all_of(subject.last()?, nameable, subject)?),
            Self::ListedDevice(device) => {
                let ids = all_of(subject.for_device(device)?, nameable, subject);
                ids.map_err(|why| ListFault::for_device(device, &why))
            }
            Self::Number(number) => Ok(IdSet::from_id(one(*number)?)),
            Self::Range(first, last) => {
                let end = |number: u32| {
                    let id = S::Id::from_number(number);
                    let is_known = number <= MAX_ID && subject.may_end_a_range(id);
                    if is_known { Ok(id) } else { one(number) }
                };
                let (first, last) = (end(*first)?, end(*last)?);
                let existing = subject.existing().union(nameable);
                within_usable(between(&existing, first, last), nameable, subject)
            }
        }
    }
}

/// The usable IDs of a range; the others are noted, unless they add nothing anyway.
fn within_usable<S: ListedIds>(
    ids: IdSet<S::Id>,
    usable: &IdSet<S::Id>,
    subject: &S,
) -> Result<IdSet<S::Id>, ListFault> {
    let left_out: IdSet<S::Id> =
        ids.difference(usable).iter().filter(|&id| !subject.is_barren(id)).collect();
    let Some(first) = left_out.first() else { return Ok(ids) };
    let kept = ids.intersection(usable);
    if kept.is_empty() {
        return Err(subject.refusal(first).into());
    }
    subject.leave_out(left_out, subject.refusal(first));
    Ok(kept)
}

/// The IDs of a number or range of indexes into the usable IDs.
fn counted<T: Id>(item: &ListItem, usable: &IdSet<T>) -> Result<IdSet<T>, String> {
    let nth = |number: u32| {
        let found = usable.iter().nth(number as usize);
        found.ok_or_else(|| {
            format!("+{number} is beyond {}s {usable}, which are counted from +0", T::NOUN)
        })
    };
    match item {
        ListItem::Number(number) => Ok(IdSet::from_id(nth(*number)?)),
        ListItem::Range(first, last) => Ok(between(usable, nth(*first)?, nth(*last)?)),
        ListItem::All | ListItem::Same | ListItem::ListedDevice(_) => Ok(usable.clone()),
    }
}

fn between<T: Id>(ids: &IdSet<T>, first: T, last: T) -> IdSet<T> {
    ids.iter().filter(|&id| first <= id && id <= last).collect()
}

fn all_of<S: ListedIds>(
    ids: IdSet<S::Id>,
    nameable: &IdSet<S::Id>,
    subject: &S,
) -> Result<IdSet<S::Id>, String> {
    match ids.difference(nameable).iter().find(|&id| !subject.is_barren(id)) {
        None => Ok(ids),
        Some(id) => Err(subject.refusal(id)),
    }
}

/// Nodes, for memory or for CPUs.
pub(super) struct ListedNodes<'c, 'a> {
    pub(super) context: &'c ListContext<'a>,
    pub(super) for_cpus: bool,
}
pub(super) struct ListedCpus<'c, 'a>(pub(super) &'c ListContext<'a>);

impl ListedIds for ListedNodes<'_, '_> {
    type Id = NodeId;

    fn usable(&self) -> NodeSet {
        if self.for_cpus {
            self.context.usable_cpu_nodes().clone()
        } else {
            self.context.usable_memory_nodes()
        }
    }

    fn is_barren(&self, node: NodeId) -> bool {
        self.for_cpus
            && self.context.online_nodes().contains(node)
            && !self.context.cpu_nodes().contains(node)
    }

    fn existing(&self) -> NodeSet {
        self.context.online_nodes().clone()
    }

    fn may_end_a_range(&self, node: NodeId) -> bool {
        self.context.ranges == RangeRule::LeaveOut && self.context.online_nodes().contains(node)
    }

    fn leave_out(&self, nodes: NodeSet, why: String) {
        self.context.leave_out(format!("nodes {nodes}"), why);
    }

    fn refusal(&self, node: NodeId) -> String {
        let context = self.context;
        let lacks = || match self.for_cpus {
            true if context.cpu_nodes().contains(node) => None,
            true => Some(format!(
                "no CPUs to run on, only memory: nodes {} have CPUs",
                context.cpu_nodes()
            )),
            false if context.memory_nodes().contains(node) => None,
            false => Some(format!("no memory: nodes {} have", context.memory_nodes())),
        };
        not_there(node, context)
            .or_else(|| lacks().map(|what| format!("node {node} has {what}")))
            .unwrap_or_else(|| outside(node, &self.usable()))
    }

    fn last(&self) -> Result<NodeSet, String> {
        let none =
            || "'same' repeats the last list of nodes, and there is none before it".to_owned();
        self.context.last.clone().ok_or_else(none)
    }

    fn for_device(&self, device: &ListedDevice) -> Result<NodeSet, ListFault> {
        let nodes = device.nodes(self.context.source, self.context.online_nodes());
        nodes.map_err(|why| ListFault::for_device(device, &why))
    }
}

impl ListedIds for ListedCpus<'_, '_> {
    type Id = CpuId;

    fn usable(&self) -> CpuSet {
        self.0.usable_cpus()
    }

    fn existing(&self) -> CpuSet {
        self.0.present_cpus()
    }

    /// numactl takes an end that is offline, and refuses one outside the cpuset.
    fn may_end_a_range(&self, cpu: CpuId) -> bool {
        let may_end = match self.0.ranges {
            RangeRule::UsableEnds => false,
            RangeRule::LeaveOut => true,
            RangeRule::Numactl => !self.0.online_cpus().contains(cpu),
        };
        may_end && self.0.present_cpus().contains(cpu)
    }

    /// numactl counts CPUs that are offline, too.
    fn counted(&self) -> CpuSet {
        match self.0.ranges {
            RangeRule::Numactl => self.0.allowed_cpus(),
            _ => self.usable(),
        }
    }

    fn leave_out(&self, cpus: CpuSet, why: String) {
        self.0.leave_out(format!("CPUs {cpus}"), why);
    }

    fn refusal(&self, cpu: CpuId) -> String {
        let (context, online) = (self.0, self.0.online_cpus());
        if online.contains(cpu) {
            let usable = self.usable();
            return format!(
                "CPU {cpu} is outside CPUs {usable}, which this process may use; -a ignores that"
            );
        }
        match context.present_cpus() {
            present if present.contains(cpu) => {
                format!("CPU {cpu} is offline: CPUs {online} are online")
            }
            present => format!("CPU {cpu} does not exist: this machine has CPUs {present}"),
        }
    }

    fn last(&self) -> Result<CpuSet, String> {
        Err("'same' repeats a list of nodes, and this is one of CPUs".to_owned())
    }

    fn for_device(&self, device: &ListedDevice) -> Result<CpuSet, ListFault> {
        let nodes = device.nodes(self.0.source, self.0.online_nodes());
        let nodes = nodes.map_err(|why| ListFault::for_device(device, &why))?;
        let cpus = self.0.cpus_of(&nodes);
        if cpus.is_empty() {
            return Err(format!("{device} is at node {nodes}, which has no CPUs to run on").into());
        }
        Ok(usable_or_all(cpus, &self.usable()))
    }
}

/// The usable CPUs of a device's node; all of them, for the error, if none is usable.
fn usable_or_all(cpus: CpuSet, usable: &CpuSet) -> CpuSet {
    let both = cpus.intersection(usable);
    if both.is_empty() { cpus } else { both }
}

fn not_there(node: NodeId, context: &ListContext<'_>) -> Option<String> {
    if !context.numa_supported() && !context.has_sysfs() {
        return Some(
            "/sys is empty, so no node is visible: mount it (mount -t sysfs sysfs /sys)".to_owned(),
        );
    }
    if !context.numa_supported() {
        return Some("this kernel has no nodes (CONFIG_NUMA is off)".to_owned());
    }
    let online = context.online_nodes();
    let plural = if online.len() == 1 { "only node" } else { "nodes" };
    (!online.contains(node))
        .then(|| format!("node {node} does not exist: this machine has {plural} {online}"))
}

fn outside(node: NodeId, usable: &NodeSet) -> String {
    format!(
        "node {node} is outside this process's cpuset, which has nodes {usable}; -a ignores the \
         cpuset"
    )
}
