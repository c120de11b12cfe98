//! Notes and locks in `/run/nearfar`: no other user reads, holds or plants them. For root only.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::PathBuf;
use std::process::Stdio;

use crate::user::{User, own_settings, refusal, send, skip, stderr, wait_for};

const FOLDER: &str = "/run/nearfar";
const NOTE: &str = "/run/nearfar/system-settings.json";
const SWITCHING: [&str; 9] = [
    "sweep",
    "--placement",
    "unbound",
    "--thp",
    "never",
    "--allow-system-changes",
    "--runs",
    "1",
    "--",
];

fn mode(path: &str) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// What a test plants in the folder of notes goes away with it.
struct Planted(PathBuf);

impl Planted {
    /// `None` where this user has no such folder, or a sweep's note is in it.
    fn new(name: &str, content: &str) -> Option<Self> {
        let path = PathBuf::from(FOLDER).join(name);
        let is_root = rustix::process::geteuid().is_root();
        let made = is_root.then(|| {
            fs::create_dir_all(FOLDER).and_then(|()| {
                std::io::Write::write_all(&mut File::create_new(&path)?, content.as_bytes())
            })
        });
        if made.is_none_or(|made| made.is_err()) {
            skip("no note can be planted in /run/nearfar");
            return None;
        }
        Some(Self(path))
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
        let _ = fs::remove_dir(FOLDER);
    }
}

fn has_switch() -> bool {
    let thp = "/sys/kernel/mm/transparent_hugepage/enabled";
    let has = fs::OpenOptions::new().write(true).open(thp).is_ok();
    if !has {
        skip("transparent huge pages cannot be switched here");
    }
    has
}

/// A sweep that switches nothing runs beside a damaged note; one that does names the remedy, and
/// runs once the file is removed.
#[test]
fn damaged_notes_name_their_remedy() {
    let _own = own_settings();
    for damage in ["", "{", "[]", "\0\0", "{\"guard\":1,\"started\":1,\"before\":{\"x\":\"y\"}}"] {
        let Some(note) = Planted::new("system-settings.json", damage) else { return };
        if !has_switch() {
            return;
        }
        let user = User::new();
        let (status, line) = refusal(&user.run(&[&SWITCHING[..], &["true"]].concat()));
        assert_eq!(status, 1, "{line}");
        assert!(line.starts_with(&format!("nearfar: cannot use {NOTE}: ")), "{line}");
        assert!(line.ends_with("check the settings, then remove the file"), "{line}");
        let plain = ["sweep", "--placement", "unbound", "--runs", "1", "--", "true"];
        let other = user.run(&plain);
        assert!(other.status.success() && stderr(&other).contains(NOTE), "{}", stderr(&other));
        drop(note);
        let again = user.run(&[&SWITCHING[..], &["true"]].concat());
        assert!(again.status.success(), "{}", stderr(&again));
    }
}

#[test]
fn notes_of_other_users_are_refused() {
    let _own = own_settings();
    let note = "{\"guard\":1,\"started\":1,\"before\":{}}";
    let Some(planted) = Planted::new("system-settings.json", note) else { return };
    chown(&planted.0, Some(4242), None).unwrap();
    let (_, line) = refusal(&User::new().run(&[&SWITCHING[..], &["true"]].concat()));
    assert!(line.contains("belongs to user 4242"), "{line}");
}

/// Whatever the umask, and whatever an earlier release left.
#[test]
fn folder_and_note_are_closed_to_others() {
    let _own = own_settings();
    if !rustix::process::geteuid().is_root() || !has_switch() {
        return skip("only root has notes in /run/nearfar");
    }
    for umask in ["000", "077", "777"] {
        let user = User::new();
        let _ = fs::create_dir_all(FOLDER);
        fs::set_permissions(FOLDER, Permissions::from_mode(0o777)).unwrap();
        let line = format!("umask {umask}; exec \"$@\"");
        let other = if thp() == "never" { "madvise" } else { "never" };
        let words = SWITCHING.map(|word| if word == "never" { other } else { word });
        let file = user.folder().join("sweep.json");
        let mut command = user.through("sh", &["-c", &line, "sh", crate::user::nearfar()]);
        command.args(&words[..8]).arg("-o").arg(file).args(["--", "sleep", "600"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait_for("a note", || fs::exists(NOTE).unwrap() || child.try_wait().unwrap().is_some());
        assert_eq!((mode(FOLDER), mode(NOTE)), (0o700, 0o600), "umask {umask}");
        send("INT", &child);
        child.wait().unwrap();
        wait_for("the note is removed", || !fs::exists(NOTE).unwrap());
    }
}

fn thp() -> String {
    let text = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    text.unwrap_or_default().split(['[', ']']).nth(1).unwrap_or_default().to_owned()
}
