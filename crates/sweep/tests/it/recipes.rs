//! The answer of a recipe: a winner with the lines of its unit, or nothing to gain.

use nearfar_sweep::recipe::{Recipe, per_node, unit_lines};
use nearfar_sweep::text::{text, verdict::verdict};
use nearfar_sweep::{Configuration, RequestedAxes, Sweep, SweepRecipe, configurations};

use crate::made_up::machine;
use crate::words::sweep;

const BASE: [f64; 6] = [10.0, 10.1, 9.9, 10.05, 9.95, 10.0];
const HALF: [f64; 6] = [5.0, 5.01, 5.005, 5.0, 5.003, 5.002];
const WIDE: [f64; 6] = [10.0, 13.0, 8.0, 10.5, 9.0, 9.7];

/// The configurations of a recipe on a machine of two nodes, and what its document has.
fn on_two_nodes(text: &str) -> (Vec<Configuration>, SweepRecipe) {
    let (source, topology) = machine();
    let recipe = Recipe::parse("loop", "loop.toml", text).unwrap();
    let named = RequestedAxes {
        placements: recipe.placements_on(&topology),
        jobs: Vec::new(),
        variables: recipe.variables_on(&topology),
        switches: Vec::new(),
        command: ["sh", "/tmp/r/run.sh", "{jobs}"].map(str::to_owned).to_vec(),
    };
    let (mut all, _) = configurations(&named, &source, &topology).unwrap();
    all.push(per_node(&all[0], &recipe.instance_nodes(&topology)));
    let lines = |one: &Configuration| Some((one.id.clone(), unit_lines(&recipe, one, &source)?));
    let unit_lines = all.iter().filter_map(lines).collect();
    let Recipe { name, question, unit, command, .. } = recipe;
    (all, SweepRecipe { name, question, unit, command, unit_lines })
}

const LOOP: &str = include_str!("../loop.toml");

fn answered(all: &[(&str, &[f64])], nodes: &str) -> Sweep {
    let mut sweep = sweep(all);
    let (configurations, recipe) = on_two_nodes(LOOP);
    sweep.recipe = Some(recipe);
    sweep.machine.nodes = nodes.to_owned();
    for one in &mut sweep.configurations {
        let known = configurations.iter().find(|known| known.id == one.configuration.id);
        let runs = std::mem::take(&mut one.configuration.runs);
        one.configuration = Configuration { runs, ..known.expect("a configuration").clone() };
    }
    sweep.judge();
    sweep
}

#[test]
fn placements_are_of_the_machine() {
    let (all, recipe) = on_two_nodes(LOOP);
    let ids: Vec<&str> = all.iter().map(|one| one.id.as_str()).collect();
    let expected = [
        "unbound WORD=one",
        "unbound WORD=two",
        "local:0 WORD=one",
        "local:0 WORD=two",
        "interleave WORD=one",
        "interleave WORD=two",
        "per-node WORD=one",
    ];
    assert_eq!(ids, expected);
    assert_eq!(all[6].command, ["sh", "/tmp/r/run.sh", "4", "0", "1"]);
    assert_eq!(
        recipe.unit_lines["interleave WORD=two"],
        "[Service]\nNUMAPolicy=interleave\nNUMAMask=0-1"
    );
    assert!(!recipe.unit_lines.contains_key("unbound WORD=two"));
    let each = &recipe.unit_lines["per-node WORD=one"];
    assert!(each.contains("# instance 1\n[Service]\nCPUAffinity=2-3\n"), "{each}");
    // A policy that systemd lacks is set by nearfar instead of the unit's own command.
    let (_, weighted) = on_two_nodes(&LOOP.replace("interleave", "-w 0-1"));
    let lines = weighted.unit_lines.get("-w 0-1 WORD=one");
    let start = "ExecStart=\nExecStart=nearfar run --weighted-interleave=0-1 loop N";
    assert!(lines.is_none_or(|lines| lines.ends_with(start)), "{lines:?}");
}

#[test]
fn a_winner_has_its_units_lines_and_a_line_to_type() {
    let won = answered(&[("unbound WORD=one", &BASE), ("interleave WORD=one", &HALF)], "0-1");
    let text = text(&won);
    assert!(text.starts_with("Does a loop of the shell depend on its node? interleave "), "{text}");
    let unit = "Add to the unit (systemctl edit loop.service):\n    [Service]\n    \
                NUMAPolicy=interleave\n    NUMAMask=0-1\n";
    assert!(text.contains(unit), "{text}");
    let line = "    env WORD=one nearfar run --interleave=0-1 -- loop N\n";
    assert!(text.contains(line), "{text}");
    let per_node = answered(&[("unbound WORD=one", &BASE), ("per-node WORD=one", &HALF)], "0-1");
    let text = nearfar_sweep::text::text(&per_node);
    assert!(text.contains("Make a unit for each node of loop.service, and add:\n"), "{text}");
    let line = "for node in 0 1; do nearfar run -N $node -m $node -- env WORD=one loop N & done";
    assert!(text.contains(line), "{text}");
}

#[test]
fn nothing_to_gain_has_a_bound() {
    let of = |all: &[(&str, &[f64])], nodes: &str| verdict(&answered(all, nodes));
    let (first, other) = ("unbound WORD=one", "interleave WORD=one");
    assert_eq!(of(&[(first, &WIDE)], "0"), "nothing to gain here: this machine has one node");
    let alike = of(&[(first, &BASE), (other, &BASE)], "0-1");
    assert!(alike.starts_with("nothing to gain, within "), "{alike}");
    assert_eq!(
        of(&[(first, &HALF), (other, &BASE)], "0-1"),
        "nothing to gain: all others are worse"
    );
    let failed = of(&[(first, &HALF), (other, &BASE), ("per-node WORD=one", &[])], "0-1");
    assert_eq!(
        failed,
        "nothing to gain: all others are worse; without a figure: per-node WORD=one"
    );
    let open = of(&[(first, &WIDE), (other, &WIDE.map(|time| 18.0 - time))], "0-1");
    assert!(open.starts_with("not sure: no gain is shown, and up to "), "{open}");
    // A placement that fails, or too few runs, is no answer.
    let few = of(&[(first, &BASE[..3]), (other, &HALF[..3])], "0-1");
    assert!(few.starts_with("not sure: differences need six runs"), "{few}");
    assert_eq!(of(&[(first, &[])], "0"), "not sure: no run was made");
    // No line is recommended, nor anything for the unit.
    let text = text(&answered(&[(first, &HALF), (other, &BASE)], "0-1"));
    assert!(!text.contains("systemctl") && !text.contains("    loop N"), "{text}");
}
