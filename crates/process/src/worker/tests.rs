pub(crate) mod handmade;

use self::handmade::{environ, job, machine, process, workers_of};
use super::*;

const ALL: [u32; 5] = [90, 100, 101, 102, 103];

#[test]
fn ranks_come_first_and_processes_without_one_stay_apart() {
    let workers = workers_of(&job(), &ALL);
    let ranks: Vec<_> =
        workers.iter().map(|worker| worker.rank.as_ref().map(|rank| rank.rank)).collect();
    assert_eq!(ranks, [Some(0), Some(1), Some(2), Some(3), None]);
    assert_eq!(workers[4].pids, [90]);
    assert_eq!(workers[2].cpu_nodes.to_string(), "2");
    assert_eq!(workers[2].remote_bytes(), Some(Bytes::mib(64)));
    assert_eq!(workers[2].cpu_time_off_node, Some(1.0));
}

#[test]
fn only_the_misplaced_rank_does_not_fit() {
    let workers = workers_of(&job(), &ALL);
    for worker in workers.iter().filter(|worker| worker.pids != [102]) {
        assert_eq!(worker.misfits, [], "{worker:?}");
    }
    let remote = Misfit::RemoteMemory { share: 1.0, bytes: Bytes::mib(64) };
    assert_eq!(workers[2].misfits, [remote]);
}

#[test]
fn the_processes_of_a_rank_are_one_worker() {
    let mut files = process(7, 0, "0-1", &[(3, 1000)]);
    files.extend(process(8, 0, "0-1", &[(0, 99_000)]));
    files.extend([environ(7, 5), environ(8, 5)]);
    let workers = workers_of(&machine(files), &[7, 8]);
    assert_eq!(workers.len(), 1);
    assert_eq!((&workers[0].pids[..], workers[0].threads), (&[8, 7][..], 2));
    assert_eq!(workers[0].remote_share, Some(0.01));
    assert_eq!(workers[0].misfits, []);
}

#[test]
fn unbound_and_doubly_used_cpus_are_odd_only_beside_bound_ranks() {
    let ranks = |cpus: &[&str]| {
        let mut files = Vec::new();
        for (rank, cpus) in (0..).zip(cpus) {
            files.extend(process(200 + rank, 0, cpus, &[(0, 10)]));
            files.push(environ(200 + rank, rank));
        }
        let pids: Vec<u32> = (200..).take(cpus.len()).collect();
        let workers = workers_of(&machine(files), &pids);
        workers.into_iter().map(|worker| worker.misfits).collect::<Vec<_>>()
    };
    let nothing: [&[Misfit]; 2] = [&[], &[]];
    assert_eq!(ranks(&["0-7", "0-7"]), nothing);
    assert_eq!(ranks(&["0", "1"]), nothing);
    assert_eq!(ranks(&["0-1", "0-1"]), nothing, "all share what the job was given");
    // The accident of launchers: every rank on the first CPU.
    assert_eq!(ranks(&["0", "0"])[1], [Misfit::SharedCpus { with: 0 }]);
    let odd = ranks(&["0-1", "2-3", "0-7"]);
    assert!(odd[2].iter().any(|misfit| matches!(misfit, Misfit::Unbound { .. })), "{odd:?}");
    let odd = ranks(&["0", "1", "0"]);
    assert_eq!(odd[0], [Misfit::SharedCpus { with: 2 }]);
    assert_eq!(odd[1], []);
}
