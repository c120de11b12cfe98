//! The Python module of the wheel, by its own tests.

use std::path::Path;
use std::process::Command;

use crate::user::{skip, stderr};

/// Debian's releases of Python. One that is installed suffices.
const INTERPRETERS: [&str; 3] = ["python3", "python3.11", "python3.13"];

fn runs(interpreter: &str) -> bool {
    let version = Command::new(interpreter).arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

#[test]
fn the_module_passes_its_tests() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut count = 0;
    for interpreter in INTERPRETERS.into_iter().filter(|one| runs(one)) {
        let output = Command::new(interpreter)
            .args(["-B", "-m", "unittest", "discover", "packages/python/tests"])
            .current_dir(&repository)
            .output()
            .unwrap();
        assert!(output.status.success(), "{interpreter}: {}", stderr(&output));
        count += 1;
    }
    if count == 0 {
        skip("no Python");
    }
}
