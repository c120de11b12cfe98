//! Paths that lead to something else than what a command reads: none hangs, each has one line.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::every_command::{COMMANDS, SURVEY, with_file};
use crate::user::{User, stderr, stdout};

/// Names in a folder of odd files.
const ODD: [&str; 9] =
    ["device", "pipe", "socket", "sparse", "folder", "missing", "unreadable", "empty", "rubbish"];

/// What a command may take, although it is odd: the arguments begin so, and the file.
const TAKEN: [(&[&str], &str); 1] = [(&["diagnose", "--log"], "empty")];

/// The longest time that a command takes on a busy host, given up pipes included.
const LIMIT: Duration = Duration::from_secs(120);

fn make_odd_files(folder: &Path) -> UnixListener {
    let path = |name: &str| folder.join(name);
    symlink("/dev/zero", path("device")).unwrap();
    mknodat(CWD, path("pipe"), FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    fs::File::create(path("sparse")).unwrap().set_len(65 << 30).unwrap();
    fs::create_dir(path("folder")).unwrap();
    fs::write(path("unreadable"), "{}").unwrap();
    fs::set_permissions(path("unreadable"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::write(path("empty"), "").unwrap();
    let rubbish: Vec<u8> = (0..9_000u32).map(|at| (at * at / 7 % 256) as u8).collect();
    fs::write(path("rubbish"), rubbish).unwrap();
    UnixListener::bind(path("socket")).unwrap()
}

/// Runs a command to its end; `None` if it has to be killed.
fn run(user: &User, args: &[String]) -> Option<Output> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut command = user.command(&args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("nearfar starts");
    let began = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if began.elapsed() > LIMIT {
            child.kill().expect("it is killed");
            child.wait().expect("it ends");
            return None;
        }
        thread::sleep(Duration::from_millis(20));
    }
    Some(child.wait_with_output().expect("it ended"))
}

/// What is wrong with a command's answer to an odd file.
fn fault(args: &[String], output: Option<&Output>, path: &str) -> Option<String> {
    let Some(output) = output else { return Some(format!("{args:?} hangs")) };
    // The result of a check is a line for monitoring.
    let message = if args[0] == "check" { stdout(output) } else { stderr(output) };
    // A fleet names what it skipped, and then reports that nothing is left.
    let lines: Vec<&str> =
        message.lines().filter(|line| !line.starts_with("waiting for data")).collect();
    let is_named = lines.iter().any(|line| line.contains(path));
    let is_clear = match lines[..] {
        [line] if args[0] == "check" => line.starts_with("undetermined: ") && is_named,
        [line] => line.starts_with("nearfar: ") && (is_named || output.status.code() == Some(2)),
        [skipped, line] if args[0] == "fleet" => {
            skipped.starts_with(path) && line.starts_with("nearfar: no document")
        }
        _ => false,
    };
    let is_refusal = matches!(output.status.code(), Some(1 | 2));
    (!is_clear || !is_refusal).then(|| format!("{args:?}: {:?}, {message}", output.status))
}

/// Whether this user can read a file without permissions.
fn reads_everything(folder: &Path) -> bool {
    fs::read(folder.join("unreadable")).is_ok()
}

#[test]
fn no_command_hangs_or_guesses() {
    let user = User::new();
    let _listener = make_odd_files(user.folder());
    let reads = COMMANDS.iter().flat_map(|row| row.reads.iter().map(|args| (row.name, *args)));
    let check = |(name, args): (&str, &[&str])| {
        let mut faults = Vec::new();
        for odd in
            ODD.into_iter().filter(|odd| *odd != "unreadable" || !reads_everything(user.folder()))
        {
            let path = user.folder().join(odd).to_str().unwrap().to_owned();
            let args = with_file(name, args, &path);
            let is_taken = |taken: &[&str]| args.iter().zip(taken).all(|(word, own)| word == own);
            if !TAKEN.iter().any(|(taken, file)| *file == odd && is_taken(taken)) {
                faults.extend(fault(&args, run(&user, &args).as_ref(), &path));
            }
        }
        faults
    };
    let faults: Vec<String> = thread::scope(|scope| {
        let running: Vec<_> = reads.map(|row| scope.spawn(move || check(row))).collect();
        running.into_iter().flat_map(|one| one.join().unwrap()).collect()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn odd_files_of_a_fleets_folder_are_named_and_skipped() {
    let user = User::new();
    let _listener = make_odd_files(user.folder());
    fs::copy(SURVEY, user.folder().join("survey.json")).unwrap();
    let folder = user.folder().to_str().unwrap().to_owned();
    let output = run(&user, &["fleet".to_owned(), folder]).expect("it does not hang");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let shown = stdout(&output);
    for (name, why) in [
        ("device", "it is a device, not a file"),
        ("pipe", "it is a pipe, not a file"),
        ("socket", "it is a socket, not a file"),
        ("sparse", "it is larger than 64 GiB"),
    ] {
        assert!(
            shown.lines().any(|line| line.contains(name) && line.contains(why)),
            "{name}: {shown}"
        );
    }
}

#[test]
fn odd_files_of_other_folders_are_skipped() {
    let user = User::new();
    let store = user.folder().join("data/nearfar");
    fs::create_dir_all(&store).unwrap();
    let _listener = make_odd_files(&store);
    for odd in ODD.into_iter().filter(|odd| !matches!(*odd, "missing" | "socket")) {
        fs::rename(store.join(odd), store.join(format!("{odd}.json"))).unwrap();
    }
    let store = store.to_str().unwrap().to_owned();
    for (args, named) in [
        (vec!["show".to_owned()], "pipe.json"),
        (vec!["firmware".to_owned(), "--tables".to_owned(), store.clone()], "it is a device"),
        (vec!["topology".to_owned(), "--root".to_owned(), store], "has no 'sys' folder"),
    ] {
        let output = run(&user, &args).expect("it does not hang");
        let shown = stdout(&output) + &stderr(&output);
        assert!(shown.contains(named), "{args:?}: {shown}");
    }
}
