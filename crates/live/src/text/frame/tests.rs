use nearfar_machine::pmu::PmuRefusal;
use nearfar_model::{Bytes, CpuSet, NodeId};

use super::*;
use crate::text::csv;
use crate::{
    GroupRow, Interval, MachineRates, MovingMemory, NodeBytes, NodeRow, NodeThreads, PmuState,
    ProcessCounts, ProcessIdentity, ProcessRow, ProcessWhy, Prompt, SurveyBasis,
};

fn node(id: u32) -> NodeRow {
    NodeRow {
        node: NodeId(id),
        cpus: CpuSet::parse_list("0-3").unwrap(),
        total_bytes: Some(Bytes::gib(64)),
        used_bytes: Some(Bytes::gib(50)),
        free_bytes: Some(Bytes::gib(14)),
        file_bytes: Some(Bytes::gib(20)),
        transparent_huge_bytes: Some(Bytes::mib(512)),
        huge_total_bytes: Bytes::gib(2),
        huge_free_bytes: Bytes::gib(1),
        hit_pages_per_s: Some(1200.0),
        miss_pages_per_s: Some(0.0),
        foreign_pages_per_s: Some(0.0),
        local_bytes_per_s: Some(2.4e9),
        traffic_bytes_per_s: Some(3.0e9),
        ..NodeRow::default()
    }
}

fn process(pid: u32, name: &str) -> ProcessRow {
    let on = |node, gib| NodeBytes { node: NodeId(node), bytes: Bytes::gib(gib) };
    ProcessRow {
        pid,
        name: name.to_owned(),
        cpus: Some(3.875),
        memory_bytes: Bytes::gib(16),
        by_node: vec![on(0, 6), on(1, 10)],
        threads: Some(4),
        threads_by_node: vec![NodeThreads { node: NodeId(0), threads: 4 }],
        remote_share: Some(Interval { value: 0.62, ci95: [0.58, 0.66] }),
        remote_cost: Some(Interval { value: 0.48, ci95: [0.45, 0.51] }),
        moving: None,
        sampled_pages: 512,
        sample_age_s: Some(0.0),
        why: None,
        ..ProcessRow::default()
    }
}

fn tick() -> Tick {
    let mut moving = process(4242, "moving");
    let (from, to) = (NodeId(1), NodeId(0));
    moving.moving = Some(MovingMemory { from, to, bytes_per_s: 1.2e8 });
    let new = ProcessRow {
        remote_share: None,
        remote_cost: None,
        by_node: Vec::new(),
        threads_by_node: Vec::new(),
        why: Some(ProcessWhy::NotSampled),
        ..process(7, "new\u{1b}[2J")
    };
    Tick {
        schema: crate::SCHEMA.to_owned(),
        time: "2026-11-26T14:33:02Z".to_owned(),
        interval_s: 1.0,
        machine: MachineRates {
            migrated_bytes_per_s: Some(1.2e8),
            hint_faults_per_s: Some(120.0),
            hint_faults_local_share: Some(0.93),
            memory_wait_some: Some(0.004),
            ..MachineRates::default()
        },
        nodes: vec![node(0), node(1)],
        processes: vec![process(1, "db"), moving, new],
        cgroups: None,
        counts: ProcessCounts { matching: 1000, readable: 1003, of_others: Some(12) },
        pmu: None,
        survey: Some(SurveyBasis { started: "2026-11-20T08:00:00Z".into(), remote_ratio: 1.78 }),
        counters: None,
    }
}

fn plain(lines: &[String]) -> String {
    lines.iter().map(|line| without_colours(line) + "\n").collect()
}

fn without_colours(line: &str) -> String {
    let mut plain = String::new();
    let mut parts = line.split('\u{1b}');
    plain += parts.next().unwrap_or_default();
    for part in parts {
        plain += part.split_once('m').map_or("", |(_, text)| text);
    }
    plain
}

