//! What the usual placements are chosen by: a kept survey of this machine, or else what firmware
//! claims.

use std::path::{Path, PathBuf};

use nearfar_machine::Topology;
use nearfar_model::NodeId;
use nearfar_survey::{Store, Survey};
use nearfar_sweep::placement::{ChosenBy, NodeDistance, usual};
use nearfar_sweep::{DoseNodes, DoseSurvey, SweepDoses, SweepError, SweepPlacement};
use nearfar_view::terminal::exit::WrongUsage;

use crate::input;

/// The usual placements, and what they were chosen by.
pub(super) struct Usual {
    pub(super) placements: Vec<SweepPlacement>,
    pub(super) from: ChosenBy,
}

/// By the survey that is named; else by the newest of this machine in the store.
pub(super) fn placements(
    topology: &Topology,
    named: Option<&Path>,
    store: Option<&Store>,
) -> anyhow::Result<Usual> {
    Ok(match survey(topology, named, store)? {
        Some((file, survey)) => Usual {
            placements: usual(topology, &|from, to| measured(&survey, from, to)),
            from: ChosenBy::Survey { file: file.display().to_string() },
        },
        None => Usual {
            placements: usual(topology, &|from, to| claimed(topology, from, to)),
            from: match topology.distances {
                Some(_) => ChosenBy::Firmware,
                None => ChosenBy::Shape,
            },
        },
    })
}

/// Placements that are doses, by the same survey.
pub(super) fn doses(
    topology: &Topology,
    nodes: DoseNodes,
    named: Option<&Path>,
    store: Option<&Store>,
) -> anyhow::Result<SweepDoses> {
    let wrong = |error: SweepError| WrongUsage(error.to_string()).into();
    let Some((file, survey)) = survey(topology, named, store)? else {
        return SweepDoses::new(topology, nodes, None).map_err(wrong);
    };
    let file = file.display().to_string();
    let of = DoseSurvey { file, started: survey.provenance.started.clone() };
    let distance = |from, to| measured(&survey, from, to);
    SweepDoses::new(topology, nodes, Some((of, &distance))).map_err(wrong)
}

fn survey(
    topology: &Topology,
    named: Option<&Path>,
    store: Option<&Store>,
) -> anyhow::Result<Option<(PathBuf, Survey)>> {
    if let Some(file) = named {
        return Ok(Some((file.to_owned(), for_this_machine(file, topology)?)));
    }
    let suffices = |survey: &Survey| survey.is_of(topology) && survey.has_all_latencies(topology);
    Ok(store.and_then(|store| store.newest("", suffices).ok()?))
}

fn for_this_machine(file: &Path, topology: &Topology) -> anyhow::Result<Survey> {
    let survey = input::read(file, nearfar_survey::read)?;
    let refused = |why: &str| WrongUsage(format!("--survey {}: {why}", file.display()));
    if !survey.is_of(topology) {
        return Err(
            refused("it is of another machine, or this one had other CPUs or nodes then").into()
        );
    }
    if !survey.has_all_latencies(topology) {
        return Err(
            refused("it lacks latencies between nodes: 'nearfar survey' measures them").into()
        );
    }
    Ok(survey)
}

fn measured(survey: &Survey, from: NodeId, to: NodeId) -> Option<NodeDistance> {
    let latency = survey.node_latency(from, to)?;
    Some(NodeDistance { value: latency.median, interval: latency.ci95 })
}

