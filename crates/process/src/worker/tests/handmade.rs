//! A handmade job: four ranks of Slurm on four nodes. Rank 2 has its memory on node 0.

use nearfar_machine::Source;

use crate::worker::{Worker, workers};
use crate::{ProcessDevices, ProcessMemory};

/// CPUs of four nodes: two each.
const PAGES: u64 = 16_384;

/// A process on a CPU, bound to `cpus`, with its pages on a node.
pub(crate) fn process(
    pid: u32,
    cpu: u32,
    cpus: &str,
    pages: &[(u32, u64)],
) -> Vec<(String, String)> {
    let places: String = pages.iter().map(|(node, pages)| format!(" N{node}={pages}")).collect();
    let all: u64 = pages.iter().map(|(_, pages)| pages).sum();
    let file = |name: &str, text: String| (format!("/proc/{pid}/{name}"), text);
    let maps = format!("01a00000 default heap anon={all}{places} kernelpagesize_kB=4\n");
    let zeros = " 0".repeat(22);
    vec![
        file("comm", "train\n".to_owned()),
        file("cmdline", "train\0--fast\0".to_owned()),
        file("status", "VmSwap: 0 kB\n".to_owned()),
        file("numa_maps", maps),
        file(
            &format!("task/{pid}/stat"),
            format!("{pid} (train) R 1 0 0 0 0 0 0 0 0 0 90{zeros} 0 0 {cpu}"),
        ),
        file(&format!("task/{pid}/status"), format!("Cpus_allowed_list: {cpus}\n")),
    ]
}

/// The environment of a rank.
pub(crate) fn environ(pid: u32, rank: u32) -> (String, String) {
    let text = format!("SLURM_JOB_ID=77\0SLURM_STEP_ID=0\0SLURM_PROCID={rank}\0");
    (format!("/proc/{pid}/environ"), text)
}

pub(crate) fn machine(files: Vec<(String, String)>) -> Source {
    let mut all = vec![("/sys/devices/system/node/online".to_owned(), "0-3".to_owned())];
    for node in 0..4 {
        let path = format!("/sys/devices/system/node/node{node}/cpulist");
        all.push((path, format!("{}-{}", 2 * node, 2 * node + 1)));
    }
    all.extend(files);
    Source::from_files(all.iter().map(|(path, text)| (path.as_str(), text.as_str())))
}

/// The job, and its batch script.
pub(crate) fn job() -> Source {
    let mut files = Vec::new();
    for rank in 0..4 {
        let pid = 100 + rank;
        let home = if rank == 2 { 0 } else { rank };
        let cpus = format!("{}-{}", 2 * rank, 2 * rank + 1);
        files.extend(process(pid, 2 * rank, &cpus, &[(home, PAGES)]));
        files.push(environ(pid, rank));
    }
    // The shell that runs srun: no rank, everywhere, and small.
    files.extend(process(90, 0, "0-7", &[(3, 300)]));
    files.push(("/proc/90/environ".to_owned(), "SLURM_JOB_ID=77\0SLURM_PROCID=0\0".to_owned()));
    machine(files)
}

pub(crate) fn processes(source: &Source, pids: &[u32]) -> Vec<(ProcessMemory, ProcessDevices)> {
    let read = |pid: &u32| {
        let memory = ProcessMemory::read(source, *pid).unwrap();
        let devices = ProcessDevices::read(source, &memory);
        (memory, devices)
    };
    pids.iter().map(read).collect()
}

pub(crate) fn workers_of(source: &Source, pids: &[u32]) -> Vec<Worker> {
    workers(source, &processes(source, pids))
}
