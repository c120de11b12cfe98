//! What a published matrix says of a machine, as a document.

use nearfar_infer::core_to_core::{CannotTell, Contradiction, CostClass, Group, Kind, Untold, WhoShares};
use nearfar_model::CpuSet;
use serde::Serialize;

use crate::{FoundGroup, FoundStructure, Misclaimed, PairMatrix};

/// The schema of [`Structure`].
pub const STRUCTURE_SCHEMA: &str = "nearfar.structure/1";

/// Who shares what, by a matrix of costs alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Structure {
    /// [`STRUCTURE_SCHEMA`].
    pub schema: &'static str,
    /// The CPUs of the matrix.
    pub cpus: CpuSet,
    /// Who shares what: `packages`, `cache_groups`, `smt_pairs`.
    #[serde(flatten)]
    pub groups: FoundStructure,
    /// What costs do not tell, one sentence each.
    pub cannot_tell: Vec<String>,
    /// Groups that the costs show, and of which they do not tell what they are.
    pub undecided: Vec<Undecided>,
    /// Where the claims of a machine do not hold; null without a machine to ask.
    pub contradictions: Option<Vec<Misclaimed>>,
    /// What pairs cost by what they share, nearest first.
    pub classes: Vec<CostClass>,
    /// Pairs that have a cost.
    pub measured_pairs: usize,
    /// Pairs that there are.
    pub all_pairs: usize,
    /// CPUs of which no pair has a cost.
    pub cpus_without_costs: CpuSet,
    /// Numbers that no exchange costs: zero, negative, infinite.
    pub ignored_costs: usize,
    /// Cells that hold no number.
    pub unreadable_cells: usize,
    /// Lines that are no rows.
    pub skipped_lines: usize,
}

/// Groups of CPUs that are one of two things.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Undecided {
    /// What they may be: `package` or `cluster`, `core` or `cache group`.
    pub either: [&'static str; 2],
    /// The CPUs of each.
    pub groups: Vec<CpuSet>,
}

impl Structure {
    /// Whether groups that show may be the CPUs of one core.
    pub fn may_be_cores(&self) -> bool {
        self.undecided.iter().any(|undecided| undecided.either.contains(&"core"))
    }