fn claimed(topology: &Topology, from: NodeId, to: NodeId) -> Option<NodeDistance> {
    let value = f64::from(topology.distances.as_ref()?.between(from, to)?);
    Some(NodeDistance { value, interval: None })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use nearfar_machine::Source;
    use serde_json::{Value, json};

    use super::*;

    const SKETCH: &str = include_str!("../../../survey/src/sketch.json");

    /// Four nodes of one CPU. Firmware claims that 1 is near to 0, and 2 and 3 are far.
    fn topology() -> Topology {
        let node = "/sys/devices/system/node";
        let mut files = vec![
            (format!("{node}/online"), "0-3".to_owned()),
            (format!("{node}/has_memory"), "0-3".to_owned()),
            (format!("{node}/has_cpu"), "0-3".to_owned()),
            ("/sys/devices/system/cpu/online".to_owned(), "0-3".to_owned()),
            ("/proc/cpuinfo".to_owned(), "processor\t: 0\nmodel name\t: Example 9000\n".to_owned()),
        ];
        for (id, distances) in
            ["10 16 32 32", "16 10 32 32", "32 32 10 16", "32 32 16 10"].iter().enumerate()
        {
            files.push((format!("{node}/node{id}/cpulist"), id.to_string()));
            files.push((format!("{node}/node{id}/distance"), (*distances).to_owned()));
            files.push((
                format!("{node}/node{id}/meminfo"),
                format!("Node {id} MemTotal: 1048576 kB\n"),
            ));
        }
        Topology::read(&Source::from_files(files)).unwrap()
    }

    /// A survey of that machine with these costs of the four memories from node 0, each known to so
    /// much.
    fn survey(costs: [f64; 4], known_to: f64, started: &str) -> Value {
        let mut survey: Value = serde_json::from_str(SKETCH).unwrap();
        survey["machine"]["cpus"] = json!(4);
        survey["machine"]["nodes"] = json!(4);
        survey["provenance"]["started"] = json!(started);
        let ids = 0..4_usize;
        let claimed = ids
            .clone()
            .map(|id| json!({"id": id, "cpus": id.to_string(), "memory_bytes": 1 << 30}));
        survey["claims"] = json!({"nodes": claimed.collect::<Vec<_>>(), "distances": null});
        let like = |value: &Value, id: usize| {
            let mut one = value.clone();
            (one["label"], one["node"]) = (json!(format!("node {id}")), json!(id));
            one
        };
        let latency = survey["latency"].clone();
        let row = |id: usize| {
            let mut row = like(&latency["rows"][0], id);
            row["cpus"] = json!(id.to_string());
            row
        };
        survey["latency"]["rows"] = ids.clone().map(row).collect();
        survey["latency"]["columns"] =
            ids.clone().map(|id| like(&latency["columns"][0], id)).collect();
        let cell = |row: usize, column: usize| {
            let mut cell = latency["cells"][0].clone();
            let cost = costs[row ^ column];
            (cell["row"], cell["column"], cell["cpus"]) =
                (json!(row), json!(column), json!(row.to_string()));
            (cell["node"], cell["median"], cell["q25"]) = (json!(column), json!(cost), json!(cost));
            cell["ci95"] = json!([cost - known_to, cost + known_to]);
            cell
        };
        survey["latency"]["cells"] = ids
            .clone()
            .flat_map(|row| (0..4).map(move |column| (row, column)))
            .map(|(row, column)| cell(row, column))
            .collect();
        for part in ["page_size", "samples"] {
            survey[part] = Value::Null;
        }
        survey["controls"] = json!({"pairs": 0, "differing": 0, "compared": []});
        survey
    }

    fn remote(usual: &Usual) -> Vec<String> {
        let names = usual.placements.iter().map(ToString::to_string);
        names.filter(|name| name.starts_with("remote:")).collect()
    }

    fn keep(folder: &Path, name: &str, survey: &Value) {
        fs::write(folder.join(name), survey.to_string()).unwrap();
    }

    #[test]
    fn surveys_come_before_firmware_claims() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        let found = placements(&topology(), None, Some(&store)).unwrap();
        assert_eq!(remote(&found), ["remote:0/1", "remote:0/2"]);
        assert_eq!(found.from, ChosenBy::Firmware);
        // Measured, 3 is near, and 1 and 2 are two different kinds of far.
        keep(
            folder.path(),
            "b.json",
            &survey([90.0, 150.0, 200.0, 110.0], 1.0, "2026-11-20T10:00:00Z"),
        );
        keep(
            folder.path(),
            "a.json",
            &survey([90.0, 150.0, 150.0, 150.0], 1.0, "2026-11-19T10:00:00Z"),
        );
        keep(folder.path(), "c.json", &json!({"schema": "broken"}));
        let found = placements(&topology(), None, Some(&store)).unwrap();
        assert_eq!(remote(&found), ["remote:0/3", "remote:0/1", "remote:0/2"]);
        let file = folder.path().join("b.json").display().to_string();
        assert_eq!(found.from, ChosenBy::Survey { file });
        let named = folder.path().join("a.json");
        let found = placements(&topology(), Some(&named), Some(&store)).unwrap();
        assert_eq!(remote(&found), ["remote:0/1"], "{:?}", found.from);
    }

    #[test]
    fn overlapping_costs_are_one_distance() {
        for (known_to, expected) in [(1.0, 3), (12.0, 2), (30.0, 1)] {
            let folder = tempfile::tempdir().unwrap();
            keep(
                folder.path(),
                "a.json",
                &survey([90.0, 150.0, 170.0, 200.0], known_to, "2026-11-20T10:00:00Z"),
            );
            let found = placements(&topology(), None, Some(&Store::at(folder.path()))).unwrap();
            assert_eq!(remote(&found).len(), expected, "{known_to}: {:?}", remote(&found));
        }
    }

    #[test]
    fn surveys_of_other_machines_do_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        let mut other = survey([90.0, 150.0, 150.0, 150.0], 1.0, "2026-11-20T10:00:00Z");
        other["machine"]["model"] = json!("Example 9001");
        keep(folder.path(), "other.json", &other);
        let mut gaps = survey([90.0, 150.0, 150.0, 150.0], 1.0, "2026-11-20T10:00:00Z");
        gaps["latency"]["cells"][2]["median"] = Value::Null;
        keep(folder.path(), "gaps.json", &gaps);
        let found = placements(&topology(), None, Some(&store)).unwrap();
        assert_eq!(found.from, ChosenBy::Firmware);
        for (name, expected) in
            [("other.json", "another machine"), ("gaps.json", "lacks latencies")]
        {
            let refused = placements(&topology(), Some(&folder.path().join(name)), None)
                .err()
                .unwrap()
                .to_string();
            assert!(refused.contains(expected), "{refused}");
        }
        assert!(placements(&topology(), Some(Path::new("/no/such.json")), None).is_err());
    }
}
