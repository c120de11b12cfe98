//! How the command is linked with glibc: so that `nearfar run` starts nearly as fast as numactl,
//! which is written in C.
//!
//! Much of a short program's time is the dynamic loader's. One thing that it would do for a Rust
//! program, and need not, is to load `libgcc_s.so`, whose constructor also asks the CPU for all its
//! features (which traps in a virtual machine), for the few functions by which a panic unwinds:
//! those come from the compiler's `libgcc_eh.a` instead, as in a static Rust program.
//!
//! Static binaries (musl, `./dev dist`) have no loader, and need nothing of this.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |what: &str, value: &str| {
        std::env::var(format!("CARGO_CFG_TARGET_{what}")).is_ok_and(|is| is == value)
    };
    let is_static = std::env::var("CARGO_CFG_TARGET_FEATURE")
        .is_ok_and(|list| list.split(',').any(|one| one == "crt-static"));
    if is("OS", "linux") && is("ENV", "gnu") && !is_static {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}
