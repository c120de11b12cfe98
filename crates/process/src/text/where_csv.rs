//! The memory of processes by node, for a spreadsheet.

use nearfar_view::text::csv_text;
use nearfar_view::text::or_empty;

use crate::ProcessMemory;

/// A line for each process and node.
pub fn csv<'m>(processes: impl IntoIterator<Item = &'m ProcessMemory>) -> String {
    let rows = processes.into_iter().flat_map(|memory| {
        let sizes = memory.by_node();
        let remote = or_empty(memory.threads.remote_share(&sizes));
        let row = |(node, bytes): (nearfar_model::NodeId, nearfar_model::Bytes)| {
            let [pid, node] = [memory.pid.to_string(), node.to_string()];
            [pid, memory.name.clone(), node, bytes.0.to_string(), remote.clone()]
        };
        sizes.iter().map(row).collect::<Vec<_>>()
    });
    csv_text::under("pid,name,node,bytes,remote_share", rows)
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;

    #[test]
    fn a_process_has_a_line_for_each_node() {
        let stat = format!("7 (a) R 1 0 0 0 0 0 0 0 0 0 90 0 {}1", "0 ".repeat(23));
        let source = Source::from_files([
            ("/sys/devices/system/node/online", "0-1"),
            ("/sys/devices/system/node/node0/cpulist", "0-1"),
            ("/proc/7/comm", "a, b"),
            ("/proc/7/numa_maps", "1000 default anon=4 N0=1 N1=3 kernelpagesize_kB=4\n"),
            ("/proc/8/comm", "lost"),
            ("/proc/8/numa_maps", "1000 default anon=1 N1=1 kernelpagesize_kB=4\n"),
            ("/proc/9/comm", "empty"),
            ("/proc/9/numa_maps", "1000 default\n"),
            ("/proc/7/task/7/stat", &stat),
            ("/proc/7/task/7/status", "Cpus_allowed_list: 0-1\n"),
        ]);
        let read = |pid| ProcessMemory::read(&source, pid).unwrap();
        let text = csv(&[7, 8, 9].map(read));
        let wanted = "pid,name,node,bytes,remote_share\n7,\"a, b\",0,4096,0.75\n\
                      7,\"a, b\",1,12288,0.75\n8,lost,1,4096,\n";
        assert_eq!(text, wanted);
    }
}
