//! Integration tests of the crate, in one program.

#[path = "../../benches/odds/fleet_grid.rs"]
#[allow(dead_code)] // its table is the bench's
mod fleet_grid;
mod fleet_odds;
mod published;
#[path = "../../benches/odds/share.rs"]
#[allow(dead_code)] // likewise
mod share;
