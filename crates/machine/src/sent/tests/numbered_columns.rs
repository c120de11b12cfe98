//! Columns of `lscpu -p` whose numbers restart in each socket or cluster.

use super::*;

fn parts(table: &str) -> (Vec<String>, Vec<String>) {
    let topology = Topology::read(&sent(table).source).unwrap();
    let cores = topology.cores().iter().map(|core| core.cpus.to_string());
    let l2 = topology.caches.iter().filter(|cache| cache.level == 2);
    (cores.collect(), l2.map(|cache| cache.cpus.to_string()).collect())
}

/// `lscpu -p -y` has the hardware's numbers of cores.
#[test]
fn cores_of_two_sockets_may_have_one_number() {
    let caches = "# CPU,Core,Socket,Node,,L1d,L1i,L2\n\
        0,0,0,0,,0,0,0\n1,0,1,0,,1,1,1\n2,8,0,0,,2,2,2\n3,8,1,0,,3,3,3\n\
        4,0,0,0,,0,0,0\n5,0,1,0,,1,1,1\n6,8,0,0,,2,2,2\n7,8,1,0,,3,3,3\n";
    let pairs = ["0,4", "1,5", "2,6", "3,7"];
    let (cores, l2) = parts(caches);
    assert_eq!((cores, l2), (pairs.map(str::to_owned).to_vec(), pairs.map(str::to_owned).to_vec()));
    let without: String = caches
        .lines()
        .map(|line| line.split(",,").next().unwrap_or_default().to_owned() + "\n")
        .collect();
    assert_eq!(parts(&without).0, pairs);
}

/// Milk-V Pioneer: clusters of four cores with numbers of their own, over the nodes of a socket.
#[test]
fn cores_of_clusters_are_unknown_without_an_l1() {
    let table = "# CPU,Core,Socket,Node\n0,1,0,0\n1,0,0,0\n2,0,0,0\n3,1,0,0\n\
        4,0,0,1\n5,1,0,1\n6,0,0,1\n7,1,0,1\n";
    let topology = Topology::read(&sent(table).source).unwrap();
    assert!(topology.cpus.iter().all(|cpu| cpu.core.is_none()));
    let lscpu = "Architecture: riscv64\nCPU(s): 8\nThread(s) per core: 1\nSocket(s): 1\n\
        NUMA node(s): 2\nNUMA node0 CPU(s): 0-3\nNUMA node1 CPU(s): 4-7\n";
    assert_eq!(sent(&format!("{lscpu}{table}")).conflicts, []);
}

/// A kernel that puts threads of a core into two nodes is a fault, and stays one.
#[test]
fn a_core_over_two_nodes_stays_one() {
    let table = "# CPU,Core,Socket,Node\n0,0,0,0\n1,1,0,0\n2,0,0,1\n3,1,0,1\n";
    assert_eq!(parts(table).0, ["0,2", "1,3"]);
}

#[test]
fn caches_of_two_sockets_may_have_one_number() {
    let table = "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n\
        2,2,1,1,,0,0,0,1\n3,3,1,1,,1,1,1,1\n";
    assert_eq!(parts(table).1, ["0", "1", "2", "3"]);
    let topology = Topology::read(&sent(table).source).unwrap();
    assert_eq!(topology.nodes_that_cross(), []);
}
