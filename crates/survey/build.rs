//! Checks `atlas.toml`: a wrong row fails the build, not the user.

// The crate's own rows; the build needs their check only.
#[allow(dead_code, unreachable_pub)]
#[path = "src/atlas/row.rs"]
mod row;

fn main() {
    println!("cargo::rerun-if-changed=atlas.toml");
    println!("cargo::rerun-if-changed=src/atlas/row.rs");
    let text = std::fs::read_to_string("atlas.toml").expect("atlas.toml can be read");
    if let Err(why) = row::parse(&text) {
        panic!("crates/survey/atlas.toml: {why}");
    }
}
