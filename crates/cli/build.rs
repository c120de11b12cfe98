//! The commit that `nearfar --version` names, the schemas of documents, and how the command is
//! linked.
//!
//! How it is linked with glibc: so that `nearfar run` starts nearly as fast as numactl, which is
//! written in C. Much of a short program's time is the dynamic loader's. One thing that it would do
//! for a Rust program, and need not, is to load `libgcc_s.so`, whose constructor also asks the CPU
//! for all its features (which traps in a virtual machine), for the few functions by which a panic
//! unwinds: those come from the compiler's `libgcc_eh.a` instead, as in a static Rust program.
//!
//! Static binaries (musl, `./dev dist`) have no loader, and need nothing of this.

#[path = "src/commit.rs"]
mod commit;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Who builds outside a checkout names the commit; `./dev dist` adds whether files differ from it.
const NAMED: &str = "NEARFAR_COMMIT";

/// A file for each kind of document; a link, so that the published crate has them.
const SCHEMAS: &str = "schema";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/commit.rs");
    println!("cargo::rerun-if-env-changed={NAMED}");
    let here = Path::new(".");
    if let Some(file) = commit::changes_with_commit(here) {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    let named = env::var(NAMED).ok().filter(|commit| !commit.is_empty());
    let commit = named.or_else(|| commit::commit_of(here)).unwrap_or("unknown".to_owned());
    println!("cargo::rustc-env={NAMED}={commit}");
    link();
    println!("cargo::rerun-if-changed={SCHEMAS}");
    compress_schemas()
}

/// All schemas, as one object.
fn compress_schemas() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("schemas.json.zz");
    let mut compressed = ZlibEncoder::new(fs::File::create(out)?, Compression::best());
    let mut separator = "{";
    for file in fs::read_dir(SCHEMAS)? {
        let file = file?;
        let text = fs::read_to_string(file.path())?;
        write!(compressed, "{separator}{:?}:{text}", file.file_name())?;
        separator = ",";
    }
    write!(compressed, "}}")?;
    compressed.finish().map(drop)
}

fn link() {
    let is = |what: &str, value: &str| {
        env::var(format!("CARGO_CFG_TARGET_{what}")).is_ok_and(|is| is == value)
    };
    let is_static = env::var("CARGO_CFG_TARGET_FEATURE")
        .is_ok_and(|list| list.split(',').any(|one| one == "crt-static"));
    if is("OS", "linux") && is("ENV", "gnu") && !is_static {
        println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
    }
}
