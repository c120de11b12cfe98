//! Files of a crate that depend on one another in a cycle: a change of one of them requires to know
//! them all.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::ensure;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use crate::modules::{Dependency, Modules};
use crate::sources::source_folders;

/// Checks every crate of the workspace: tests and re-exports make no cycle.
pub(crate) fn check(workspace: &Path) -> anyhow::Result<()> {
    let mut cycle_lines = Vec::new();
    let mut count = 0;
    let folders = source_folders(workspace)?;
    let roots =
        folders.iter().flat_map(|folder| ["lib.rs", "main.rs"].map(|file| folder.join(file)));
    for file in roots.filter(|file| file.exists()) {
        for cycle in cycles(&Modules::read(&file)?.dependencies()) {
            count += 1;
            cycle_lines.push(format!("cycle {count}:"));
            cycle_lines.extend(
                cycle.iter().map(|dependency| format!("  {}", line(dependency, workspace))),
            );
        }
    }
    ensure!(
        count == 0,
        "files depend on one another in {count} cycles:\n  {}",
        cycle_lines.join("\n  ")
    );
    println!("cycles: none between files");
    Ok(())
}

/// The dependencies of each cycle.
fn cycles(dependencies: &[Dependency]) -> Vec<Vec<&Dependency>> {
    let graph: DiGraphMap<&Path, ()> =
        dependencies.iter().map(|dependency| (&*dependency.from, &*dependency.to)).collect();
    let groups = tarjan_scc(&graph).into_iter().filter(|files| files.len() > 1);
    let group_of: BTreeMap<&Path, usize> = groups
        .enumerate()
        .flat_map(|(group, files)| files.into_iter().map(move |file| (file, group)))
        .collect();
    let mut cycles: BTreeMap<usize, Vec<&Dependency>> = BTreeMap::new();
    for dependency in dependencies {
        match (group_of.get(&*dependency.from), group_of.get(&*dependency.to)) {
            (Some(from), Some(to)) if from == to => {
                cycles.entry(*from).or_default().push(dependency);
            }
            _ => {}
        }
    }
    cycles.into_values().collect()
}

fn line(dependency: &Dependency, root: &Path) -> String {
    let [from, to] = [&dependency.from, &dependency.to]
        .map(|file| file.strip_prefix(root).unwrap_or(file).display());
    format!("{from} takes {} from {to}", dependency.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cycles of a crate of these files: names of who takes what.
    fn found(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let dependencies = Modules::read(&folder.path().join("lib.rs")).unwrap().dependencies();
        let lines = |cycle: Vec<&Dependency>| {
            cycle.into_iter().map(|dependency| line(dependency, folder.path())).collect()
        };
        cycles(&dependencies).into_iter().map(lines).collect()
    }

    #[test]
    fn two_files_that_take_from_each_other_are_a_cycle() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::Far; pub struct Near;"),
            ("b.rs", "use super::a::Near; pub struct Far;"),
        ];
        assert_eq!(found(&files), [["a.rs takes Far from b.rs", "b.rs takes Near from a.rs"]]);
    }

    #[test]
    fn a_name_is_followed_through_re_exports_and_they_are_no_dependencies() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::*; pub use b::Far;"),
            ("a.rs", "use crate::Far; pub struct Near;"),
            ("b.rs", "use crate::Near; pub struct Far;"),
        ];
        assert_eq!(found(&files), [["a.rs takes Far from b.rs", "b.rs takes Near from a.rs"]]);
        let one_way = [files[0], files[1], ("b.rs", "pub struct Far;")];
        assert_eq!(found(&one_way), [[""; 0]; 0]);
    }

    #[test]
    fn a_parent_and_its_children_are_one_idea_and_tests_make_no_cycle() {
        let parent = ("a.rs", "mod inner; pub struct Outer; fn go() { inner::of(Outer) }");
        let child = ("a/inner.rs", "use super::Outer; pub fn of(_: Outer) {}");
        assert_eq!(found(&[("lib.rs", "mod a;"), parent, child]), [[""; 0]; 0]);
        let knows_another = ("a/inner.rs", "use crate::b::Far; pub fn of(_: super::Outer) {}");
        let another = ("b.rs", "use crate::a::Outer; pub struct Far;");
        let [cycle] = &found(&[("lib.rs", "mod a; mod b;"), parent, knows_another, another])[..]
        else {
            panic!("one")
        };
        let cycle_lines = [
            "a/inner.rs takes Far from b.rs",
            "a.rs takes of from a/inner.rs",
            "b.rs takes Outer from a.rs",
        ];
        assert_eq!(cycle[..], cycle_lines);
        let tested =
            ("b.rs", "pub struct Far; #[cfg(test)] mod tests { fn go() { crate::a::Outer; } }");
        assert_eq!(
            found(&[("lib.rs", "mod a; mod b;"), parent, knows_another, tested]),
            [[""; 0]; 0]
        );
    }

    #[test]
    fn what_macros_are_given_and_modules_that_are_brought_in_count() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub const A: u8 = 1; fn go() -> String { format!(\"{}\", crate::b::B) }"),
            ("b.rs", "use crate::a; pub const B: u8 = 2; fn go() -> u8 { a::A }"),
        ];
        let cycle_lines =
            ["a.rs takes B from b.rs", "b.rs takes A from a.rs", "b.rs takes a from a.rs"];
        assert_eq!(found(&files), [cycle_lines]);
        let inline = [
            ("lib.rs", "mod a;"),
            ("a.rs", "mod x; mod inner { pub struct I; } fn go() { x::f() }"),
        ];
        let child = ("a/x.rs", "use super::inner::I; pub fn f() {}");
        assert_eq!(
            found(&[inline[0], inline[1], child]),
            [[""; 0]; 0],
            "what stands in the parent's file"
        );
    }

    #[test]
    fn longer_cycles_are_found_and_two_stay_apart() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
            ("a.rs", "pub fn a() { crate::b::b() }"),
            ("b.rs", "pub fn b() { crate::c::c() }"),
            ("c.rs", "pub fn c() { crate::a::a() }"),
            ("d.rs", "use crate::e::E; use crate::a; pub struct D;"),
            ("e.rs", "use crate::d::{self, D as Other}; pub struct E;"),
        ];
        let mut lengths: Vec<usize> = found(&files).iter().map(Vec::len).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [3, 3], "a, b, c; d, e (which takes the file and a name)");
    }
}
