//! Screens on terminals that show less: ASCII, no colours, few columns, a voice that reads them.

use nearfar_view::terminal::charset;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::terminal::width;

use crate::all_screens::{self, plain};
use crate::user::{User, stdout};

/// Colours without a letter or a digit between them: what they mean is lost without them.
fn coloured_blanks(text: &str) -> Vec<String> {
    let mut spans = text.split("\u{1b}[").skip(1).filter_map(|span| span.split_once('m'));
    let mut blanks = Vec::new();
    let mut is_coloured = false;
    for (style, text) in &mut spans {
        // Bold is no colour, and 0 ends all.
        is_coloured = match style {
            "0" | "" => false,
            "1" => is_coloured,
            _ => true,
        };
        let is_blank = !text.is_empty() && !text.contains(char::is_alphanumeric);
        if is_coloured && is_blank {
            blanks.push(format!("{style}: '{text}'"));
        }
    }
    blanks
}

fn each_screen(visit: all_screens::Visit<'_>) {
    all_screens::machines(6, visit);
    all_screens::interrupts(visit);
    all_screens::comparisons(visit);
    all_screens::surveys(visit);
}

#[test]
fn signs_are_ascii_where_the_locale_has_no_others() {
    let mut visit = |name: &str, screen: &dyn Fn() -> Screen| {
        let text = width::with(80, screen).plain();
        let shown = charset::ascii(&text);
        // Letters are of names: files, devices, models.
        let others: String =
            shown.chars().filter(|c| !c.is_ascii() && !c.is_alphanumeric()).collect();
        assert_eq!(others, "", "{name}: {shown}");
    };
    each_screen(&mut visit);
}

#[test]
fn colours_carry_no_meaning_alone_and_20_columns_suffice() {
    let mut visit = |name: &str, screen: &dyn Fn() -> Screen| {
        let shown = width::with(20, screen);
        assert_eq!(coloured_blanks(&shown.text()), Vec::<String>::new(), "{name}");
        // What a voice reads: the verdict has words, and so has the first line.
        for part in [&shown.first, &shown.last] {
            let start = plain(part).lines().next().unwrap_or_default().to_owned();
            assert!(part.is_empty() || start.contains(char::is_alphabetic), "{name}: {start}");
        }
    };
    each_screen(&mut visit);
    assert_eq!(coloured_blanks("\u{1b}[1ma\u{1b}[0m\u{1b}[41m \u{1b}[0m"), ["41: ' '"]);
}

/// The locale decides in pipes, too. What programs read is the same in any.
#[test]
fn pipes_have_signs_of_their_locale() {
    let user = User::new();
    let file = "docs/gallery/documents/lab-xeon-2s-before.json";
    let file = format!("{}/../../{file}", env!("CARGO_MANIFEST_DIR"));
    let show = |options: &[&str], locale: &str| {
        let words = [&["show", &file], options].concat();
        stdout(&user.command(&words).env("LC_ALL", locale).output().unwrap())
    };
    let (unicode, ascii) = (show(&[], "en_US.UTF-8"), show(&[], "C"));
    assert!(unicode.contains('±') && ascii.is_ascii() && ascii.contains("+-"), "{ascii}");
    let widths = |text: &str| text.lines().map(|line| line.chars().count()).collect::<Vec<_>>();
    let table = |text: &str| widths(text.split_once("latency, ns").unwrap().1)[1..4].to_vec();
    assert_eq!(table(&unicode), table(&ascii));
    for format in ["--json", "--csv"] {
        assert_eq!(show(&[format], "C"), show(&[format], "en_US.UTF-8"));
    }
    let unset = user.command(&["show", &file]).env_remove("LC_ALL").env_remove("LANG").output();
    assert_eq!(stdout(&unset.unwrap()), unicode);
}
