//! The pager on a terminal, which script(1) makes: who gets one, and what remains after it.

use std::fs::{self, Permissions};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;

use crate::live::on_a_terminal::on_terminal_by;
use crate::user::{User, nearfar};

/// The end of the screen that is printed: its verdict.
const VERDICT: &str = "Atlas: ";

fn executable(user: &User, name: &str, script: &str) {
    let path = user.write(name, script);
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

/// What the terminal shows of `nearfar atlas 8269CY` with these words of a shell before it, and
/// what the pager of this script read. `None` without script(1).
fn shown(user: &User, before: &str, after: &str) -> Option<(String, String)> {
    let pager = "cat > \"$PAGED\"; echo \"LESS=$LESS\" >> \"$PAGED\"; echo pager ran";
    executable(user, "pager", &format!("#!/bin/sh\n{pager}\n"));
    executable(user, "quitter", "#!/bin/sh\nhead -c 10 > \"$PAGED\"\nexit 0\n");
    let paged = user.folder().join("paged");
    let _ = fs::remove_file(&paged);
    let set = format!("PAGED={} HERE={}", paged.display(), user.folder().display());
    let command = format!("{} atlas 8269CY {after}", nearfar());
    let line = format!("env -u PAGER -u NEARFAR_PAGER -u LESS {set} sh -c '{before} {command}'");
    let mut terminal = on_terminal_by(user, 80, 24, &line)?;
    let mut seen = String::new();
    terminal.stdout.take().unwrap().read_to_string(&mut seen).unwrap();
    assert!(terminal.wait().unwrap().success(), "{seen}");
    let read = fs::read_to_string(paged).unwrap_or_default();
    Some((seen.replace('\r', ""), read))
}

fn verdicts(text: &str) -> usize {
    text.matches(VERDICT).count()
}

#[test]
fn a_pager_gets_all_and_the_verdict_stays() {
    let user = User::new();
    let Some((seen, paged)) = shown(&user, "PAGER=$HERE/pager", "") else { return };
    assert!(paged.contains("Sources\n") && verdicts(&paged) == 2, "{paged}");
    assert!(paged.ends_with("LESS=FRX\n"), "{paged}");
    let (_, after) = seen.split_once("pager ran\n").expect("it ran");
    assert_eq!((verdicts(after), after.trim().lines().count()), (1, 1), "{after}");
    // NEARFAR_PAGER goes first, and the user's LESS stays.
    let before = "LESS=S PAGER=false NEARFAR_PAGER=$HERE/pager";
    let (_, paged) = shown(&user, before, "").unwrap();
    assert!(paged.ends_with("LESS=S\n"), "{paged}");
}

#[test]
fn a_pager_that_ends_early_is_no_failure() {
    let user = User::new();
    let Some((seen, paged)) = shown(&user, "PAGER=$HERE/quitter", "") else { return };
    assert_eq!((paged.len(), verdicts(&seen)), (10, 1), "{seen}");
}

#[test]
fn without_a_pager_all_is_printed() {
    let user = User::new();
    for (before, after) in [
        ("PAGER=$HERE/pager", "--no-pager"),
        ("PAGER=cat", ""),
        ("PAGER=", ""),
        ("PAGER=no-such-pager-here", ""),
        // No less in this folder.
        ("PATH=$HERE", ""),
    ] {
        let Some((seen, paged)) = shown(&user, before, after) else { return };
        assert_eq!((paged.as_str(), verdicts(&seen)), ("", 2), "{before} {after}: {seen}");
        assert!(seen.contains("Sources\n"), "{before} {after}: {seen}");
    }
}

#[test]
fn a_dumb_terminal_shows_the_first_screen_and_where_the_rest_is() {
    let user = User::new();
    let Some((seen, paged)) = shown(&user, "TERM=dumb PAGER=$HERE/pager", "") else { return };
    assert_eq!((paged.as_str(), verdicts(&seen)), ("", 2), "{seen}");
    assert!(
        seen.contains(" more lines: nearfar ... | more") && !seen.contains("Sources\n"),
        "{seen}"
    );
    assert!(seen.lines().count() < 24 && !seen.contains('\u{1b}'), "{seen}");
}

#[test]
fn a_pipe_has_no_pager() {
    let user = User::new();
    let Some((seen, paged)) = shown(&user, "PAGER=$HERE/pager", "| cat") else { return };
    assert_eq!((paged.as_str(), verdicts(&seen)), ("", 2), "{seen}");
}
