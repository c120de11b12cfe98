//! Drift, bursts and moves.

use nearfar_lab_cost::Bursts;
use nearfar_model::CpuId;

use super::super::description::{Description, Move};
use super::{Checked, Contradiction, cpu_nodes, positive};

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
    checks.extend(moves.map(|(index, each)| moved(&format!("noise.move[{index}]"), each, description)));
    checks
}

fn swing(share: f64) -> Checked {
    if share > 0.0 && share < 1.0 {
        return Ok(());
    }
    let wrong = format!("{share} is not between 0 and 1");
    Err(Contradiction::new("noise.drift.share", wrong, "give a fraction: 0.05 swings by 5 %"))
}

fn bursts(bursts: Bursts) -> Checked {
    positive("noise.bursts.every_s", bursts.every_s)?;
    positive("noise.bursts.lasts_s", bursts.lasts_s)?;
    if bursts.lasts_s >= bursts.every_s {
        let wrong = format!("bursts of {} s every {} s never end", bursts.lasts_s, bursts.every_s);
        return Err(Contradiction::new("noise.bursts", wrong, "let lasts_s be shorter than every_s"));
    }
    Ok(())
}

fn moved(key: &str, moved: &Move, description: &Description) -> Checked {
    if !moved.at_s.is_finite() || moved.at_s < 0.0 {
        let wrong = format!("{} is no time after the guest's start", moved.at_s);
        return Err(Contradiction::new(format!("{key}.at_s"), wrong, "give seconds, 0 or more"));
    }
    let CpuId(cpu) = moved.cpu;
    if !description.nodes.iter().any(|node| node.cpus.contains(moved.cpu)) {
        return Err(Contradiction::new(format!("{key}.cpu"), format!("there is no CPU {cpu}"), "name one of a node"));
    }
    if !cpu_nodes(description).contains(&moved.to_node) {
        let wrong = format!("there is no node {} with CPUs", moved.to_node);
        return Err(Contradiction::new(format!("{key}.to_node"), wrong, "name a node with CPUs"));
    }
    Ok(())
}
