//! The structure of a machine, from a published matrix of costs, as a document.

use nearfar_infer::core_to_core::{
    ClaimContradiction, CostClass, UndeterminedGroups, UndeterminedReason, WhoShares,
};
use nearfar_model::{CpuId, CpuSet};
use serde::Serialize;

use crate::{FoundStructure, Misclaimed, PairMatrix};

/// The schema of [`Structure`].
pub const STRUCTURE_SCHEMA: &str = "nearfar.structure/2";

/// Which CPUs share a package, a cache or a core, from a matrix of costs alone.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Structure {
    /// The schema's name: `nearfar.structure/2`.
    pub schema: &'static str,
    /// The CPUs of the matrix.
    pub cpus: CpuSet,
    /// Who shares what: `packages`, `cache_groups`, `smt_pairs`.
    #[serde(flatten)]
    pub groups: FoundStructure,
    /// CPUs that are slow to all others. Groups are found without their factors.
    pub slow: Vec<SlowCpuFactor>,
    /// What the costs cannot decide.
    #[serde(rename = "cannot_tell")]
    pub undetermined: Vec<UndecidedReason>,
    /// Groups that the costs show; whether they are packages, clusters, cores or caches is open.
    pub undecided: Vec<Undecided>,
    /// Where the claims of a machine do not hold; null without a machine to ask.
    pub contradictions: Option<Vec<Misclaimed>>,
    /// What pairs cost by what they share, nearest first.
    pub classes: Vec<CostClass>,
    /// Pairs that have a cost.
    pub measured_pairs: usize,
    /// Pairs that there are.
    pub all_pairs: usize,
    /// CPUs without a measured pair.
    pub cpus_without_costs: CpuSet,
    /// Numbers that no exchange costs: zero, negative, infinite.
    pub ignored_costs: usize,
    /// Cells that hold no number.
    pub unreadable_cells: usize,
    /// Lines that are no rows.
    pub skipped_lines: usize,
}

/// A CPU that is slow to all others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SlowCpuFactor {
    /// Which.
    pub cpu: CpuId,
    /// Its costs over those of CPUs with the same pattern.
    pub times: f64,
}

/// Why costs cannot decide which CPUs share what.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum UndecidedReason {
    /// Fewer CPUs than three have costs.
    TooFewCpus {
        /// How many have.
        cpus: usize,
    },
    /// More CPUs have costs than are looked at.
    TooManyCpus {
        /// How many have.
        cpus: usize,
    },
    /// Some CPUs are nearer to each other than all others are, as where the memory behind every
    /// line is near these.
    StandApart {
        /// What is undetermined: `core`, `cache group` or `package`.
        shares: &'static str,
        /// The CPUs.
        cpus: CpuSet,
        /// What other pairs cost, over what these cost among themselves.
        ratio: f64,
    },
    /// Groups are packages, or clusters of one package.
    PackagesOrClusters {
        /// The CPUs of each.
        groups: Vec<CpuSet>,
        /// What their own pairs cost.
        inside_ns: f64,
        /// What other pairs cost.
        beyond_ns: f64,
    },
    /// Groups are CPUs of one core, or cores that share a cache.
    CoresOrCaches {
        /// The CPUs of each.
        groups: Vec<CpuSet>,
    },
    /// Costs are too far apart to be of one kind, and do not separate.
    Scattered {
        /// What is undetermined: `core`, `cache group` or `package`.
        shares: &'static str,
        /// The lowest of them.
        from_ns: f64,
        /// The highest.
        to_ns: f64,
    },
}

/// What a group of CPUs may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub enum PossibleGroup {
    /// The CPUs of a package.
    #[serde(rename = "package")]
    Package,
    /// Cores that are closer to each other than to others.
    #[serde(rename = "cluster")]
    Cluster,
    /// The CPUs of a core.
    #[serde(rename = "core")]
    Core,
    /// Cores that share a cache.
    #[serde(rename = "cache group")]
    CacheGroup,
}

/// Groups of CPUs that are one of two things.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Undecided {
    /// What they may be: `package` or `cluster`, `core` or `cache group`.
    pub either: [PossibleGroup; 2],
    /// The CPUs of each.
    pub groups: Vec<CpuSet>,
}

impl Structure {
    /// Whether groups that show may be the CPUs of one core.
    pub fn may_be_cores(&self) -> bool {
        self.undecided.iter().any(|undecided| undecided.either.contains(&PossibleGroup::Core))
    }

    /// The document of what was found; `contradictions` where a machine's claims were compared.
    pub fn new(
        matrix: &PairMatrix,
        found: &WhoShares,
        contradictions: Option<&[ClaimContradiction]>,
    ) -> Self {
        let set = |places: &[usize]| -> CpuSet {
            places.iter().map(|&place| matrix.cpus[place]).collect()
        };
        let undecided = |open: &UndeterminedGroups| {
            let (either, groups) = match &open.why {
                UndeterminedReason::PackagesOrClusters { groups, .. } => {
                    ([PossibleGroup::Package, PossibleGroup::Cluster], groups)
                }
                UndeterminedReason::CoresOrCaches { groups } => {
                    ([PossibleGroup::Core, PossibleGroup::CacheGroup], groups)
                }
                _ => return None,
            };
            Some(Undecided { either, groups: groups.iter().map(|cpus| set(cpus)).collect() })
        };
        let reasons = found.undetermined.iter().map(|open| UndecidedReason::new(open, set));
        let mut undetermined: Vec<UndecidedReason> = reasons.collect();
        undetermined.dedup();
        Self {
            schema: STRUCTURE_SCHEMA,
            cpus: matrix.cpus.iter().copied().collect(),
            groups: FoundStructure::new(
                [&found.packages, &found.cache_groups, &found.smt_pairs],
                set,
            ),
            slow: found
                .slow
                .iter()
                .map(|slow| SlowCpuFactor { cpu: matrix.cpus[slow.cpu], times: slow.times })
                .collect(),
            undetermined,
            undecided: found.undetermined.iter().filter_map(undecided).collect(),
            contradictions: contradictions
                .map(|all| all.iter().map(|one| Misclaimed::new(one, set)).collect()),
            classes: found.classes.clone(),
            measured_pairs: found.measured_pairs,
            all_pairs: matrix.all_pairs(),
            cpus_without_costs: set(&found.unmeasured),
            ignored_costs: found.ignored,
            unreadable_cells: matrix.unreadable_cells,
            skipped_lines: matrix.skipped_lines,
        }
    }
}

