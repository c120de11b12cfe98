//! Tables of real machines, reconstructed from Linux's log
//! (`oracle/linux-6.1.192-real-tables.log`): the tables themselves are not in the corpus.

use super::table::{GIB, MIB, cpu, hmat, hmat_memory, locality, memory, slit, srat, two_nodes};

/// The tables with this name.
pub(super) fn remade(name: &str) -> Vec<Vec<u8>> {
    match name {
        "Dell5810" => vec![srat(&[vec![0, 0, 0, 0], vec![0; 12], memory(0, 0, 2 * GIB)])],
        "hmat_smc_rev1" => vec![two_nodes(), supermicro()],
        "hmat_spr" => {
            let structures = [hmat_memory(0, 0, 1), hmat_memory(1, 1, 1), hmat_memory(0, 2, 0)];
            vec![two_nodes(), hmat(2, &structures)]
        }
        "cedt_intel" => vec![two_nodes()],
        "bl870_slit" => vec![two_nodes(), slit(2, &[10, 17, 17, 10])],
        "H8DGU" => vec![
            h8dgu(),
            slit(4, &[10, 16, 16, 16, 16, 10, 16, 16, 16, 16, 10, 16, 16, 16, 16, 10]),
        ],
        other => panic!("the corpus has a new log: {other}"),
    }
}

/// An HMAT of revision 1 whose values Linux reads a hundred times too large.
pub(super) fn supermicro() -> Vec<u8> {
    let memory = [(0, 0), (0, 0), (1, 1), (1, 1)]
        .map(|(initiator, memory)| hmat_memory(initiator, memory, 3));
    let latency = |data| locality(data, 100, &[0, 1], &[0, 1], &[760, 1356, 1356, 760]);
    let bandwidth = |data, each| locality(data, 1, &[0, 1], &[0, 1], &[each; 4]);
    let matrices = [latency(1), latency(2), bandwidth(4, 17_900), bandwidth(5, 19_100)];
    hmat(1, &[memory.to_vec(), matrices.to_vec()].concat())
}

/// Four domains of CPUs, and memory in the first and the last of them.
fn h8dgu() -> Vec<u8> {
    let cpus = (0..4).map(|number| cpu(number, number.into()));
    let end = 0x9_2000_0000u64;
    let memory = [
        memory(0, 0, 0xa_0000),
        memory(0, MIB, 0xe000_0000 - MIB),
        memory(0, 4 * GIB, end - 4 * GIB),
        memory(3, end, end),
    ];
    srat(&cpus.chain(memory).collect::<Vec<_>>())
}
