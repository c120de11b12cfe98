//! Drift, bursts and moves.

use nearfar_lab_cost::Bursts;

use super::super::description::{Description, MoveDescription};
use super::{Checked, positive, require};

pub(super) fn check(description: &Description) -> Vec<Checked> {
    let noise = &description.noise;
    let mut checks = Vec::new();
    if let Some(drift) = noise.drift {
        checks.push(positive("noise.drift.period_s", drift.period_s));
        checks.push(swing(drift.share));
    }
    if let Some(of) = noise.bursts {
        checks.push(bursts(of));
        checks.push(positive("noise.bursts.factor", of.factor));
    }
    let moves = noise.moves.iter().enumerate();
    checks.extend(
        moves.map(|(index, each)| moved(&format!("noise.move[{index}]"), each, description)),
    );
    checks
}

fn swing(share: f64) -> Checked {
    let wrong = format!("{share} is not between 0 and 1");
    require(
        share > 0.0 && share < 1.0,
        "noise.drift.share",
        wrong,
        "give a fraction: 0.05 swings by 5 %",
    )
}

fn bursts(bursts: Bursts) -> Checked {
    let Bursts { every_s, lasts_s, .. } = bursts;
    positive("noise.bursts.every_s", every_s)?;
    positive("noise.bursts.lasts_s", lasts_s)?;
    let wrong = format!("bursts of {lasts_s} s every {every_s} s never end");
    require(lasts_s < every_s, "noise.bursts", wrong, "let lasts_s be shorter than every_s")
}

fn moved(key: &str, moved: &MoveDescription, description: &Description) -> Checked {
    let &MoveDescription { at_s, cpu, to_node } = moved;
    let wrong = format!("{at_s} is no time after the guest's start");
    require(
        at_s.is_finite() && at_s >= 0.0,
        format!("{key}.at_s"),
        wrong,
        "give seconds, 0 or more",
    )?;
    let exists = description.nodes.iter().any(|node| node.cpus.contains(cpu));
    require(exists, format!("{key}.cpu"), format!("there is no CPU {cpu}"), "name one of a node")?;
    let has_cpus = description.cpu_nodes().any(|node| node.id == to_node);
    let wrong = format!("there is no node {to_node} with CPUs");
    require(has_cpus, format!("{key}.to_node"), wrong, "name a node with CPUs")
}
