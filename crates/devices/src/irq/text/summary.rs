//! The interrupts of a survey in a sentence or two.

use nearfar_view::text::paragraph;
use nearfar_view::text::percent::percent;

use super::rate;
use crate::irq::IrqDocument;

/// How long was counted, how many there were, and the share of far ones.
pub fn summary(document: &IrqDocument) -> String {
    let all: u64 = document.totals.iter().map(|total| total.count).sum();
    let counted = match document.seconds {
        Some(seconds) => format!(
            "While measuring ({seconds:.1} s), devices had {} interrupts a second.",
            rate::per_second(all as f64 / seconds)
        ),
        None => format!("Since boot, devices had {all} interrupts."),
    };
    let far = document.far_share.filter(|_| document.nodes.len() > 1).map(|share| {
        format!(
            " CPUs far from the device served {} of those whose device's node is known.",
            percent(share)
        )
    });
    counted + &far.unwrap_or_default()
}

/// The summary as a line of a screen; nothing on one node, where all are near, and where all
/// devices are idle.
pub fn line(document: Option<&IrqDocument>) -> String {
    let is_active = |one: &&IrqDocument| {
        let is_busy = one.devices.iter().any(|device| !one.is_idle(device.count));
        one.nodes.len() > 1 && one.far_share.is_some() && is_busy
    };
    let text = document.filter(is_active).map(|one| paragraph::of(&summary(one), "", ""));
    text.unwrap_or_default()
}
