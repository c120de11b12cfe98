//! Drift, bursts and moves.

use nearfar_model::CpuId;

use super::super::description::{Description, Move};
use super::{Checked, Contradiction, cpu_nodes, positive};

pub(super) fn check(description: &Description) -> Checked {
    let noise = &description.noise;
    if let Some(drift) = noise.drift {
        positive("noise.drift.period_s", drift.period_s)?;
        if !(drift.share > 0.0 && drift.share < 1.0) {
            let wrong = format!("{} is not between 0 and 1", drift.share);
            return Err(Contradiction::new("noise.drift.share", wrong, "give a fraction: 0.05 swings by 5 %"));
        }
    }
    if let Some(bursts) = noise.bursts {
        positive("noise.bursts.every_s", bursts.every_s)?;
        positive("noise.bursts.lasts_s", bursts.lasts_s)?;
        positive("noise.bursts.factor", bursts.factor)?;
        if bursts.lasts_s >= bursts.every_s {
            let wrong = format!("bursts of {} s every {} s never end", bursts.lasts_s, bursts.every_s);
            return Err(Contradiction::new("noise.bursts", wrong, "let lasts_s be shorter than every_s"));
        }
    }
    let mut moves = noise.moves.iter().enumerate();
    moves.try_for_each(|(index, each)| moved(&format!("noise.move[{index}]"), each, description))
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
