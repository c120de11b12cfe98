//! What of a worker does not fit, in words.

use nearfar_view::text::named_nodes;
use nearfar_view::text::percent::percent;

use crate::locality::usable_nodes;
use crate::memory::ProcessMemory;
use crate::worker::{Misfit, Worker, WorkerDevice};

pub(crate) const NO_SHARE: &str = "no page is in memory, or no thread's node is known";
pub(crate) const NO_HOME: &str = "no node has most of its own memory, or no thread's node is known";
pub(crate) const NO_RANK: &str = "no launcher gave it a rank";
pub(crate) const NO_CPUS: &str = "the CPUs it may run on are unknown";
pub(crate) const NO_DEVICES: &str = "its open devices are not readable as this user";

/// "rank 2 (process 4242)"
pub(crate) fn name(worker: &Worker) -> String {
    let process = worker.pids.first().map_or_else(String::new, u32::to_string);
    match &worker.rank {
        Some(rank) => format!("rank {} (process {process})", rank.rank),
        None => format!("process {process}"),
    }
}

pub(crate) fn remote(worker: &Worker, share: f64) -> String {
    let size = worker.own_by_node.total();
    format!("{} of its own {size} is remote to its threads", percent(share))
}

pub(crate) fn off_node(worker: &Worker, share: f64) -> String {
    let home = worker.own_by_node.largest().map_or_else(String::new, |node| node.to_string());
    format!(
        "{} of its CPU time is not on node {home}, which has most of its own memory",
        percent(share)
    )
}

pub(crate) fn unbound(worker: &Worker) -> String {
    format!("it may run on {}", named_nodes(&worker.cpu_nodes))
}

pub(crate) fn shared_cpus(worker: &Worker, other: u32) -> String {
    format!("its CPUs {} are also CPUs of rank {other}", worker.allowed_cpus)
}

pub(crate) fn far(device: &WorkerDevice) -> String {
    let node = device.node.map_or_else(String::new, |node| format!(" on node {node}"));
    format!("it runs away from {}{node}", device_name(device))
}

pub(crate) fn device_unknown(device: &WorkerDevice) -> String {
    format!("the node or the kind of {} is unknown", device_name(device))
}

/// In a table.
pub(crate) fn misfit(misfit: &Misfit) -> String {
    match misfit {
        Misfit::RemoteMemory { share, .. } => format!("{} remote", percent(*share)),
        Misfit::FarDevice { name } => format!("far from {name}"),
        Misfit::Unbound { .. } => "not bound".to_owned(),
        Misfit::SharedCpus { with } => format!("shares CPUs with rank {with}"),
    }
}

/// How its memory comes to its threads, which run on one node that may have it.
pub(crate) fn how_to_move(memory: &ProcessMemory) -> String {
    let (pid, nodes) = (memory.pid, memory.threads.nodes());
    let usable = usable_nodes(&memory.around, memory.allowed_nodes.as_ref());
    match nodes.len() == 1 && nodes.is_subset(&usable) {
        true => format!(
            "'nearfar move {pid} --nodes {nodes}' moves its memory to its threads; \
             'nearfar explain {pid}' has what that may gain or cost."
        ),
        false => format!("'nearfar explain {pid}' has what may help."),
    }
}

/// How launchers give each rank its own CPUs.
pub(crate) fn how_to_bind(worker: &Worker) -> String {
    let pid = worker.pids.first().map_or_else(String::new, u32::to_string);
    format!(
        "Bind each rank to its own CPUs at its start: 'srun --cpu-bind=cores', 'mpirun --bind-to \
         core'; now: 'nearfar move {pid} --cpus LIST'."
    )
}

fn device_name(device: &WorkerDevice) -> &str {
    device.names.first().map_or("a device", String::as_str)
}
