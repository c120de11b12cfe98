//! The fleet of docs/fleets/fleet.md.

use std::path::Path;

use serde_json::json;

use crate::made_fleet::{TWO_NODES, healthy, lines};
use crate::published_file::assert_published;

#[test]
fn the_fleet_of_the_page_is_made_of_a_survey() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/captures/fleet-of-16.jsonl");
    let mut fleet = healthy(TWO_NODES, 16, 16);
    fleet[6] = fleet[6].clone().with_slow_memory(1, 1.08);
    fleet[2] = fleet[2].clone().with("/machine/kernel", json!("6.1.0-28-amd64"));
    fleet[10] = fleet[10].clone().with("/environment/paging/thp_enabled", json!("never"));
    let command = "SNAPSHOTS=overwrite cargo test -p nearfar-survey --test fleet";
    assert_published(&path, &lines(&fleet), command);
}
