use std::ffi::OsString;

use nearfar_machine::Source;

use super::*;
use crate::launch::options::Dialect;
use crate::launch::request::LaunchRequest;

/// Follows a command line on this machine, in a file of its own in tmpfs; `FILE` in the line stands
/// for it.
fn followed(line: &str, file: &std::path::Path) -> Result<Vec<SharedAnswer>, LaunchError> {
    let words = line
        .split_whitespace()
        .map(|word| if word == "FILE" { file.into() } else { OsString::from(word) });
    let launch = LaunchRequest::parse(words.collect(), Dialect::Numactl)?.check(&Source::live())?;
    let mut work = SharedWork::default();
    let answers: Result<Vec<_>, _> = launch.shared.iter().map(|step| work.follow(step)).collect();
    Ok(answers?.into_iter().flatten().collect())
}

/// A place for a file in tmpfs, removed at the end; none where there is no tmpfs to write to.
fn place() -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir_in("/dev/shm").ok();
    if folder.is_none() {
        eprintln!("SKIPPED: /dev/shm cannot be written");
    }
    folder
}

fn policies(answers: &[SharedAnswer]) -> Vec<(u64, u64, &'static str)> {
    let policies = answers.iter().find_map(|answer| {
        if let SharedAnswer::Policies(policies) = answer { Some(policies) } else { None }
    });
    policies
        .unwrap()
        .iter()
        .map(|stretch| (stretch.start.0, stretch.end.0, stretch.policy))
        .collect()
}

#[test]
fn offsets_may_exceed_the_length() {
    let Some(folder) = place() else { return };
    let file = folder.path().join("x");
    followed("--length 1m --file FILE --dump", &file).unwrap();
    let answers = followed(
        "--offset 512k --length 256k --file FILE -i all --touch --verify --dump --dump-nodes",
        &file,
    )
    .unwrap();
    assert_eq!(policies(&answers), [(512 << 10, 768 << 10, "interleave")]);
    assert!(answers.contains(&SharedAnswer::Misplaced(Vec::new())), "{answers:?}");
    let SharedAnswer::Nodes(nodes) = &answers[2] else { panic!("{answers:?}") };
    assert_eq!(nodes.iter().map(|stretch| stretch.end.0 - stretch.start.0).sum::<u64>(), 256 << 10);
}

#[test]
fn existing_files_need_no_length() {
    let Some(folder) = place() else { return };
    let file = folder.path().join("x");
    let made = followed("--length 64k --file FILE -m all", &file).unwrap();
    assert!(matches!(&made[..], [SharedAnswer::Made(name)] if name.ends_with("/x")), "{made:?}");
    assert_eq!(policies(&followed("--file FILE --dump", &file).unwrap()), [(0, 64 << 10, "bind")]);
}

#[test]
fn weighted_interleave_is_kept_or_refused() {
    let Some(folder) = place() else { return };
    match followed("--length 64k --file FILE -w all --dump", &folder.path().join("x")) {
        Ok(answers) => assert_eq!(policies(&answers), [(0, 64 << 10, "weighted-interleave")]),
        Err(error) => assert!(error.to_string().contains("6.9"), "{error}"),
    }
}

#[test]
fn other_policies_are_reported() {
    let wanted = Policy::Bind(NodeSet::from_id(NodeId(1)));
    let difference = |what| MisplacedStretch::new(Stretch { bytes: 0..4096, what }, &wanted).what;
    assert_eq!(
        difference(Misplaced::OtherPolicy { found: Policy::Local }),
        "wrong policy local, expected bind"
    );
    let found = Policy::Bind(NodeSet::from_id(NodeId(0)));
    assert_eq!(difference(Misplaced::OtherPolicy { found }), "mismatched node mask 0, expected 1");
    assert_eq!(difference(Misplaced::OtherNode { found: Some(NodeId(3)) }), "unexpected node 3");
}

#[test]
fn errors_take_one_line() {
    let Some(folder) = place() else { return };
    for line in [
        "--file FILE --dump",
        "--length 100 --file FILE -l",
        "--offset 1 --length 4k --file FILE -l",
        "-I 99999999999 --dump",
        "-I 1999999999 --dump",
    ] {
        let refusal = followed(line, &folder.path().join("x")).unwrap_err().to_string();
        assert!(refusal.starts_with("--") && !refusal.contains('\n'), "{line}: {refusal}");
    }
}
