//! Files of a crate that depend on one another in a circle: whoever changes one of them has to know them all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::bail;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use crate::modules::{Arrow, Modules};

/// Checks every crate of the workspace: tests and re-exports make no circle.
pub(crate) fn check() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let mut told = Vec::new();
    let mut count = 0;
    for file in roots(&root)? {
        for circle in circles(&Modules::read(&file)?.arrows()) {
            count += 1;
            told.push(format!("circle {count}:"));
            told.extend(circle.iter().map(|arrow| "  ".to_owned() + &line(arrow, &root)));
        }
    }
    if count > 0 {
        bail!("files depend on one another in {count} circles:\n  {}", told.join("\n  "));
    }
    println!("cycles: none between files");
    Ok(())
}

/// The root files of all crates.
fn roots(workspace: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut folders = vec![workspace.join("lab"), workspace.join("xtask")];
    for parent in ["crates", "lab"] {
        for entry in std::fs::read_dir(workspace.join(parent))? {
            folders.push(entry?.path());
        }
    }
    folders.sort();
    let files = folders.iter().flat_map(|folder| ["src/lib.rs", "src/main.rs"].map(|file| folder.join(file)));
    Ok(files.filter(|file| file.exists()).collect())
}

/// The arrows of each circle.
fn circles(arrows: &[Arrow]) -> Vec<Vec<&Arrow>> {
    let graph: DiGraphMap<&Path, ()> = arrows.iter().map(|arrow| (&*arrow.from, &*arrow.to)).collect();
    let groups = tarjan_scc(&graph).into_iter().filter(|files| files.len() > 1);
    let group_of: BTreeMap<&Path, usize> =
        groups.enumerate().flat_map(|(group, files)| files.into_iter().map(move |file| (file, group))).collect();
    let mut circles: BTreeMap<usize, Vec<&Arrow>> = BTreeMap::new();
    for arrow in arrows {
        match (group_of.get(&*arrow.from), group_of.get(&*arrow.to)) {
            (Some(from), Some(to)) if from == to => circles.entry(*from).or_default().push(arrow),
            _ => {}
        }
    }
    circles.into_values().collect()
}

fn line(arrow: &Arrow, root: &Path) -> String {
    let [from, to] = [&arrow.from, &arrow.to].map(|file| file.strip_prefix(root).unwrap_or(file).display());
    format!("{from} takes {} from {to}", arrow.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The circles of a crate of these files: names of who takes what.
    fn found(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let arrows = Modules::read(&folder.path().join("lib.rs")).unwrap().arrows();
        let lines = |circle: Vec<&Arrow>| circle.into_iter().map(|arrow| line(arrow, folder.path())).collect();
        circles(&arrows).into_iter().map(lines).collect()
    }

    #[test]
    fn two_files_that_take_from_each_other_are_a_circle() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::Far; pub struct Near;"),
            ("b.rs", "use super::a::Near; pub struct Far;"),
        ];
        assert_eq!(found(&files), [["a.rs takes Far from b.rs", "b.rs takes Near from a.rs"]]);
    }

    #[test]
    fn a_name_is_followed_through_re_exports_and_they_are_no_arrows() {
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
    fn a_parent_and_its_children_are_one_idea_and_tests_make_no_circle() {
        let parent = ("a.rs", "mod inner; pub struct Outer; fn go() { inner::of(Outer) }");
        let child = ("a/inner.rs", "use super::Outer; pub fn of(_: Outer) {}");
        assert_eq!(found(&[("lib.rs", "mod a;"), parent, child]), [[""; 0]; 0]);
        let knows_another = ("a/inner.rs", "use crate::b::Far; pub fn of(_: super::Outer) {}");
        let another = ("b.rs", "use crate::a::Outer; pub struct Far;");
        let [circle] = &found(&[("lib.rs", "mod a; mod b;"), parent, knows_another, another])[..] else {
            panic!("one")
        };
        let told = ["a/inner.rs takes Far from b.rs", "a.rs takes of from a/inner.rs", "b.rs takes Outer from a.rs"];
        assert_eq!(circle[..], told);
        let tested = ("b.rs", "pub struct Far; #[cfg(test)] mod tests { fn go() { crate::a::Outer; } }");
        assert_eq!(found(&[("lib.rs", "mod a; mod b;"), parent, knows_another, tested]), [[""; 0]; 0]);
    }

    #[test]
    fn what_macros_are_given_and_modules_that_are_brought_in_count() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub const A: u8 = 1; fn go() -> String { format!(\"{}\", crate::b::B) }"),
            ("b.rs", "use crate::a; pub const B: u8 = 2; fn go() -> u8 { a::A }"),
        ];
        let told = ["a.rs takes B from b.rs", "b.rs takes A from a.rs", "b.rs takes a from a.rs"];
        assert_eq!(found(&files), [told]);
        let inline = [("lib.rs", "mod a;"), ("a.rs", "mod x; mod inner { pub struct I; } fn go() { x::f() }")];
        let child = ("a/x.rs", "use super::inner::I; pub fn f() {}");
        assert_eq!(found(&[inline[0], inline[1], child]), [[""; 0]; 0], "what stands in the parent's file");
    }

    #[test]
    fn longer_circles_are_found_and_two_stay_apart() {
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