    /// The document of what was found; `contradictions` where a machine's claims were compared.
    pub fn new(matrix: &PairMatrix, found: &WhoShares, contradictions: Option<&[Contradiction]>) -> Self {
        let set = |places: &[usize]| -> CpuSet { places.iter().map(|&place| matrix.cpus[place]).collect() };
        let groups = |groups: &[Group]| -> Vec<FoundGroup> {
            groups.iter().map(|group| FoundGroup { cpus: set(&group.cpus), support: group.support }).collect()
        };
        let misclaimed = |one: &Contradiction| Misclaimed {
            shares: one.kind,
            cpus: set(&one.cpus),
            claimed: set(&one.claimed),
            found: set(&one.found),
        };
        let undecided = |untold: &CannotTell| {
            let (either, groups) = match &untold.why {
                Untold::PackagesOrClusters { groups, .. } => (["package", "cluster"], groups),
                Untold::CoresOrCaches { groups } => (["core", "cache group"], groups),
                _ => return None,
            };
            Some(Undecided { either, groups: groups.iter().map(|cpus| set(cpus)).collect() })
        };
        let mut cannot_tell: Vec<String> = found.cannot_tell.iter().map(|untold| sentence(untold, set)).collect();
        cannot_tell.dedup();
        Self {
            schema: STRUCTURE_SCHEMA,
            cpus: matrix.cpus.iter().copied().collect(),
            groups: FoundStructure {
                packages: groups(&found.packages),
                cache_groups: groups(&found.cache_groups),
                smt_pairs: groups(&found.smt_pairs),
            },
            cannot_tell,
            undecided: found.cannot_tell.iter().filter_map(undecided).collect(),
            contradictions: contradictions.map(|all| all.iter().map(misclaimed).collect()),
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

fn sentence(untold: &CannotTell, set: impl Fn(&[usize]) -> CpuSet) -> String {
    let kind = match untold.kind {
        Kind::Core => "cores",
        Kind::CacheGroup => "cache groups",
        Kind::Package => "packages",
    };
    match &untold.why {
        Untold::Cpus(few @ 0..3) => format!("cannot tell anything: {few} CPUs have costs, and three are needed"),
        Untold::Cpus(many) => format!("cannot tell anything: {many} CPUs are too many; give some of them"),
        Untold::StandApart { cpus, ratio } => format!(
            "cannot tell {kind}: other pairs cost {ratio:.1} times what CPUs {} cost among themselves, as where the memory behind every line is near these; \
             measure with lines at home on either side, as nearfar core-to-core does",
            set(cpus)
        ),
        Untold::PackagesOrClusters { groups, inside_ns, beyond_ns } => format!(
            "cannot tell packages: groups {} are packages, or clusters of one package: their own pairs \
             cost {inside_ns:.0} ns, others {beyond_ns:.0} ns; --root compares with what the machine claims",
            listed(groups, set)
        ),
        Untold::CoresOrCaches { groups } => format!(
            "cannot tell cache groups: groups {} are CPUs of one core, or cores that share a cache",
            listed(groups, set)
        ),
        Untold::Scattered { from_ns, to_ns } => format!(
            "cannot tell {kind}: costs lie between {from_ns:.0} and {to_ns:.0} ns, too far apart to be of one kind, and do not separate; measure each pair longer, on an idle machine"
        ),
    }
}

/// Groups listed in a sentence.
const LISTED: usize = 8;

fn listed(groups: &[Vec<usize>], set: impl Fn(&[usize]) -> CpuSet) -> String {
    let mut all: Vec<String> = groups.iter().take(LISTED).map(|cpus| set(cpus).to_string()).collect();
    if let Some(more @ 1..) = groups.len().checked_sub(LISTED) {
        all.push(format!("{more} more"));
    }
    all.join("; ")
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
            let costs = cpus.iter().map(|b| if b < a { ns(*a, *b).to_string() } else { String::new() });
            format!("cpu{a},{}\n", costs.collect::<Vec<_>>().join(","))
        };
        let text = format!("cpu,{}\n{}", head.join(","), cpus.iter().map(row).collect::<String>());
        let json = serde_json::to_value(document(&text)).unwrap();
        assert_eq!(json["schema"], "nearfar.structure/1");
        assert_eq!(json["cache_groups"][1], serde_json::json!({"cpus": "10-11,14-15", "support": 1.0}));
        let undecided = serde_json::json!([{"either": ["package", "cluster"], "groups": ["0-1,4-5", "10-11,14-15"]}]);
        assert_eq!((&json["packages"], &json["undecided"]), (&serde_json::json!([]), &undecided));
        assert_eq!(json["smt_pairs"].as_array().unwrap().len(), 4);
        assert_eq!(json["smt_pairs"][0]["cpus"], "0,4");
        assert_eq!((&json["cpus"], &json["contradictions"]), (&"0-1,4-5,10-11,14-15".into(), &serde_json::Value::Null));
        assert_eq!((&json["measured_pairs"], &json["all_pairs"]), (&28.into(), &28.into()));
    }

    #[test]
    fn what_costs_do_not_tell_is_a_sentence() {
        assert_eq!(document("10\n").cannot_tell, ["cannot tell anything: 2 CPUs have costs, and three are needed"]);
        let loongson = ",,,,,,,\n123\n123,123\n123,123,123\n370,370,370,370\n370,370,370,370,550\n370,370,370,370,550,550\n370,370,370,370,550,550,550\n";
        let said = document(loongson).cannot_tell;
        assert!(
            said.len() == 2
                && said[1].starts_with("cannot tell packages: other pairs cost 3.0 times what CPUs 0-3 cost"),
            "{said:?}"
        );
        // From 40 to 96 ns in steps of 2 %.
        let ns = |a: usize, b: usize| 40.0 * 1.02f64.powf(((a * (a - 1) / 2 + b) * 17 % 45) as f64);
        let row = |a: usize| (0..a).map(|b| ns(a, b).to_string()).collect::<Vec<_>>().join(",") + ",\n";
        let said = document(&(0..10).map(row).collect::<String>()).cannot_tell;
        assert!(said.iter().all(|said| said.contains("costs lie between 42 and 92 ns")), "{said:?}");
    }
}
