//! Documents with samples of machines whose costs are known.

use std::fmt::Write;

use nearfar_infer::Numa;
use nearfar_model::{Bytes, DistanceMatrix, NodeId};
use nearfar_survey::{ClaimedNode, Survey};

use crate::by_hand::{columns, matrix, rows, survey, verdict};

/// A machine, and how it is measured.
pub(crate) struct Known<'a> {
    pub(crate) model: &'a str,
    /// The CPUs of each row.
    pub(crate) cpus: &'a [&'a str],
    /// `[row][column]`, in ns.
    pub(crate) costs: Vec<Vec<f64>>,
    /// The distances that firmware reports, if any.
    pub(crate) slit: Option<Vec<Vec<u32>>>,
    /// By how much samples scatter, as a fraction.
    pub(crate) scatter: f64,
}

impl Known<'_> {
    pub(crate) fn survey(&self) -> Survey {
        let costs =
            self.costs.iter().map(|row| row.iter().map(|&cost| Some(cost)).collect()).collect();
        let nodes = self.costs[0].len();
        let distances = self.slit.clone().map(|rows| {
            DistanceMatrix::new((0..).map(NodeId).take(nodes).collect(), rows).unwrap()
        });
        let columns = columns(u32::try_from(nodes).unwrap());
        let verdict = verdict(Numa::Undetermined, 0.0, [0.0, 0.0], 1.0);
        let mut survey =
            survey(self.model, matrix(rows(self.cpus), columns, &costs), distances, verdict);
        let without_cpus = (self.cpus.len()..nodes).map(|node| ClaimedNode {
            id: NodeId(u32::try_from(node).unwrap()),
            cpus: nearfar_model::CpuSet::new(),
            memory_bytes: Some(Bytes::gib(256)),
        });
        survey.claims.nodes.extend(without_cpus);
        survey.samples = Some(serde_json::from_str(&self.samples()).unwrap());
        survey.judge().unwrap();
        survey
    }

    /// Four rounds of five processes.
    fn samples(&self) -> String {
        let mut data = String::new();
        for (process, round) in
            (0..5).flat_map(|process| (0..4).map(move |round| (process, 4 * process + round)))
        {
            for (row, costs) in self.costs.iter().enumerate() {
                for (column, cost) in costs.iter().enumerate() {
                    let place = ((7919 * (row + 3 * column + 11 * round)) % 13) as f64;
                    let ns = cost * (1.0 + self.scatter * (place - 6.0) / 6.0);
                    let _ = write!(data, ",[{process},{round},{row},{column},0,0,0,{ns:.3}]");
                }
            }
        }
        format!(
            r#"{{"fields":["process","round","row","column","treatment","cpu","page","ns"],"data":[{}]}}"#,
            &data[1..]
        )
    }
}

/// Two packages, Xeon 8269CY (published).
pub(crate) fn xeon_2s() -> Known<'static> {
    Known {
        model: "Intel(R) Xeon(R) Platinum 8269CY",
        cpus: &["0-25,52-77", "26-51,78-103"],
        costs: vec![vec![78.6, 144.1], vec![144.7, 78.5]],
        slit: Some(vec![vec![10, 21], vec![21, 10]]),
        scatter: 0.008,
    }
}

/// Four nodes, two of a package near to each other, and memory behind CXL, whose table claims far
/// too much (published).
pub(crate) fn epyc_9224() -> Known<'static> {
    Known {
        model: "AMD EPYC 9224 24-Core Processor",
        cpus: &["0-11", "12-23", "24-35", "36-47"],
        costs: vec![
            vec![107.5, 117.1, 200.7, 200.7, 279.4],
            vec![115.8, 106.8, 199.9, 199.9, 278.8],
            vec![200.0, 200.1, 106.8, 115.8, 363.8],
            vec![199.0, 199.0, 115.6, 105.9, 363.5],
        ],
        slit: Some(vec![
            vec![10, 12, 32, 32, 50],
            vec![12, 10, 32, 32, 50],
            vec![32, 32, 10, 12, 60],
            vec![32, 32, 12, 10, 60],
            vec![255, 255, 255, 255, 10],
        ]),
        scatter: 0.008,
    }
}
