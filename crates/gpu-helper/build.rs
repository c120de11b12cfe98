//! Embeds the helper that `NEARFAR_GPU_HELPER_BINARY` names, as `./dev dist` builds it.

#[path = "src/elf_header.rs"]
mod elf_header;

use std::env;
use std::fs;
use std::path::PathBuf;

const VARIABLE: &str = "NEARFAR_GPU_HELPER_BINARY";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(embedded_helper)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/elf_header.rs");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) else { return };
    match checked(&PathBuf::from(path)) {
        Ok(path) => {
            println!("cargo::rerun-if-changed={path}");
            println!("cargo::rustc-env=NEARFAR_GPU_HELPER_EMBEDDED={path}");
            println!("cargo::rustc-cfg=embedded_helper");
        }
        Err(why) => println!("cargo::error={VARIABLE} cannot be embedded: {why}"),
    }
}

/// The absolute path of a program of the target's architecture.
fn checked(path: &PathBuf) -> Result<String, String> {
    let shown = path.display();
    let absolute = fs::canonicalize(path).map_err(|error| format!("{shown}: {error}"))?;
    let bytes = fs::read(&absolute).map_err(|error| format!("{shown}: {error}"))?;
    let target = env::var("CARGO_CFG_TARGET_ARCH").map_err(|error| error.to_string())?;
    elf_header::check(&bytes, &target).map_err(|why| format!("{shown} {why}"))?;
    let absolute = absolute.to_str().ok_or_else(|| format!("{shown} is no UTF-8 path"))?;
    Ok(absolute.to_owned())
}
