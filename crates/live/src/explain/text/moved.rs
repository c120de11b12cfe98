//! What moving pages cost a program, and between which nodes.

use std::fmt::Write as _;

use nearfar_model::Bytes;
use nearfar_view::text::count;
use nearfar_view::text::percent::{change, percent};

use crate::explain::{DosedProcess, MovingCost};

/// A share of pages that take part, from which on it is all of them.
pub(super) const ALL: f64 = 0.999;

/// What an experiment moved, and beside what.
pub(super) struct MovedBetween<'d> {
    pub(super) nodes: &'d [DosedProcess],
    /// Memory that moved together.
    pub(super) unit: Bytes,
    pub(super) balancing_was_off: bool,
    pub(super) started_meanwhile: u32,
}

/// How long moving took, and what the far memory itself cost.
pub(super) fn cost(moving: &MovingCost) -> String {
    let mut text = format!(
        "Moving {} took {} of the time (limit {}).",
        moving.bytes,
        percent(moving.share),
        percent(moving.limit)
    );
    if let Some(far) = moving.far_memory {
        let _ = write!(text, " Far memory itself changed its time by {} meanwhile.", change(far));
    }
    if moving.taking_part < ALL {
        let _ = write!(
            text,
            " {} of its pages took part, to keep to the limit.",
            percent(moving.taking_part)
        );
    }
    text
}

/// The nodes, and what else was done or left.
pub(super) fn nodes(moved: &MovedBetween<'_>) -> String {
    let mut text = match moved.nodes {
        [one] => format!("Near is node {}, far is node {}.", one.near, one.far),
        all => format!("Near and far nodes are those of each of {} processes.", all.len()),
    };
    if moved.unit.0 > 1 << 20 {
        let _ = write!(text, " Pages moved in units of {}.", moved.unit);
    }
    if moved.balancing_was_off {
        text += " The kernel's balancing was off meanwhile, and is on again.";
    }
    if moved.started_meanwhile > 0 {
        let started = count(moved.started_meanwhile as usize, "process");
        let _ = write!(text, " {started} began meanwhile, and did not take part.");
    }
    text
}
