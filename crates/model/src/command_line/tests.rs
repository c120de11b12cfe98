use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::process::Command;

use super::*;

/// Each has what some reader obeys.
const WORST: [&str; 16] = [
    "",
    " ",
    ";",
    "a b",
    "it's",
    "\"quoted\"",
    "back\\slash\\",
    "100%n%%",
    "$HOME ${HOME} $(id) `id`",
    "~root",
    "*?[a]{b,c}",
    "-e",
    "a;id&id|id>x<y#!",
    "two\nlines",
    "tab\there",
    "\u{202e}\u{9b}é",
];

fn line(words: &[&str]) -> CommandLine {
    CommandLine(words.iter().map(|&word| word.to_owned()).collect())
}

#[test]
fn a_shell_reads_the_words_back() {
    for word in WORST {
        let line = line(&["printf", "[%s]", word]);
        let Ok(text) = line.shell() else {
            assert!(word.contains(['\t', '\u{202e}']), "{word:?}");
            continue;
        };
        let output = Command::new("sh").args(["-c", &text]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("[{word}]"), "{text}");
        assert_eq!(line.shell_in_one_line().is_ok(), !word.contains('\n'), "{word:?}");
    }
}

#[test]
fn systemd_reads_the_words_back() {
    for word in WORST {
        let text = line(&["/bin/x", word]).systemd_unit().unwrap();
        assert!(!text.contains(is_obeyed), "{text:?}");
        assert_eq!(systemd_words(&text), ["/bin/x", word], "{text}");
    }
    let path = "/opt/100% a;b $x/é";
    let text = line(&[path, "x"]).systemd_unit().unwrap();
    assert_eq!(text, "'/opt/100%% a;b $x/é' x");
    let refused = ["-x", "@x", ":x", "+x", "!x", "|x", "/a'b", "/a\"b", "/a\\b", "/a\nb"];
    for word in refused.into_iter().chain(["/a\u{202e}b"]) {
        let error = line(&[word]).systemd_unit().unwrap_err();
        assert!(error.to_string().starts_with("a unit of systemd cannot have '"), "{error}");
        assert!(!error.to_string().contains(is_obeyed), "{error}");
    }
}

/// A strict reader of systemd.syntax(7) for what is written here: quotes, C escapes, `%%`, `$$`.
fn systemd_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(first) = characters.next() {
        let is_quoted = first == '\'';
        let mut word = String::new();
        let mut next = if is_quoted { characters.next() } else { Some(first) };
        while let Some(c) = next.take() {
            match c {
                '\'' if is_quoted => break,
                ' ' if !is_quoted => break,
                '\\' => {
                    let escape = characters.next().unwrap();
                    let digits = match escape {
                        'x' => 2,
                        'U' => 8,
                        other => {
                            word.push(other);
                            next = characters.next();
                            continue;
                        }
                    };
                    let digits: String = characters.by_ref().take(digits).collect();
                    word.push(char::from_u32(u32::from_str_radix(&digits, 16).unwrap()).unwrap());
                }
                '%' | '$' if !words.is_empty() => {
                    assert_eq!(characters.next(), Some(c), "{text}");
                    word.push(c);
                }
                c => word.push(c),
            }
            next = characters.next();
        }
        assert!(word != ";" || is_quoted, "{text}");
        characters.next_if(|c| is_quoted && *c == ' ');
        words.push(word);
    }
    words
}

/// systemd's own check of units, where it is installed.
#[test]
fn systemd_takes_the_units() {
    let folder = tempfile::tempdir().unwrap();
    // A path of systemd has no specifiers of its own, and no quotes.
    let program = folder.path().join("a b 100%;$x é");
    fs::copy("/bin/true", &program).unwrap();
    let unit = folder.path().join("nearfar-test.service");
    for word in WORST {
        let text = line(&[program.to_str().unwrap(), word]).systemd_unit().unwrap();
        fs::write(&unit, format!("[Service]\nType=oneshot\nExecStart={text}\n")).unwrap();
        let mut verify = Command::new("systemd-analyze");
        let Ok(output) = verify.args(["verify", "--man=no"]).arg(&unit).output() else {
            return eprintln!("skipped: no systemd");
        };
        let complaints = String::from_utf8_lossy(&output.stderr);
        let of_this: Vec<&str> =
            complaints.lines().filter(|line| line.contains("nearfar-test")).collect();
        assert!(of_this.is_empty(), "{text}: {of_this:?}");
    }
}

#[test]
fn udev_reads_the_words_back() {
    for word in WORST {
        match line(&["/bin/x", word]).udev_rule() {
            Ok(text) => assert_eq!(udev_words(&text), ["/bin/x", word], "{text}"),
            Err(error) => {
                let is_refused = |c: char| is_obeyed(c) || "\"'\\".contains(c);
                assert!(word.contains(is_refused), "{word:?}: {error}");
            }
        }
    }
}

/// The words of a rule's command: a double quote would end it.
fn udev_words(text: &str) -> Vec<String> {
    assert!(!text.contains('"') && !text.contains('\\') && !text.contains('\n'), "{text}");
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in text.replace("%%", "%").replace("$$", "$").chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            c if c.is_whitespace() && !is_quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    assert!(!is_quoted, "{text}");
    words
}

#[test]
fn words_that_are_no_text_are_refused() {
    let error = CommandLine::new([OsString::from_vec(vec![b'a', 0xff])]).unwrap_err();
    assert!(error.to_string().contains("it is not UTF-8"), "{error}");
}

#[test]
fn a_program_is_no_option_of_what_starts_it() {
    let started = line(&["-x"]).started_by(["srun".to_owned()]);
    assert_eq!(started, line(&["srun", "--", "-x"]));
    assert_eq!(line(&["x"]).started_by(["srun".to_owned()]), line(&["srun", "x"]));
}
