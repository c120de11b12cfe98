//! The commit that `nearfar --version` names, and how the command is linked.
//!
//! How it is linked with glibc: so that `nearfar run` starts nearly as fast as numactl, which is
//! written in C. Much of a short program's time is the dynamic loader's. One thing that it would do for a Rust
//! program, and need not, is to load `libgcc_s.so`, whose constructor also asks the CPU for all its
//! features (which traps in a virtual machine), for the few functions by which a panic unwinds:
//! those come from the compiler's `libgcc_eh.a` instead, as in a static Rust program.
//!
//! Static binaries (musl, `./dev dist`) have no loader, and need nothing of this.

use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let commit = from_environment().or_else(from_git).or_else(from_package);
    println!("cargo::rustc-env=NEARFAR_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    link();
}

/// Who builds outside a checkout names the commit; `./dev dist` adds whether files differ from it.
fn from_environment() -> Option<String> {
    println!("cargo::rerun-if-env-changed=NEARFAR_COMMIT");
    std::env::var("NEARFAR_COMMIT").ok().filter(|commit| !commit.is_empty())
}

/// The commit of a checkout, but not that of a repository which merely contains the source.
fn from_git() -> Option<String> {
    let repository = Path::new("../../.git");
    if !repository.exists() {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // It changes with each commit, and with each change of the branch.
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    println!("cargo::rerun-if-changed={log}");
    git(&["rev-parse", "--short=12", "HEAD"])
}

/// The commit of a package of crates.io.
fn from_package() -> Option<String> {
    let facts = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, hash) = facts.split_once("\"sha1\": \"")?;
    hash.get(..12).map(str::to_owned)
}

fn link() {
    let is = |what: &str, value: &str| {
        std::env::var(format!("CARGO_CFG_TARGET_{what}")).is_ok_and(|is| is == value)
    };
    let is_static = std::env::var("CARGO_CFG_TARGET_FEATURE")
        .is_ok_and(|list| list.split(',').any(|one| one == "crt-static"));
    if is("OS", "linux") && is("ENV", "gnu") && !is_static {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}
