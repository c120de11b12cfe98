//! Pages that are wrong in one way each must be caught, and a sound one must pass.

use super::*;

/// A page that nothing is wrong with: text, a picture with turned and haloed text, its table, a
/// scrolling box, closed details.
const SOUND: &str = r##"<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sound</title><style>
:root { color-scheme: light dark; --ink: #222; --paper: #fff; } body { color: var(--ink); background: var(--paper); }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #111; } }
.wide { overflow-x: auto; } svg { max-width: 100%; } svg text { fill: var(--ink); font: 12px sans-serif; }
.on { fill: #fff; } .cell { fill: #005; } .seen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
</style></head><body><h1 id="top">Sound</h1><p>Text. <a href="#top" style="color: inherit">Up</a> <span class="seen">For ears only</span></p>
<h2>Picture</h2><figure><svg width="300" height="120" viewBox="0 0 300 120" role="img" aria-labelledby="t d">
<title id="t">Costs</title><desc id="d">Two cells.</desc><rect class="cell" x="10" y="10" width="80" height="30"/>
<text style="fill: #fff" x="20" y="30">103 ns</text><text x="100" y="30">near</text>
<text transform="translate(150 100) rotate(-45)">turned one</text><text transform="translate(165 100) rotate(-45)">turned two</text></svg>
<div class="wide"><table><tr><th>cost</th></tr><tr><td style="white-space: pre; min-width: 900px; display: inline-block">103</td></tr></table></div>
</figure><details><summary>More</summary><p>Closed.</p></details><img alt="" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">
</body></html>"##;

/// What replaces what, and the fault that must be reported.
const WRONG: [(&str, &str, &str, &str); 23] = [
    ("html lang", r#" lang="en""#, "", "html has no lang"),
    ("title", "<title>Sound</title>", "", "page has no title"),
    ("id", r#"id="d""#, r#"id="t""#, "id stands twice"),
    ("heading", "<h2>Picture</h2>", "<h4>Picture</h4>", "heading level jumps"),
    ("console", "<h2>", "<script>console.log('hello')</script><h2>", "console: log"),
    ("exception", "<h2>", "<script>throw new Error('no')</script><h2>", "exception"),
    ("foreign", "<h2>", r#"<img alt="" src="https://example.org/a.png"><h2>"#, "foreign request"),
    (
        "foreign file",
        "<h2>",
        r#"<link rel="stylesheet" href="not-there.css"><h2>"#,
        "foreign request",
    ),
    ("wide", "<h2>", r#"<div style="width: 1500px">wide</div><h2>"#, "wider than the window"),
    (
        "narrow window",
        "<h2>",
        r#"<div style="width: 600px">wide</div><h2>"#,
        "wider than the window: 6",
    ),
    (
        "cut off",
        "<h2>",
        r#"<div style="overflow: hidden"><div style="white-space: pre; width: 2000px; text-align: right">far</div></div><h2>"#,
        "text runs out of the window",
    ),
    ("pale", "<p>Text", r#"<p style="color: #999">Text"#, "contrast below 4.5"),
    ("pale by night", "--ink: #ddd", "--ink: #333", "contrast below 4.5"),
    ("faded", "<p>Text", r#"<p style="opacity: 0.4">Text"#, "contrast below 4.5"),
    (
        "hidden in details",
        "<p>Closed",
        r#"<p style="color: #aaa; background: #fff">Closed"#,
        "contrast below 4.5",
    ),
    (
        "pale in a picture",
        r#"style="fill: #fff" x="20""#,
        r#"style="fill: #226" x="20""#,
        "contrast below 4.5",
    ),
    (
        "covered",
        "</svg>",
        r#"<rect class="cell" x="95" y="10" width="60" height="30"/></svg>"#,
        "text is covered",
    ),
    ("untitled", r#"<title id="t">Costs</title>"#, "", "picture without a title"),
    (
        "undescribed",
        r#"<desc id="d">Two cells.</desc>"#,
        r#"<desc id="d"> </desc>"#,
        "picture without a description",
    ),
    ("unlabelled", r#"aria-labelledby="t d""#, "", "picture is not labelled by its title"),
    ("overlap", r#"x="100" y="30""#, r#"x="40" y="33""#, "texts overlap"),
    ("turned overlap", "translate(165 100)", "translate(155 100)", "texts overlap"),
    ("outside", r#"x="100" y="30""#, r#"x="290" y="30""#, "text leaves its picture"),
];

/// The view in which a wrong page shows it; a look takes a second or two, so that the others are
/// left out.
fn shown_in(name: &str) -> View {
    match name {
        "pale by night" => View::ALL[1],
        "narrow window" => View::ALL[2],
        _ => View::ALL[0],
    }
}

fn faults_in(browser: &mut Browser, folder: &Path, view: View, page: &str) -> Vec<String> {
    let file = folder.join("wrong.html");
    fs::write(&file, page).unwrap();
    visit(browser, &file, view, None).unwrap().faults.into_iter().map(|fault| fault.what).collect()
}

/// What a whole check prints.
fn lines(browser: &mut Browser, folder: &Path, name: &str, page: &str) -> Vec<String> {
    let file = folder.join(format!("{}.html", name.replace(' ', "-")));
    fs::write(&file, page).unwrap();
    faults(browser, &file, None).unwrap().iter().map(SeenFault::to_string).collect()
}

#[test]
#[ignore = "needs Chromium"]
fn a_sound_page_passes_and_faults_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::start().unwrap();
    let sound: Vec<String> = lines(&mut browser, folder.path(), "sound", SOUND);
    assert_eq!(sound, [""; 0]);
    let mut missed = Vec::new();
    for (name, from, to, fault) in WRONG {
        assert!(SOUND.contains(from), "{name}");
        let faults =
            faults_in(&mut browser, folder.path(), shown_in(name), &SOUND.replacen(from, to, 1));
        if !faults.iter().any(|what| what.contains(fault)) {
            missed.push(format!("{name}: {faults:#?}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
#[ignore = "needs Chromium"]
fn pictures_need_figures_and_tables_and_pages_no_scripts() {
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::start().unwrap();
    let from = SOUND.find("<table>").unwrap();
    let to = SOUND.find("</table>").unwrap() + "</table>".len();
    let without = [&SOUND[..from], &SOUND[to..]].concat();
    let faults = lines(&mut browser, folder.path(), "no table", &without);
    assert!(
        faults.len() == 1 && faults[0].contains("every view: picture without its table"),
        "{faults:?}"
    );
    let bare = SOUND.replace("<figure>", "<div>").replace("</figure>", "</div>");
    let faults = lines(&mut browser, folder.path(), "no figure", &bare);
    assert!(faults.len() == 1 && faults[0].contains("picture outside of a figure"), "{faults:?}");
    let script = "<div id=\"late\"></div><script>late.innerHTML = \
                  '<table><tr><td>late</td></tr></table>'</script></body>";
    let faults = lines(&mut browser, folder.path(), "scripted", &SOUND.replace("</body>", script));
    assert!(
        faults.iter().any(|line| line
            .contains("1280 light without scripts: needs its scripts: tables: 2 with, 1 without")),
        "{faults:?}"
    );
}

#[test]
#[ignore = "needs Chromium"]
fn pictures_of_every_view_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sound.html");
    fs::write(&file, SOUND).unwrap();
    faults(&mut Browser::start().unwrap(), &file, Some(folder.path())).unwrap();
    for view in View::ALL {
        let shot = fs::read(folder.path().join(format!("sound-{}.png", view.suffix()))).unwrap();
        assert!(shot.starts_with(b"\x89PNG"));
        let width = u32::from_be_bytes(shot[16..20].try_into().unwrap());
        assert_eq!(width, view.width);
    }
}

#[test]
fn what_is_asked_for_is_understood() {
    let request = Request::parse(&["a.html", "--shots", "out", "b.html"]).unwrap();
    assert_eq!((request.pages.len(), request.shots), (2, Some("out".into())));
    assert!(Request::parse(&["--shots", "out"]).unwrap_err().to_string().contains("at least one"));
    assert!(Request::parse(&["--fast"]).unwrap_err().to_string().contains("no option '--fast'"));
}