#[test]
fn a_tick_for_a_pipe_has_all_rows() {
    let text = once(&tick(), &View::default(), 100);
    let wanted = "\
14:33:02  1000 of 1003 processes  by remote
migrated 114M/s  hint faults 120/s, 93% local  memory wait 0%
own processes only: root also sees 12 of other users
cost if all pages are used equally: remote up to 1.78 times local (2026-11-20)

NODE  TOTAL   USED   FREE   FILE   ANON  HUGE free/all  HIT/s  MISS/s           TRAFFIC  CPUS
   0    64G    50G    14G    20G      -      1.0G/2.0G   1.2k       0  2.8G/s 80% local  0-3
   1    64G    50G    14G    20G      -      1.0G/2.0G   1.2k       0  2.8G/s 80% local  0-3

    PID   CPU%  MEMORY    REMOTE↓  COST       MOVES      MEMORY ON  THREADS ON  COMMAND
      1  387.5     16G  62% 58-66  +48%               0:6.0G 1:10G         0:4  db
   4242  387.5     16G  62% 58-66  +48%  1>0 114M/s   0:6.0G 1:10G         0:4  moving
      7  387.5     16G        ...                                               new\u{fffd}[2J
and 997 more processes
";
    assert_eq!(text, wanted);
}

/// Surveys of a machine with one node are no reason: nothing is remote there.
#[test]
fn the_reason_for_no_cost_is_the_true_one() {
    let mut without = tick();
    without.survey = None;
    let text = once(&without, &View::default(), 100);
    assert!(text.contains("remote cost: unknown, no kept survey has latencies of"), "{text}");
    without.nodes.truncate(1);
    let text = once(&without, &View::default(), 100);
    assert!(text.contains("remote cost: none, one node has all memory\n"), "{text}");
    assert!(!text.contains("survey"), "{text}");
}

#[test]
fn hidden_processes_are_reported() {
    let mut hiding = tick();
    hiding.counts.of_others = None;
    let text = once(&hiding, &View::default(), 100);
    assert!(text.contains("other processes may be hidden: 'nearfar doctor' shows why\n"));
}

#[test]
fn every_size_fits() {
    let mut groups = tick();
    groups.cgroups = Some(Vec::new());
    let view = View { selected: 1, ..View::default() };
    let typing =
        View { prompt: Some(Prompt::Filter), filter: "\u{202e}x".repeat(40), ..View::default() };
    let help = View { help: true, ..View::default() };
    let in_groups = View { groups: true, ..View::default() };
    for width in 0..130 {
        for height in [0, 1, 2, 3, 5, 8, 24, 60] {
            for (tick, view) in
                [(&tick(), &view), (&tick(), &typing), (&tick(), &help), (&groups, &in_groups)]
            {
                let Frame { lines, page, .. } = frame(tick, view, width, height);
                assert!(lines.len() <= height && page <= height, "{width}x{height}: {lines:#?}");
                let text = plain(&lines);
                assert!(
                    text.lines().all(|line| line.chars().count() <= width),
                    "{width}x{height}: {text}"
                );
                assert!(!text.contains('\u{202e}'));
            }
        }
    }
}

#[test]
fn twenty_columns_show_the_share_and_the_name() {
    let text = plain(&frame(&tick(), &View::default(), 20, 24).lines);
    assert!(text.contains("62% 58-66  db"), "{text}");
    assert!(text.contains("62% 58-66  moving"), "{text}");
}

#[test]
fn the_selected_line_is_on_the_page() {
    let mut view = View { selected: 2, ..View::default() };
    view.keep_in(3, 1);
    let Frame { lines, page, .. } = frame(&tick(), &view, 80, 7);
    assert_eq!(page, 2);
    let selected = lines.iter().find(|line| line.contains("\u{1b}[7m")).unwrap();
    assert!(selected.contains("new"), "{lines:#?}");
    assert!(lines.last().unwrap().starts_with("F1 help"), "{lines:#?}");
}

#[test]
fn many_nodes_leave_room_for_processes() {
    let mut many = tick();
    many.nodes = (0..64).map(node).collect();
    let text = plain(&frame(&many, &View::default(), 80, 24).lines);
    assert!(text.contains("and 58 nodes\n") && text.contains("  db"), "{text}");
}

#[test]
fn control_groups_have_a_list_of_their_own() {
    let mut tick = tick();
    tick.cgroups = Some(vec![GroupRow {
        name: "/system.slice/db.service".to_owned(),
        cpus: Some(0.5),
        memory_bytes: Bytes::gib(3),
        anonymous_bytes: Bytes::gib(2),
        file_bytes: Bytes::gib(1),
        by_node: vec![NodeBytes { node: NodeId(1), bytes: Bytes::gib(3) }],
        tasks: Some(9),
        remote_share: Some(1.0),
        moving: None,
        memory_wait_some: None,
        why: None,
    }]);
    let view = View { groups: true, ..View::default() };
    let text = once(&tick, &view, 80);
    assert!(text.starts_with("14:33:02  1 control group  by remote\n"), "{text}");
    assert!(text.ends_with("1:3.0G  /system.slice/db.service\n"), "{text}");
}

#[test]
fn fills_and_latencies_have_columns_where_they_are_counted() {
    let mut tick = tick();
    let plain = once(&tick, &View::default(), 200);
    assert!(!plain.contains("FILLS") && !plain.contains("fills"), "{plain}");
    tick.nodes[1] = NodeRow {
        local_fills_per_s: Some(3.6e7),
        remote_fills_per_s: Some(4e6),
        near_memory_ns: Some(117.6),
        ..node(1)
    };
    let wide = once(&tick, &View::default(), 200);
    for part in ["FILLS", "40M/s 10% remote", "NEAR/FAR ns", "118/-"] {
        assert!(wide.contains(part), "{part}: {wide}");
    }
    let refusal = Some(PmuRefusal::Paranoid { level: 2, needed: 0 });
    tick.pmu = Some(PmuState { refusal, ..PmuState::default() });
    let refused = once(&tick, &View::default(), 100);
    let line = "\nno fills: kernel.perf_event_paranoid is 2; 0 or CAP_PERFMON allows it\n";
    assert!(refused.contains(line), "{refused}");
}

#[test]
fn dram_has_a_column_where_it_is_counted() {
    let mut tick = tick();
    let plain = once(&tick, &View::default(), 200);
    assert!(!plain.contains("DRAM"), "{plain}");
    tick.nodes[1] = NodeRow {
        dram_read_bytes_per_s: Some(8.0e9),
        dram_written_bytes_per_s: Some(4.0e9),
        ..node(1)
    };
    let wide = once(&tick, &View::default(), 200);
    assert!(wide.contains("DRAM") && wide.contains("  11G/s 67% read  "), "{wide}");
}

#[test]
fn the_help_has_the_columns_of_the_screen() {
    let help = |tick: &Tick, groups| {
        let view = View { help: true, groups, ..View::default() };
        plain(&frame(tick, &view, 80, 80).lines)
    };
    let mut tick = tick();
    let text = help(&tick, false);
    assert!(
        text.contains("\n  HIT/s              pages allocated on the node as intended\n"),
        "{text}"
    );
    assert!(
        text.contains("\n  REMOTE             share of memory") && !text.contains("DRAM"),
        "{text}"
    );
    tick.nodes[1].dram_read_bytes_per_s = Some(0.0);
    tick.nodes[1].dram_written_bytes_per_s = Some(0.0);
    tick.cgroups = Some(Vec::new());
    let text = help(&tick, true);
    assert!(text.contains("\n  DRAM   ") && text.contains("\n  WAIT   "), "{text}");
}

#[test]
fn nodes_are_figures_for_a_spreadsheet() {
    let text = csv(&tick(), true);
    let (head, rows) = text.split_once('\n').unwrap();
    assert!(head.starts_with("time,interval_s,node,total_bytes,used_bytes,"), "{head}");
    assert!(rows.starts_with("2026-11-26T14:33:02Z,1,0,68719476736,53687091200,"), "{rows}");
    assert_eq!((rows.lines().count(), csv(&tick(), false).as_str()), (2, rows));
}

#[test]
fn reasons_of_dram_are_shown_once() {
    let paranoid = Some(PmuRefusal::Paranoid { level: 2, needed: 0 });
    let shown = |refusal: &Option<PmuRefusal>, dram_refusal: &Option<PmuRefusal>| {
        let (refusal, dram_refusal) = (refusal.clone(), dram_refusal.clone());
        let pmu = Some(PmuState { events: None, refusal, dram_refusal });
        once(&Tick { pmu, ..tick() }, &View::default(), 100)
    };
    let line = "no DRAM traffic: kernel.perf_event_paranoid is 2; 0 or CAP_PERFMON allows it\n";
    let both = shown(&paranoid, &paranoid);
    assert!(both.contains("no fills:") && !both.contains("DRAM"), "{both}");
    let alone = shown(&None, &paranoid);
    assert!(alone.contains(line) && !alone.contains("no fills:"), "{alone}");
    let two = shown(&Some(PmuRefusal::UnknownArchitecture), &paranoid);
    assert!(two.contains(line) && two.contains("no fills:"), "{two}");
}

/// F1 at 80x24 has all keys; the rest is below.
#[test]
fn the_help_is_never_cut() {
    let mut view = View { help: true, ..View::default() };
    let first = plain(&frame(&tick(), &view, 80, 24).lines);
    assert!(first.contains("\n  H ") && first.contains("PgDn, PgUp; q ends it"), "{first}");
    for width in [20, 40, 60, 80, 120] {
        let mut words = String::new();
        view.panel_first = 0;
        loop {
            let Frame { lines, page, panel_first } = frame(&tick(), &view, width, 24);
            words += &lines[..23].join(" ");
            words.push(' ');
            if panel_first < view.panel_first {
                break;
            }
            view.panel_first += page;
        }
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        for wanted in ["where the selected process's memory is, with", "not sampled yet: what is"] {
            assert!(words.contains(wanted), "{width}: {wanted} in {words}");
        }
    }
}

#[test]
fn an_active_filter_is_shown_on_every_screen() {
    let filter = View { filter: "postgres".to_owned(), ..View::default() };
    let user = View { user: "db".to_owned(), ..View::default() };
    let pids = View { pids: vec![7, 4242], ..View::default() };
    for width in [20, 40, 50, 60, 80, 120] {
        for (view, wanted) in
            [(&filter, "filter: postgres"), (&user, "user: db"), (&pids, "PID: 7,4242")]
        {
            let lines = frame(&tick(), view, width, 24).lines;
            assert!(lines[0].contains(wanted), "{width}: {lines:#?}");
        }
    }
}

#[test]
fn answers_to_keys_stand_in_the_last_line() {
    let last = |view: &View, width| frame(&tick(), view, width, 24).lines.pop().unwrap();
    let question = View { question: "End db (process 1)?".to_owned(), ..View::default() };
    assert_eq!(last(&question, 80), "End db (process 1)?");
    let status = View { status: "H: no".to_owned(), ..View::default() };
    assert_eq!(last(&status, 80), "H: no");
    assert_eq!(last(&View::default(), 20), "F1 help  q quit");
    assert_eq!(last(&View::default(), 30), "F1 help  q quit  Enter where");
}

#[test]
fn one_interval_has_the_counters_below_and_the_answer_last() {
    let screen = |tick: &Tick| super::screen(tick, &View::default(), 80);
    let Screen { first, rest, last } = screen(&tick());
    let lines = first.lines().count() + last.lines().count() + 1;
    assert!(lines <= 24, "{lines}:\n{first}");
    assert!(first.contains("  db\n") && rest.contains("and 997 more processes"), "{rest}");
    assert!(last.contains("Most remote memory: moving (process 4242), 62% of 16G."), "{last}");
    let mut one = tick();
    one.nodes.truncate(1);
    assert!(screen(&one).last.contains("Nothing is remote"), "{}", screen(&one).last);
    let mut local = tick();
    local.processes.iter_mut().for_each(|row| row.remote_share = None);
    assert!(screen(&local).last.contains("no process was sampled"));
}

#[test]
fn command_lines_and_users_have_columns() {
    let mut tick = tick();
    tick.processes[0].identity = ProcessIdentity {
        user: "postgres-long".to_owned(),
        command: "/usr/lib/db -D /data".to_owned(),
        depth: 1,
        ..ProcessIdentity::default()
    };
    let text = once(&tick, &View::default(), 120);
    assert!(text.contains("      1  postgres  387.5 ") && text.contains("|- /usr/lib/db -D /data"));
    for width in [40, 60, 80, 120] {
        let lines = once(&tick, &View::default(), width);
        assert!(lines.lines().all(|line| line.chars().count() <= width), "{width}: {lines}");
    }
}
