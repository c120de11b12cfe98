//! Advice about drawn matrices, each computed again from the costs that were drawn.

use std::collections::BTreeSet;

use fastrand::Rng;
use proptest::prelude::*;

use super::*;
use crate::classes::classes;

/// Hardly any error: what is true of the figures is true of the machine.
const EXACT: f64 = 1e-4;

/// Costs by CPU node and memory node; memory beyond the rows has no CPUs.
#[derive(Clone, Debug)]
struct Machine(Vec<Vec<f64>>);

impl Machine {
    fn nodes(&self) -> MachineNodes {
        let up_to = |count: usize| (0u32..).take(count).collect::<Vec<u32>>();
        MachineNodes { with_cpus: up_to(self.0.len()), with_memory: up_to(self.0[0].len()) }
    }

    fn costs(&self) -> NodeCosts {
        let nodes = self.nodes();
        NodeCosts::from_matrix(&nodes.with_cpus, &nodes.with_memory, &self.0, EXACT, 1)
    }

    fn advice(&self) -> Vec<Advice> {
        let costs = self.costs();
        advice(&costs, &classes(&costs).unwrap_or_default(), &self.nodes())
    }

    fn cost(&self, cpus: u32, memory: u32) -> f64 {
        self.0[cpus as usize][memory as usize]
    }

    fn mean(&self, cpus: &[u32], memory: &[u32]) -> f64 {
        let cells = cpus.iter().flat_map(|&a| memory.iter().map(move |&b| self.cost(a, b)));
        cells.sum::<f64>() / (cpus.len() * memory.len()) as f64
    }

    /// The mean of the farthest CPU node.
    fn farthest(&self, memory: &[u32]) -> f64 {
        let cpus = self.nodes().with_cpus;
        cpus.iter().map(|&node| self.mean(&[node], memory)).fold(0.0, f64::max)
    }

