//! `nearfar doctor` on this host, as a user, and in a sandbox that denies calls.

use nearfar_firmware::linux::KernelVersion;
use serde_json::{Value, json};

use crate::other_user::{OtherUser, Proc};
use crate::user::{User, confined, document, nearfar, skip, stderr, success};

/// The check of a facility.
fn check<'a>(document: &'a Value, facility: &str) -> &'a Value {
    let checks = document["checks"].as_array().unwrap();
    checks.iter().find(|check| check["facility"] == facility).unwrap()
}

#[test]
fn each_facility_is_available_or_has_a_reason() {
    let document = document(&User::new().run(&["doctor", "--json"]));
    assert_eq!(document["schema"], "nearfar.doctor/1");
    let checks = document["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 22);
    for check in checks {
        let is_allowed = check["state"] == "allowed";
        assert_eq!(check["reason"].is_null(), is_allowed, "{check}");
        let uses = [&check["disables"], &check["limits"]];
        let count: usize = uses.iter().map(|list| list.as_array().unwrap().len()).sum();
        assert_eq!(count > 0, !is_allowed, "{check}");
    }
}

#[test]
fn denied_calls_have_their_container_options() {
    let user = User::new();
    let sandboxed = |args: &[&str]| {
        let denied = ["--deny-memory-policy", "--deny-affinity", nearfar(), "doctor"];
        user.through(confined(), &[&denied, args].concat()).output().unwrap()
    };
    let document = document(&sandboxed(&["--json"]));
    assert_eq!(document["process"]["has_seccomp_filter"], true);
    for (facility, call, options) in [
        ("memory-policy", "mbind", "--cap-add SYS_NICE"),
        ("page-query", "move_pages", "--security-opt seccomp=unconfined"),
        ("page-migration", "migrate_pages", "--security-opt seccomp=unconfined"),
        ("cpu-affinity", "sched_setaffinity", "--security-opt seccomp=unconfined"),
    ] {
        let check = check(&document, facility);
        assert_eq!(check["state"], "refused", "{check}");
        assert_eq!(check["reason"]["call"], call);
        let remedies = check["remedies"].as_array().unwrap();
        assert!(remedies.iter().any(|remedy| remedy["options"] == options), "{check}");
        assert!(remedies.iter().any(|remedy| remedy["code"] == "kubernetes"), "{check}");
    }
    let text = success(&sandboxed(&[]));
    assert!(text.contains("memory policies: refused\n    Reason      mbind was refused"), "{text}");
    assert!(
        text.contains("\n    Kubernetes  securityContext: {capabilities: {add: [SYS_NICE]}}\n")
    );
}

#[test]
fn a_profile_that_is_older_than_a_call_hides_only_that() {
    let user = User::new();
    let args = ["--hide-home-node", nearfar(), "doctor", "--json"];
    let document = document(&user.through(confined(), &args).output().unwrap());
    let check = check(&document, "newer-policies");
    let missing = check["reason"]["missing"].as_array().unwrap();
    let home = missing.iter().find(|one| one["used_by"] == "nearfar_place::set_home_node").unwrap();
    // A kernel from Linux 5.17 on has the call.
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let is_newer = KernelVersion::parse(&release) >= Some(KernelVersion::new(5, 17));
    let cause = if is_newer { "filter" } else { "kernel-or-filter" };
    assert_eq!(home["cause"], cause, "{check}");
    assert!(missing.iter().all(|one| one == home || one["cause"] == "kernel"), "{check}");
    assert_eq!(check["disables"].as_array().unwrap().len(), missing.len(), "{check}");
    let remedies = check["remedies"].as_array().unwrap();
    for code in ["docker", "kubernetes"] {
        assert!(remedies.iter().any(|remedy| remedy["code"] == code), "{check}");
    }
    let is_older = !is_newer || missing.len() > 1;
    assert_eq!(remedies.iter().any(|remedy| remedy["code"] == "kernel"), is_older, "{check}");
}

#[test]
fn a_pid_namespace_shows_only_its_own_processes() {
    let user = User::new();
    let args = ["--pid", "--fork", "--mount-proc", nearfar(), "doctor", "--json"];
    let Ok(output) = user.through("unshare", &args).output() else {
        return skip("no unshare");
    };
    if stderr(&output).starts_with("unshare: ") {
        return skip("unshare needs root");
    }
    let document = document(&output);
    let check = check(&document, "other-processes");
    assert_eq!((&check["state"], &check["disables"]), (&"limited".into(), &json!([])));
    assert_eq!(check["reason"]["by"], "pid-namespace");
}

#[test]
fn hidden_processes_have_their_reason() {
    let Some(other) = OtherUser::new() else { return };
    let document = document(&other.run(Proc::HidesOthers, "doctor --json"));
    let check = check(&document, "other-processes");
    assert_eq!(
        (&check["state"], &check["reason"]["by"]),
        (&"limited".into(), &"mount-option".into())
    );
}

#[test]
fn a_user_has_fewer_rights_than_root() {
    let user = User::new();
    let as_other =
        ["--reuid", "65534", "--regid", "65534", "--clear-groups", nearfar(), "doctor", "--json"];
    let Ok(output) = user.through("setpriv", &as_other).output() else {
        return skip("no setpriv");
    };
    if stderr(&output).starts_with("setpriv: ") {
        return skip("setpriv needs root, and the program has to be readable by all");
    }
    let document = document(&output);
    assert_eq!(document["process"]["user"], 65534);
    let addresses = check(&document, "physical-addresses");
    assert_eq!(addresses["state"], "unreadable", "{addresses}");
    let remedy = &addresses["remedies"][0];
    assert_eq!(remedy["capability"], "CAP_SYS_ADMIN", "{addresses}");
    assert_ne!(check(&document, "kernel-settings")["state"], "allowed");
}
