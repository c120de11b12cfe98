//! Systems in which packages are tested come from archives with checked signatures.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::user::User;

/// It makes the folder, and shows its options.
const DEBOOTSTRAP: &str = r#"#!/bin/sh
for word; do case $word in /*) mkdir -p "$word/etc" ;; esac; done
echo "$@"
"#;

/// The functions of ./dev, and the one that is tested.
const FUNCTIONS: &str = r#"
log() { :; }
ensure() { :; }
fail() { echo "$*" >&2; exit 1; }
target_dir() { printf %s "$folder/target"; }
work=$folder/work
. "$1"
bare_root "$2"
cat "$folder/target/packages/roots/$2.log"
"#;

#[test]
fn unsigned_archives_are_never_used() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages/roots.sh");
    for (suite, keyring, is_made) in [
        ("noble", "absent", false),
        ("noble", "empty", false),
        ("noble", "keys", true),
        ("trixie", "", true),
    ] {
        let user = User::new();
        let folder = user.folder();
        user.write("keys", "keys");
        user.write("empty", "");
        let program = user.write("debootstrap", DEBOOTSTRAP);
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let output = Command::new("sh")
            .args(["-euc", FUNCTIONS, "sh", script.to_str().unwrap(), suite])
            .env("folder", folder)
            .env("PATH", path)
            .env("UBUNTU_KEYRING", folder.join(keyring))
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!printed.contains("no-check-gpg"), "{suite}: {printed}");
        assert_eq!(printed.contains("--force-check-gpg"), is_made, "{suite} {keyring}: {printed}");
        if !is_made {
            assert!(!output.status.success());
            let message = String::from_utf8_lossy(&output.stderr);
            assert!(message.contains("no keys of Ubuntu in"), "{message}");
        }
    }
}