    fn nearest_to(&self, cpus: u32) -> f64 {
        self.0[cpus as usize].iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn least(&self) -> f64 {
        self.0.iter().flatten().copied().fold(f64::INFINITY, f64::min)
    }

    /// Why the advice is wrong.
    fn objection(&self, advice: &Advice) -> Option<String> {
        let wrong_figure = comparisons(advice).into_iter().find(|compared| !self.has(compared));
        if let Some(wrong) = wrong_figure {
            return Some(format!("a figure is not the matrix's: {wrong:?}"));
        }
        let wins = match advice {
            Advice::OneNode { cpus, memory, alternatives } => {
                let others = alternatives.iter().all(|other| {
                    other.far().cells()[0][0] == *cpus && other.far().memory() != Some(*memory)
                });
                others && self.cost(*cpus, *memory) <= 1.011 * self.least()
            }
            Advice::OwnIsFarther { cpus, memory, own } => {
                self.cost(*cpus, *memory) <= 1.001 * self.nearest_to(*cpus)
                    && own.far().cells() == [[*cpus, *cpus]]
            }
            Advice::SeveralNodes { sets, .. } => sets.iter().all(|set| self.none_gains(set)),
            Advice::WithoutCpus { memory, nearest, .. } => {
                let nodes = self.nodes();
                let all = nodes.with_cpus.iter().map(|&cpus| self.cost(cpus, *memory));
                let own = self.cost(*nearest, *nearest);
                self.cost(*nearest, *memory) <= 1.011 * all.fold(f64::INFINITY, f64::min)
                    && own <= 1.011 * self.nearest_to(*nearest)
                    && self.cost(*nearest, *memory) > own
            }
            Advice::Interleaved { nodes, .. } => self.singles().all(|single| {
                self.farthest(nodes) < self.farthest(&single)
                    && self.mean(&self.nodes().with_cpus, nodes)
                        <= 1.011 * self.mean(&self.nodes().with_cpus, &single)
            }),
            Advice::OneForAll { memory, .. } => {
                let (all, with) = (self.nodes().with_memory, self.nodes().with_cpus);
                self.mean(&with, &[*memory]) < self.mean(&with, &all)
                    && self.farthest(&[*memory]) <= 1.001 * self.farthest(&all)
            }
        };
        (!wins).then(|| "the placement does not win".to_owned())
    }

    fn singles(&self) -> impl Iterator<Item = Vec<u32>> {
        self.nodes().with_memory.into_iter().map(|node| vec![node])
    }

    /// Whether no set with one node exchanged is cheaper.
    fn none_gains(&self, set: &[u32]) -> bool {
        let nodes = self.nodes();
        let others = nodes.with_cpus.iter().filter(|node| !set.contains(node));
        let exchanged = |leaves: u32, joins: u32| -> Vec<u32> {
            set.iter().map(|&node| if node == leaves { joins } else { node }).collect()
        };
        others.flat_map(|&joins| set.iter().map(move |&leaves| (leaves, joins))).all(
            |(leaves, joins)| {
                let other = exchanged(leaves, joins);
                self.mean(set, set) <= 1.001 * self.mean(&other, &other)
            },
        )
    }

    /// Whether both figures and their ratio are those of the matrix.
    fn has(&self, compared: &CostComparison) -> bool {
        let costs = self.costs();
        let [near, far] = [compared.near(), compared.far()].map(|figure| {
            let again = figure.computed_from(&costs).unwrap().ns();
            assert!((again / figure.ns() - 1.0).abs() < 1e-9);
            again
        });
        (compared.ratio() / (far / near) - 1.0).abs() < 1e-9 && compared.wins()
    }
}

/// All comparisons that advice is based on, but the second of two that need not win both.
fn comparisons(advice: &Advice) -> Vec<&CostComparison> {
    match advice {
        Advice::OneNode { alternatives, .. } => alternatives.iter().collect(),
        Advice::OwnIsFarther { own, .. } => vec![own],
        Advice::SeveralNodes { exchanged, .. } => vec![exchanged],
        Advice::WithoutCpus { beside_own, .. } => vec![beside_own],
        Advice::Interleaved { largest, .. } => vec![largest],
        Advice::OneForAll { mean, .. } => vec![mean],
    }
}

/// How a machine's nodes differ.
#[derive(Clone, Copy, Debug)]
enum Family {
    Symmetric,
    OneDirection,
    OwnNotNearest,
    SlowNode,
    WithoutCpus,
    FastWithoutCpus,
    AllEqual,
    Anything,
}

const FAMILIES: [Family; 8] = [
    Family::Symmetric,
    Family::OneDirection,
    Family::OwnNotNearest,
    Family::SlowNode,
    Family::WithoutCpus,
    Family::FastWithoutCpus,
    Family::AllEqual,
    Family::Anything,
];

fn drawn(family: Family, rng: &mut Rng) -> Machine {
    let with_cpus = rng.usize(2..=8);
    let per_package = rng.usize(1..=4);
    let near = 1.05 + 0.4 * rng.f64();
    let far = near * (1.1 + rng.f64());
    let cost = |a: usize, b: usize| match (a == b, a / per_package == b / per_package) {
        (true, _) => 100.0,
        (_, true) => 100.0 * near,
        _ => 100.0 * far,
    };
    let mut rows: Vec<Vec<f64>> =
        (0..with_cpus).map(|a| (0..with_cpus).map(|b| cost(a, b)).collect()).collect();
    let node = rng.usize(..with_cpus);
    let factor = 1.1 + rng.f64();
    match family {
        Family::Symmetric => {}
        Family::OneDirection => rows[node][(node + 1) % with_cpus] *= factor,
        Family::OwnNotNearest => rows[node][node] *= factor,
        Family::SlowNode => rows.iter_mut().for_each(|row| row[node] *= factor),
        Family::WithoutCpus => rows.iter_mut().enumerate().for_each(|(cpus, row)| {
            row.push(200.0 * factor * (1.0 + 0.2 * (cpus / per_package) as f64));
        }),
        Family::FastWithoutCpus => rows.iter_mut().for_each(|row| row.push(100.0 / factor)),
        Family::AllEqual => rows.iter_mut().flatten().for_each(|cost| *cost = 100.0),
        Family::Anything => {
            rows.iter_mut().flatten().for_each(|cost| *cost = 80.0 + 200.0 * rng.f64());
        }
    }
    Machine(rows)
}

proptest! {
    #[test]
    fn advice_is_the_best_of_what_it_is_compared_with(seed: u64, family in 0..FAMILIES.len()) {
        let machine = drawn(FAMILIES[family], &mut Rng::with_seed(seed));
        for advice in machine.advice() {
            let objection = machine.objection(&advice);
            prop_assert_eq!(objection, None, "{:?} {:?} {:?}", FAMILIES[family], &machine, advice);
        }
    }
}

#[test]
fn nothing_is_recommended_where_nothing_wins() {
    let rng = &mut Rng::with_seed(1);
    for _ in 0..50 {
        assert_eq!(drawn(Family::AllEqual, rng).advice(), []);
    }
}

/// A healthy machine of several nodes does get advice.
#[test]
fn every_machine_with_remote_memory_has_a_cheapest_cell() {
    let rng = &mut Rng::with_seed(2);
    for _ in 0..50 {
        let machine = drawn(Family::Symmetric, rng);
        let all = machine.advice();
        assert!(all.iter().any(|advice| matches!(advice, Advice::OneNode { .. })), "{machine:?}");
    }
    let all = Machine(vec![vec![100.0, 150.0], vec![150.0, 100.0]]).advice();
    let [Advice::OneNode { cpus: 0, memory: 0, .. }, Advice::Interleaved { nodes, largest }] =
        &all[..]
    else {
        panic!("{all:?}")
    };
    assert!(nodes == &[0, 1] && (largest.ratio() - 1.2).abs() < 1e-9, "{largest:?}");
}

/// Own memory is the slower one: neither node's own is recommended, in any line.
#[test]
fn own_memory_that_is_slower_is_not_recommended() {
    let machine = Machine(vec![vec![150.0, 100.0], vec![100.0, 150.0]]);
    let placements: BTreeSet<[u32; 2]> = machine
        .advice()
        .iter()
        .filter_map(|advice| match advice {
            Advice::OneNode { cpus, memory, .. } | Advice::OwnIsFarther { cpus, memory, .. } => {
                Some([*cpus, *memory])
            }
            _ => None,
        })
        .collect();
    assert_eq!(placements, BTreeSet::from([[0, 1], [1, 0]]));
}

/// One direction of one link is slow: the mean over all cells is no node's, and interleaving loses
/// to node 0.
#[test]
fn one_slow_direction_does_not_recommend_interleaving() {
    let machine =
        Machine(vec![vec![90.0, 241.0, 144.0], vec![144.0, 90.0, 144.0], vec![144.0, 144.0, 90.0]]);
    let all = machine.advice();
    assert!(!all.iter().any(|advice| matches!(advice, Advice::Interleaved { .. })), "{all:?}");
    let one = all.iter().find_map(|advice| match advice {
        Advice::OneForAll { memory, mean, .. } => Some((*memory, mean.near().ns())),
        _ => None,
    });
    let (memory, ns) = one.unwrap();
    assert!(memory != 1 && (ns - 126.0).abs() < 1e-6, "{all:?}");
}

/// Memory of node 0 is slow for everybody: node 1's is best from both.
#[test]
fn slow_memory_is_left_alone() {
    let all = Machine(vec![vec![180.0, 150.0], vec![170.0, 100.0]]).advice();
    let [Advice::OneNode { cpus: 1, memory: 1, .. }, own, shared] = &all[..] else {
        panic!("{all:?}")
    };
    assert!(matches!(own, Advice::OwnIsFarther { cpus: 0, memory: 1, .. }), "{own:?}");
    assert!(matches!(shared, Advice::OneForAll { memory: 1, .. }), "{shared:?}");
}
