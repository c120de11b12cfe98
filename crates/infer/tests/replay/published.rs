//! Published machines with a complete matrix.

use super::Model;
use super::model::all_pairs;

/// Two EPYC 9224 with two nodes a package, and a CXL expander (node 4) without CPUs: a published
/// MLC run, ns.
const EPYC_9224: [[f64; 5]; 4] = [
    [107.5, 117.1, 200.7, 200.7, 279.4],
    [115.8, 106.8, 199.9, 199.9, 278.8],
    [200.0, 200.1, 106.8, 115.8, 363.8],
    [199.0, 199.0, 115.6, 105.9, 363.5],
];

impl Model {
    /// Two EPYC 7451: a store sweep from node 0 was published (Cybozu Inside Out, 2018: 1 / 1.72 /
    /// 1.70 / 1.69 / 3.39 / 3.44 / 3.19 / 3.36). Other rows are rotations of that row, as in the
    /// lab's epyc-7451-2p. Dies of a package are all linked, and each to one die of the other.
    pub fn epyc_7451() -> Self {
        const ROW: [f64; 8] =
            [2.492153, 4.294302, 4.232083, 4.20949, 8.459225, 8.568392, 7.946654, 8.367991];
        let class = |apart: usize| [0, 1, 1, 1, 3, 3, 2, 3][apart];
        let apart = |a: usize, b: usize| a ^ b;
        let costs: Vec<Vec<f64>> =
            (0..8).map(|a| (0..8).map(|b| 90.0 * ROW[apart(a, b)] / ROW[0]).collect()).collect();
        let classes = (0..8).map(|a| (0..8).map(|b| class(apart(a, b))).collect()).collect();
        let links =
            all_pairs(8).into_iter().filter(|&(a, b)| a / 4 == b / 4 || a ^ b == 6).collect();
        Self { name: "EPYC 7451", costs, links, classes }
    }

    /// Two EPYC 9224 in NPS2 mode, without their CXL expander: two dies' halves a package, four
    /// nodes.
    pub fn epyc_9224() -> Self {
        let costs = EPYC_9224.iter().map(|row| row[..4].to_vec()).collect();
        let class = |a: usize, b: usize| {
            if a == b {
                0
            } else if a / 2 == b / 2 {
                1
            } else {
                2
            }
        };
        let classes = (0..4).map(|a| (0..4).map(|b| class(a, b)).collect()).collect();
        Self { name: "EPYC 9224 NPS2", costs, links: all_pairs(4), classes }
    }

    /// The same with its CXL expander, attached to the first package.
    pub fn epyc_9224_cxl() -> Self {
        let mut model = Self { name: "EPYC 9224 NPS2, CXL", ..Self::epyc_9224() };
        for (node, row) in EPYC_9224.iter().enumerate() {
            model.costs[node].push(row[4]);
            model.classes[node].push(if node < 2 { 3 } else { 4 });
        }
        model.links.extend([(0, 4), (1, 4)]);
        model.links.sort_unstable();
        model
    }
}
