use super::*;
use crate::worker::tests::handmade::{job, machine, process, workers_of};

const REMOTE: &str = "rank 2 (process 102): 100 % of its own 64 MiB is remote to its threads";

fn judged(condition: &str, pids: &[u32]) -> ConditionResult {
    let condition: PlacementCondition = condition.parse().unwrap();
    condition.judge(&workers_of(&job(), pids), &[])
}

#[test]
fn the_misplaced_rank_is_found_and_no_other() {
    let all = [90, 100, 101, 102, 103];
    for (condition, why) in [
        ("remote>5%", REMOTE),
        ("remote > 32M", REMOTE),
        (
            "threads-off-node",
            "rank 2 (process 102): 100 % of its CPU time is not on node 0, which has most of its \
             own memory",
        ),
    ] {
        let result = judged(condition, &all[1..]);
        assert_eq!((result.holds, &result.because[..]), (Holds::Yes, &[why.to_owned()][..]));
        assert_eq!(judged(condition, &[100, 101, 103]).holds, Holds::No, "{condition}");
    }
    for condition in ["remote>64M", "shared-cpus"] {
        assert_eq!(judged(condition, &all).holds, Holds::No, "{condition}");
    }
    assert_eq!(judged("unbound", &all[1..]).holds, Holds::No);
    let script = judged("unbound", &all);
    assert_eq!(script.because, ["process 90: it may run on nodes 0-3"]);
}

#[test]
fn what_is_not_known_does_not_pass() {
    let condition: PlacementCondition = "remote>5%".parse().unwrap();
    let workers = workers_of(&job(), &[100]);
    let unread = ["process 7: not yours".to_owned()];
    let result = condition.judge(&workers, &unread);
    assert_eq!((result.holds, &result.because[..]), (Holds::Undetermined, &unread[..]));
    let worst = condition.judge(&workers_of(&job(), &[102]), &unread);
    assert_eq!((worst.holds, worst.because.len()), (Holds::Yes, 1));
    // The open files of a capture are unknown.
    assert_eq!(judged("far-gpu", &[100]).holds, Holds::Undetermined);
}

#[test]
fn what_has_no_rank_or_no_home_is_undetermined() {
    assert_eq!(judged("shared-cpus", &[90]).holds, Holds::Undetermined);
    let source = machine(process(7, 0, "0-1", &[(0, 9000), (1, 9000)]));
    let condition: PlacementCondition = "threads-off-node".parse().unwrap();
    assert_eq!(condition.judge(&workers_of(&source, &[7]), &[]).holds, Holds::Undetermined);
}

#[test]
fn small_processes_have_no_remote_memory_that_counts() {
    let source = machine(process(7, 0, "0-1", &[(3, 4000)]));
    let condition: PlacementCondition = "remote>5%".parse().unwrap();
    assert_eq!(condition.judge(&workers_of(&source, &[7]), &[]).holds, Holds::No);
}

#[test]
fn libraries_of_other_nodes_do_not_count() {
    let mut files = process(7, 0, "0-1", &[(0, 9000)]);
    let maps = "01a00000-03d28000 rw-p 00000000 00:00 0 [heap]\n\
                7f0000000000-7f0000001000 r--p 00000000 08:01 5 /usr/lib/libtorch.so\n\
                7f0000001000-7f0004000000 r-xp 00001000 08:01 5 /usr/lib/libtorch.so\n\
                7f0004000000-7f0008000000 r--p 00000000 08:01 6 /srv/model.gguf\n";
    let library = "7f0000001000 default file=/usr/lib/libtorch.so mapped=9000 N3=9000 \
                   kernelpagesize_kB=4\n";
    files.push(("/proc/7/maps".to_owned(), maps.to_owned()));
    let judged = |files: &[(String, String)], more: &str| {
        let mut files = files.to_vec();
        let numa_maps = files.iter_mut().find(|(path, _)| path == "/proc/7/numa_maps").unwrap();
        numa_maps.1 += more;
        let condition: PlacementCondition = "remote>5%".parse().unwrap();
        condition.judge(&workers_of(&machine(files), &[7]), &[]).holds
    };
    assert_eq!(judged(&files, library), Holds::No);
    let model = library.replace("7f0000001000", "7f0004000000").replace("libtorch.so", "model");
    assert_eq!(judged(&files, &model), Holds::Yes, "a mapped model counts");
}

#[test]
fn nonsense_is_refused_with_the_grammar() {
    for text in [
        "",
        "remote",
        "remote>",
        "remote>x",
        "remote>-1%",
        "remote>100%",
        "remote<5%",
        "far-",
        "far-usb",
        "far-gpu>5%",
        "unbound>1",
        "threads-off-node>",
        "shared",
        "remote>nan%",
    ] {
        assert_eq!(text.parse::<PlacementCondition>(), Err(BadPlacementCondition), "{text}");
    }
    for text in ["remote>0%", "remote > 1.5%", "remote>2G", "threads-off-node>10%", "far-nic"] {
        assert_eq!(text.parse::<PlacementCondition>().unwrap().to_string(), text);
    }
}