impl UndecidedReason {
    fn new(open: &UndeterminedGroups, set: impl Fn(&[usize]) -> CpuSet) -> Self {
        let shares = open.kind.name();
        let sets = |groups: &[Vec<usize>]| groups.iter().map(|cpus| set(cpus)).collect();
        match open.why {
            UndeterminedReason::Cpus(cpus @ 0..3) => Self::TooFewCpus { cpus },
            UndeterminedReason::Cpus(cpus) => Self::TooManyCpus { cpus },
            UndeterminedReason::FewApart { ref cpus, ratio } => {
                Self::StandApart { shares, cpus: set(cpus), ratio }
            }
            UndeterminedReason::PackagesOrClusters { ref groups, inside_ns, beyond_ns } => {
                Self::PackagesOrClusters { groups: sets(groups), inside_ns, beyond_ns }
            }
            UndeterminedReason::CoresOrCaches { ref groups } => {
                Self::CoresOrCaches { groups: sets(groups) }
            }
            UndeterminedReason::Scattered { from_ns, to_ns } => {
                Self::Scattered { shares, from_ns, to_ns }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_infer::core_to_core::who_shares;

    use super::*;

    fn document(text: &str) -> Structure {
        let matrix = PairMatrix::parse(text).unwrap();
        Structure::new(&matrix, &who_shares(&matrix.costs, matrix.cpus.len(), None), None)
    }

    /// Two packages of two cores of two CPUs, under their own numbers.
    #[test]
    fn cpus_have_the_numbers_of_the_matrix() {
        let cpus = [0, 1, 4, 5, 10, 11, 14, 15];
        let ns = |a: u32, b: u32| {
            if a % 10 == b % 10 + 4 && a / 10 == b / 10 {
                8
            } else if a / 10 == b / 10 {
                45
            } else {
                110
            }
        };
        let head: Vec<String> = cpus.iter().map(|cpu| format!("cpu{cpu}")).collect();
        let row = |a: &u32| {
            let costs =
                cpus.iter().map(|b| if b < a { ns(*a, *b).to_string() } else { String::new() });
            format!("cpu{a},{}\n", costs.collect::<Vec<_>>().join(","))
        };
        let text = format!("cpu,{}\n{}", head.join(","), cpus.iter().map(row).collect::<String>());
        let json = serde_json::to_value(document(&text)).unwrap();
        assert_eq!(json["schema"], "nearfar.structure/2");
        assert_eq!(
            json["cache_groups"][1],
            serde_json::json!({"cpus": "10-11,14-15", "support": 1.0})
        );
        let undecided = serde_json::json!([
            {"either": ["package", "cluster"], "groups": ["0-1,4-5", "10-11,14-15"]},
        ]);
        assert_eq!((&json["packages"], &json["undecided"]), (&serde_json::json!([]), &undecided));
        assert_eq!(json["smt_pairs"].as_array().unwrap().len(), 4);
        assert_eq!(json["smt_pairs"][0]["cpus"], "0,4");
        assert_eq!(
            (&json["cpus"], &json["contradictions"]),
            (&"0-1,4-5,10-11,14-15".into(), &serde_json::Value::Null)
        );
        assert_eq!((&json["measured_pairs"], &json["all_pairs"]), (&28.into(), &28.into()));
    }

    #[test]
    fn undetermined_structure_has_a_reason() {
        assert_eq!(document("10\n").undetermined, [UndecidedReason::TooFewCpus { cpus: 2 }]);
        let loongson = ",,,,,,,\n123\n123,123\n123,123,123\n370,370,370,370\n370,370,370,370,550\n\
                        370,370,370,370,550,550\n370,370,370,370,550,550,550\n";
        let reasons = document(loongson).undetermined;
        let [_, UndecidedReason::StandApart { shares: "package", cpus, ratio }] = &reasons[..]
        else {
            panic!("{reasons:?}")
        };
        assert_eq!((cpus.to_string().as_str(), (10.0 * ratio).round()), ("0-3", 30.0));
        // From 40 to 96 ns in steps of 2 %.
        let ns = |a: usize, b: usize| 40.0 * 1.02f64.powf(((a * (a - 1) / 2 + b) * 17 % 45) as f64);
        let row =
            |a: usize| (0..a).map(|b| ns(a, b).to_string()).collect::<Vec<_>>().join(",") + ",\n";
        for reason in document(&(0..10).map(row).collect::<String>()).undetermined {
            let UndecidedReason::Scattered { from_ns, to_ns, .. } = reason else {
                panic!("{reason:?}")
            };
            assert_eq!((from_ns.round(), to_ns.round()), (42.0, 92.0));
        }
    }
}
