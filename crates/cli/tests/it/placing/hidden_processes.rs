//! Processes of other users, visible in `/proc` or not.

use crate::other_user::{OtherUser, Proc};
use crate::user::{refusal, skip, stderr, stdout};

const EVERYWHERE: &str = "--cpus all --nodes all";

#[test]
fn another_users_process_is_refused() {
    let Some(other) = OtherUser::new() else { return };
    let command = format!("move 1 {EVERYWHERE}");
    for proc in [Proc::ShowsAll, Proc::HidesOthers] {
        for words in ["where 1", "explain 1", &command] {
            let output = other.run(proc, words);
            assert_eq!(output.status.code(), Some(1), "{proc:?} {words}");
            let shown = stdout(&output) + &stderr(&output);
            let why = ["belongs to another user", "must be yours"];
            assert!(why.iter().any(|why| shown.contains(why)), "{proc:?} {words}: {shown}");
        }
    }
    let output = other.run(Proc::ShowsAll, &command);
    assert!(stdout(&output).contains("no page moved"), "{}", stdout(&output));
}

#[test]
fn hidden_processes_are_not_called_missing() {
    let Some(other) = OtherUser::new() else { return };
    let (status, message) = refusal(&other.run(Proc::HidesOthers, "where no-such-name"));
    assert!(status == 1 && message.contains("hidepid"), "{message}");
    let numastat = "n=${nearfar%/*}/numastat; ln -s $nearfar $n; $as_other $n no-such-name";
    let message = stderr(&other.run_lines(Proc::HidesOthers, numastat));
    assert!(message.starts_with("numastat: Found no processes"), "{message}");
    assert!(message.contains("hidepid"), "{message}");
    let message = refusal(&other.run(Proc::ShowsAll, "where no-such-name")).1;
    assert!(message.contains("only those of this PID namespace"), "{message}");
    let message = refusal(&other.run(Proc::HidesOthers, "where 1")).1;
    assert!(message.contains("process 1 exists, and /proc hides it"), "{message}");
    // Of this namespace it is known that it has no such process.
    let message = refusal(&other.run(Proc::HidesOthers, "where 4000000")).1;
    assert!(message.contains("this PID namespace has no process 4000000"), "{message}");
}

#[test]
fn an_own_process_1_is_no_proof_that_all_are_visible() {
    let Some(other) = OtherUser::new() else { return };
    let lines = "sleep 60 & \
                 exec $as_other $nearfar where sleep";
    let message = refusal(&other.run_lines(Proc::HidesOthers, lines)).1;
    assert!(message.contains("hidepid"), "{message}");
}

#[test]
fn a_proc_of_another_namespace_is_refused() {
    let Some(other) = OtherUser::new() else { return };
    for words in ["where 1", "where sh", "move 1 --cpus all", "explain 1", "top --once"] {
        let lines = format!("unshare --pid --fork $nearfar {words}; exit $?");
        let (status, message) = refusal(&other.run_lines(Proc::ShowsAll, &lines));
        assert_eq!(status, 1, "{words}");
        assert!(message.contains("/proc shows processes of another PID namespace"), "{message}");
    }
}

/// Lines that make `$d/sleep`, a set-uid program: a child of this user, and root's.
const SET_UID: &str = "d=${nearfar%/*}/programs; mkdir $d && mount -t tmpfs none $d 2>/dev/null && \
                       cp \"$(command -v sleep)\" $d/sleep && chmod 4755 $d/sleep || exit 98\n";
/// The status of lines that made none.
const NO_SET_UID: Option<i32> = Some(98);

#[test]
fn a_hidden_child_is_refused() {
    let Some(other) = OtherUser::new() else { return };
    let lines = format!(
        "{SET_UID}\
         $as_other sh -c \"$d/sleep 60 & exec sleep 60\" &\n\
         own=$!; n=0; children=/proc/$own/task/$own/children\n\
         [ -r $children ] || exit 98\n\
         until child=$(cat $children) && grep -q '^Uid:.65534.0' /proc/${{child% }}/status; do\n\
         n=$((n + 1)); [ $n -gt 100 ] && exit 98; sleep 0.1; done 2>/dev/null\n\
         $as_other $nearfar move $own {EVERYWHERE}; exit $?"
    );
    let output = other.run_lines(Proc::HidesOthers, &lines);
    if output.status.code() == NO_SET_UID {
        return skip("no set-uid programs, or no list of children");
    }
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stdout(&output).contains("/proc hides it"), "{}", stdout(&output));
}

#[test]
fn a_hidden_zombie_is_not_left_behind() {
    let Some(other) = OtherUser::new() else { return };
    let options = "--placement unbound --runs 2 --warmup 0 --no-pages -o -";
    // The pipe ends with the child, which its parent then does not reap.
    let lines = format!(
        "{SET_UID}export XDG_DATA_HOME=$d/data; mkdir -m 777 $d/data; mkfifo -m 666 $d/end\n\
         $as_other $nearfar sweep {options} -- \
         sh -c \"$d/sleep 0.01 >$d/end & cat $d/end; exec sleep 0.5\""
    );
    let output = other.run_lines(Proc::HidesOthers, &lines);
    if output.status.code() == NO_SET_UID {
        return skip("no set-uid programs");
    }
    let document = stdout(&output);
    assert!(document.contains("\"exit\":{\"how\":\"exited\""), "{}", stderr(&output));
    assert!(!document.contains("left_behind"), "{document}");
}
