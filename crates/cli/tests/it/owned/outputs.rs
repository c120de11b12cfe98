//! Every option that names a file or a folder to write, and links of another user in its way. Only
//! root can make such links, so other users skip these tests.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::Path;

use tempfile::TempDir;

use crate::user::{User, own_settings, refusal, skip, stderr};

/// Another user, whom no system has.
const MALLORY: Option<u32> = Some(4242);

/// Each command with an option that names an output: `OUT` stands for it, `DOC` for a survey.
const WRITERS: [&str; 22] = [
    "survey --quick -o OUT",
    "latency -o OUT",
    "bandwidth --quick -o OUT",
    "loaded --quick -o OUT",
    "core-to-core --quick -o OUT",
    "caches --quick -o OUT",
    "interleave --quick -o OUT",
    "hidden --quick -o OUT",
    "io --quick -o OUT DOC",
    "io --write OUT --file-size=256M",
    "show DOC --as hwloc -o OUT --force",
    "plot latency DOC -o OUT --force",
    "plot latency DOC -o OUT",
    "report DOC -o OUT --force",
    "report DOC -o OUT",
    "fleet DOC --html OUT --force",
    "devices --as nccl -o OUT --force",
    "export --textfile OUT",
    "capture -o OUT --force",
    "capture -o OUT",
    "top --once -d 0.1 --record OUT --force",
    "sweep --placement unbound --runs 1 -o OUT --force -- true",
];

/// Commands whose output is a folder.
const FOLDER_WRITERS: [&str; 3] = ["man --all OUT", "alias OUT", "fleet DOC --parquet OUT"];

/// A folder that all may write, with links of another user's in it.
struct Trap(TempDir);

impl Trap {
    /// `None` where this user cannot give links away.
    fn new() -> Option<Self> {
        let trap = Self(tempfile::tempdir().unwrap());
        let at = |name: &str| trap.at(name);
        fs::create_dir(at("victim")).unwrap();
        fs::create_dir(at("shared")).unwrap();
        fs::write(at("victim/file.svg"), "kept").unwrap();
        symlink("../victim/file.svg", at("shared/link.svg")).unwrap();
        symlink("../victim/new.svg", at("shared/dangling.svg")).unwrap();
        symlink("../victim/file.svg", at("shared/link.html")).unwrap();
        symlink("../victim/new.html", at("shared/dangling.html")).unwrap();
        symlink("../victim", at("shared/folder")).unwrap();
        fs::set_permissions(at("shared"), Permissions::from_mode(0o1777)).unwrap();
        let mut links = fs::read_dir(at("shared")).unwrap().map(|link| link.unwrap().path());
        let is_given = links.all(|link| lchown(link, MALLORY, None).is_ok());
        if !is_given {
            skip("only root can give links to another user");
        }
        is_given.then_some(trap)
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn is_untouched(&self) -> bool {
        let names = fs::read_dir(self.at("victim")).unwrap().count();
        let shared = fs::read_dir(self.at("shared")).unwrap().count();
        fs::read_to_string(self.at("victim/file.svg")).unwrap() == "kept"
            && (names, shared) == (1, 5)
    }
}

fn document() -> String {
    let gallery = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery/documents");
    gallery.join("lab-xeon-2s-before.json").display().to_string()
}

fn words(line: &str, out: &Path) -> Vec<String> {
    // A report's name has to end so; links of both names lead to the same file.
    let extension = if line.starts_with("report") { "html" } else { "svg" };
    let out = out.to_str().unwrap().replace(".svg", &format!(".{extension}"));
    line.split(' ').map(|word| word.replace("OUT", &out).replace("DOC", &document())).collect()
}

fn run(line: &str, out: &Path) -> std::process::Output {
    let words = words(line, out);
    User::new().run(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn assert_no_foreign_link_is_followed() {
    let Some(trap) = Trap::new() else { return };
    let files = ["shared/link.svg", "shared/dangling.svg", "shared/folder/new.svg"];
    let folders = ["shared/folder", "shared/folder/new"];
    let of_files = WRITERS.iter().flat_map(|line| files.map(|out| (line, out)));
    let of_folders = FOLDER_WRITERS.iter().flat_map(|line| folders.map(|out| (line, out)));
    for (line, out) in of_files.chain(of_folders) {
        let output = run(line, &trap.at(out));
        let message = stderr(&output);
        assert!(!output.status.success(), "{line} {out}: {message}");
        assert!(trap.is_untouched(), "{line} {out}: {message}");
        // What has a name already is refused before, without --force; alias needs a folder.
        let is_other = ["already exists", "is there already", "is not a folder"];
        if !is_other.iter().any(|other| message.contains(other)) {
            let (_, refused) = refusal(&output);
            let names_link = refused.contains("is a link that user 4242 can change");
            assert!(names_link, "{line} {out}: {refused}");
        }
    }
}

#[test]
fn links_of_other_users_are_not_followed() {
    assert_no_foreign_link_is_followed();
}

/// Sets a switch of the kernel back.
struct Restored(&'static str, String);

impl Drop for Restored {
    fn drop(&mut self) {
        fs::write(self.0, &self.1).unwrap();
    }
}

#[test]
#[ignore = "long: switches fs.protected_symlinks of the machine"]
fn links_are_refused_whatever_the_kernel_protects() {
    const SWITCH: &str = "/proc/sys/fs/protected_symlinks";
    let _own = own_settings();
    let before = fs::read_to_string(SWITCH).unwrap_or_default();
    for value in ["0", "1"] {
        if fs::write(SWITCH, value).is_err() {
            return skip("fs.protected_symlinks cannot be switched here");
        }
        let _restored = Restored(SWITCH, before.clone());
        assert_no_foreign_link_is_followed();
    }
}

/// As `fs.protected_regular`: another user's file in a folder that all may write stays.
#[test]
fn files_of_other_users_in_shared_folders_stay() {
    let Some(trap) = Trap::new() else { return };
    let outs = ["shared/link.svg", "shared/link.html"].map(|out| trap.at(out));
    for out in &outs {
        fs::remove_file(out).unwrap();
        fs::write(out, "hers").unwrap();
        lchown(out, MALLORY, None).unwrap();
    }
    for line in WRITERS.iter().filter(|line| line.contains("--force") || line.contains("export")) {
        let (status, message) = refusal(&run(line, &outs[0]));
        assert!(status != 0 && message.contains("is a file of user 4242"), "{line}: {message}");
        assert!(outs.iter().all(|out| fs::read_to_string(out).unwrap() == "hers"), "{line}");
    }
}

#[test]
fn own_links_stay_links_and_lead_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("real")).unwrap();
    symlink("real/picture.svg", at("link.svg")).unwrap();
    for _ in 0..2 {
        let output = run("plot latency DOC -o OUT --force", &at("link.svg"));
        assert!(output.status.success(), "{}", stderr(&output));
    }
    assert!(at("link.svg").is_symlink());
    assert!(fs::read_to_string(at("real/picture.svg")).unwrap().starts_with("<svg"));
}

/// The collector is another user's; a program that exchanges the file meanwhile gains nothing.
#[test]
fn exported_files_are_readable_by_all() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("nearfar.prom");
    let user = User::new();
    let line = "umask 077; exec \"$0\" export --textfile \"$1\"";
    let output = user
        .through("sh", &["-c", line, crate::user::nearfar(), out.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(fs::metadata(&out).unwrap().permissions().mode() & 0o7777, 0o644);
}
