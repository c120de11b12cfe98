use nearfar_machine::Source;
use nearfar_view::terminal::width;

use super::*;
use crate::worker::tests::handmade::{job, machine, process, processes};
use crate::{UnreadableProcess, WhereResult};

fn shown(source: &Source, pids: &[u32], unreadable: Vec<UnreadableProcess>) -> Screen {
    let processes = processes(source, pids).into_iter();
    let memories = processes.map(|(memory, _)| memory).collect();
    screen(&WhereResult::new(source, memories, unreadable, Vec::new(), &[]))
}

#[test]
fn processes_have_a_line_each_and_a_total() {
    let denied = UnreadableProcess {
        pid: 7,
        name: "other\n".into(),
        why: "not yours".into(),
        has_ended: false,
    };
    let mut files = process(51, 0, "0-1", &[(0, 4096), (1, 4096)]);
    files.extend(process(52, 0, "0-1", &[(0, 4096), (1, 4096)]));
    let Screen { first, rest, last } = shown(&machine(files), &[51, 52], vec![denied]);
    let lines: Vec<&str> = first.lines().collect();
    assert_eq!(lines.len(), 7, "{first}");
    assert_eq!(lines[0], "2 processes: 64 MiB, 50 % remote to their threads");
    assert!(last.contains(lines[0]), "{last}");
    assert!(lines[3].ends_with("50 %  train --fast"), "{first}");
    assert!(lines[5].starts_with("total        2  64 MiB"), "{first}");
    assert!(lines[5].trim_end().ends_with("50 %"), "{first}");
    assert_eq!(rest, "7 (other\u{fffd}): not yours\n");
}

#[test]
fn a_jobs_misplaced_rank_is_in_the_first_line() {
    let Screen { first, last, .. } = shown(&job(), &[90, 100, 101, 102, 103], vec![]);
    let answer = "4 ranks and 1 other process: 257 MiB, 25 % remote to their threads; rank 2";
    assert!(first.starts_with(answer), "{first}");
    assert!(last.contains("rank 2 (process 102) does not"), "{last}");
    assert!(first.contains("All run: train --fast"), "{first}");
    assert!(first.contains("nearfar move 102 --nodes 2"), "{first}");
    let line =
        first.lines().find(|line| line.contains("  102  ")).unwrap_or_else(|| panic!("{first}"));
    assert!(line.contains("100 %  2        100 % remote"), "{first}");
}

#[test]
fn the_first_screen_fits_and_no_line_is_too_wide() {
    let job = job();
    for columns in [40, 60, 80, 120] {
        let text = width::with(columns, || shown(&job, &[90, 100, 101, 102, 103], vec![]).plain());
        for line in text.lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
    }
    let Screen { first, rest, last } = shown(&job, &[100; 30], vec![]);
    assert!(first.lines().count() + last.lines().count() < MAX_LINES, "{first}");
    assert!(rest.is_empty(), "{rest}");
}
