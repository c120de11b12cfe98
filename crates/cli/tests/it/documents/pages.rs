//! `nearfar report` and `nearfar plot`: pages and pictures that are whole or absent, and one line
//! where there are none.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::user::{User, stderr, stdout};

const SEVERAL: &str = include_str!("../../../../report/tests/golden/several.json");

fn kept(user: &User, name: &str, text: &str) -> String {
    let path = user.folder().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The one line of a refusal.
fn refusal(output: &Output) -> String {
    crate::user::refusal(output).1
}

fn survey(user: &User) -> String {
    kept(user, "several.json", SEVERAL)
}

#[test]
fn a_page_is_deterministic() {
    let user = User::new();
    let file = survey(&user);
    let here = |words: &[&str]| user.command(words).current_dir(user.folder()).output().unwrap();
    let first = here(&["report", &file]);
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    assert!(stderr(&first).starts_with("saved as several.html"), "{}", stderr(&first));
    let page = fs::read_to_string(user.folder().join("several.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert_eq!(stdout(&user.run(&["report", &file, "-o", "-"])), page);
}

/// A name that promises PDF gets no HTML.
#[test]
fn a_page_has_the_form_of_its_name() {
    let user = User::new();
    let file = survey(&user);
    for name in ["page.pdf", "page.PNG", "page.svg"] {
        let path = user.folder().join(name);
        let output = user.run(&["report", &file, "-o", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(refusal(&output).contains("a page is HTML"), "{}", stderr(&output));
        assert!(!path.exists(), "{name}");
    }
}

#[test]
fn a_page_is_overwritten_only_by_force() {
    let user = User::new();
    let file = survey(&user);
    let page = user.folder().join("several.html");
    let here = |words: &[&str]| user.command(words).current_dir(user.folder()).output().unwrap();
    assert_eq!(here(&["report", &file]).status.code(), Some(0));
    for words in [&["report", &file][..], &["report", &file, "-o", "several.html"]] {
        fs::write(&page, "edited").unwrap();
        let (code, refused) = crate::user::refusal(&here(words));
        assert_eq!(code, 2);
        assert!(
            refused.ends_with("several.html already exists: --force overwrites it"),
            "{refused}"
        );
        assert_eq!(fs::read_to_string(&page).unwrap(), "edited");
        let forced = here(&[words, &["--force"]].concat());
        assert_eq!(forced.status.code(), Some(0), "{}", stderr(&forced));
        assert!(fs::read_to_string(&page).unwrap().starts_with("<!DOCTYPE html>"));
    }
}

#[test]
fn a_page_has_its_document_without_samples() {
    use base64::Engine;
    let user = User::new();
    let file = kept(&user, "sketch.json", include_str!("../../../../survey/src/sketch.json"));
    let held = |words: &[&str]| -> Value {
        let page = stdout(&user.run(&[&["report", &file, "-o", "-"], words].concat()));
        let (_, after) = page.split_once("base64,").unwrap();
        let document = base64::engine::general_purpose::STANDARD
            .decode(after.split('"').next().unwrap())
            .unwrap();
        serde_json::from_slice(&document).unwrap()
    };
    assert!(held(&[])["samples"].is_null());
    let whole = held(&["--with-samples"]);
    assert!(whole["samples"]["data"].as_array().is_some_and(|data| !data.is_empty()));
    let again = kept(&user, "again.json", &whole.to_string());
    assert_eq!(user.run(&["show", &again]).status.code(), Some(0));
}

#[test]
fn the_newest_saved_survey_is_the_default() {
    let user = User::new();
    let refused = refusal(&user.run(&["report", "-o", "-"]));
    assert!(
        refused.contains("there is no saved survey yet: 'nearfar survey' makes one"),
        "{refused}"
    );
    let store = user.folder().join("data/nearfar");
    fs::create_dir_all(&store).unwrap();
    fs::write(store.join("machine-20261120-101400.json"), SEVERAL).unwrap();
    let page = user.run(&["report", "-o", "-"]);
    assert_eq!(page.status.code(), Some(0), "{}", stderr(&page));
    assert!(stdout(&page).contains("machine-20261120-101400.json"));
}

#[test]
fn unusable_input_fails_with_one_line() {
    let user = User::new();
    let file = survey(&user);
    let newer = SEVERAL.replace("nearfar.survey/2", "nearfar.survey/3");
    let cases: [(&[&str], &str); 6] = [
        (&["report", "nowhere.json", "-o", "-"], "nowhere.json"),
        (&["report", &kept(&user, "cut.json", &SEVERAL[..900]), "-o", "-"], "cut off"),
        (&["report", &kept(&user, "newer.json", &newer), "-o", "-"], "nearfar.survey/3"),
        (&["report", &file, "-o", "no/such/folder/page.html"], "no/such/folder"),
        (&["report", &kept(&user, "empty.json", ""), "-o", "-"], "empty"),
        (&["report", &kept(&user, "text.json", "hello"), "-o", "-"], "not JSON"),
    ];
    for (words, message) in cases {
        let refused = refusal(&user.run(words));
        assert!(refused.contains(message), "{words:?}: {refused}");
    }
    let hundred = vec![file.as_str(); 100];
    let refused = refusal(&user.run(&[&["report", "-o", "-"], &hundred[..]].concat()));
    assert!(refused.contains("100 files: a page shows at most 12 side by side"), "{refused}");
}

#[test]
fn a_full_disk_leaves_nothing_half_written() {
    let user = User::new();
    let refused = refusal(&user.run(&["report", &survey(&user), "-o", "/dev/full"]));
    assert!(refused.contains("/dev/full"), "{refused}");
    let closed = user
        .command(&["report", &survey(&user), "-o", "-"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut closed = closed;
    drop(closed.stdout.take());
    assert!(
        closed.wait().unwrap().code().is_some_and(|code| code == 0 || code == 141),
        "a closed pipe is no error of ours"
    );
}

#[test]
fn surveys_beside_each_other() {
    let user = User::new();
    let mut after: Value = serde_json::from_str(SEVERAL).unwrap();
    after["provenance"]["seed"] = json!(8);
    let page = user.run(&[
        "report",
        &survey(&user),
        &kept(&user, "after.json", &after.to_string()),
        "-o",
        "-",
    ]);
    assert_eq!(page.status.code(), Some(0), "{}", stderr(&page));
    assert!(stdout(&page).contains("What changed") && stdout(&page).contains("2. after.json"));
}

#[test]
fn a_pipe_gets_svg_and_text_gets_characters() {
    let user = User::new();
    let file = survey(&user);
    let drawn = user.run(&["plot", "latency", &file]);
    assert_eq!(drawn.status.code(), Some(0), "{}", stderr(&drawn));
    assert!(stdout(&drawn).starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    let text = stdout(&user.run(&["plot", "latency", &file, "--text"]));
    assert!(
        text.starts_with("Latency, ns") && !text.contains('\u{1b}') && !text.contains("<svg"),
        "{text}"
    );
    let target = user.folder().join("caches.svg");
    let written = user.run(&["plot", "caches", &file, "--dark", "-o", target.to_str().unwrap()]);
    assert!(stderr(&written).contains("caches.svg"), "{}", stderr(&written));
    assert!(fs::read_to_string(target).unwrap().contains("#14171a"));
}

#[test]
fn of_several_pictures_one_is_chosen() {
    let user = User::new();
    let file = survey(&user);
    let title = |nth: &str| {
        let svg = stdout(&user.run(&["plot", "bandwidth", &file, "--nth", nth]));
        svg.split("<title id=\"title\">")
            .nth(1)
            .and_then(|rest| rest.split('<').next())
            .map(str::to_owned)
    };
    assert!(title("1").is_some() && title("1") != title("2"), "{:?} {:?}", title("1"), title("2"));
    let refused = refusal(&user.run(&["plot", "bandwidth", &file, "--nth", "99"]));
    assert!(refused.contains("there is no picture 99 of 'bandwidth': 1 '"), "{refused}");
}

/// A machine of two nodes with a network card below a root bus of node 1.
fn machine(user: &User) -> String {
    let root = user.folder().join("machine");
    let card = "sys/devices/pci0000:20/0000:20:01.0/0000:21:00.0";
    for (path, text) in [
        ("sys/devices/system/cpu/online", "0-3"),
        ("sys/devices/system/node/online", "0-1"),
        ("sys/devices/system/node/node0/cpulist", "0-1"),
        ("sys/devices/system/node/node1/cpulist", "2-3"),
        (&format!("{card}/uevent"), "PCI_CLASS=20000\nPCI_ID=15B3:1017\n"),
        (&format!("{card}/numa_node"), "1"),
        (&format!("{card}/net/enx525400aaaaaa/mtu"), "1500"),
        (&format!("{card}/current_link_width"), "8"),
        (&format!("{card}/max_link_width"), "16"),
        (&format!("{card}/current_link_speed"), "8.0 GT/s PCIe"),
        (&format!("{card}/max_link_speed"), "8.0 GT/s PCIe"),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    for (link, target) in [
        ("sys/bus/pci/devices/0000:21:00.0", format!("../../../../{card}")),
        ("sys/class/net/enx525400aaaaaa", format!("../../../{card}/net/enx525400aaaaaa")),
    ] {
        let link = root.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, link).unwrap();
    }
    root.to_str().unwrap().to_owned()
}

#[test]
fn a_machine_is_drawn_without_a_survey() {
    let user = User::new();
    let root = machine(&user);
    let text = stdout(&user.run(&["plot", "machine", "--root", &root, "--text"]));
    assert!(
        text.contains("pci0000:20\n      NIC0 enx000000000000, 21:00.0  x8 of 16, 8 GT/s"),
        "{text}"
    );
    let target = user.folder().join("machine.svg");
    let written = user.run(&["plot", "machine", "--root", &root, "-o", target.to_str().unwrap()]);
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    assert!(fs::read_to_string(target).unwrap().contains(">x8 of 16, 8 GT/s</text>"));
    assert!(stdout(&user.run(&["plot", "machine"])).starts_with("<svg "), "this machine");
}

#[test]
fn an_anonymous_plan_has_no_kernel_and_no_host() {
    let user = User::new();
    let root = machine(&user);
    let kernel = Path::new(&root).join("proc/sys/kernel");
    fs::create_dir_all(&kernel).unwrap();
    fs::write(kernel.join("osrelease"), "6.12.7-node07\n").unwrap();
    let drawn = |options: &[&str]| {
        let plot = ["plot", "machine", "--root", &root].into_iter();
        stdout(&user.run(&plot.chain(options.iter().copied()).collect::<Vec<_>>()))
    };
    assert!(drawn(&[]).contains("Linux 6.12.7-node07"));
    assert!(!drawn(&["--anonymous"]).contains("6.12.7"));
    let refused = user.run(&["plot", "latency", "--anonymous"]);
    assert!(refusal(&refused).contains("--anonymous is for 'machine'"), "{}", stderr(&refused));
}

#[test]
fn other_pictures_need_a_survey() {
    let user = User::new();
    let none = user.run(&["plot", "latency"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(refusal(&none).contains("'nearfar survey' makes one"), "{}", stderr(&none));
    let refused = user.run(&["plot", "latency", "--root", "."]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(refusal(&refused).contains("only 'machine' is drawn"), "{}", stderr(&refused));
    let both = user.run(&["plot", "machine", "FILE", "--root", "."]);
    assert_eq!(both.status.code(), Some(2), "{}", stderr(&both));
    let empty = user.run(&["plot", "machine", "--root", user.folder().to_str().unwrap()]);
    assert_eq!(empty.status.code(), Some(1), "{}", stderr(&empty));
    refusal(&empty);
}

#[test]
fn errors_list_the_valid_pictures() {
    let user = User::new();
    let file = survey(&user);
    let unknown = user.run(&["plot", "colour", &file]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        refusal(&unknown)
            .contains("there is no picture 'colour' of a survey: choose one of machine, latency")
    );
    let absent = user.run(&["plot", "hidden", &file]);
    assert!(refusal(&absent).contains("has no picture 'hidden'"), "{}", stderr(&absent));
}

#[test]
fn a_table_of_pairs_is_drawn_without_a_survey() {
    let user = User::new();
    let own = stdout(&user.run(&["show", &survey(&user), "--part", "core-to-core", "--csv"]));
    let bare = ",,,\n10.1,,,\n50.2,51.0,,\n50.9,50.4,10.3,\n";
    for (name, table, title) in
        [("own.csv", own.as_str(), "Handoff of a line, ns"), ("bare.csv", bare, "Core to core, ns")]
    {
        let drawn = user.run(&["plot", "core-to-core", &kept(&user, name, table), "--text"]);
        assert_eq!(drawn.status.code(), Some(0), "{}", stderr(&drawn));
        assert!(stdout(&drawn).starts_with(title), "{}", stdout(&drawn));
    }
    let refused = refusal(&user.run(&["plot", "core-to-core", &kept(&user, "text.csv", "hello")]));
    assert!(refused.contains("text.csv holds no matrix of latencies"), "{refused}");
    let other = refusal(&user.run(&["plot", "latency", &kept(&user, "bare.csv", bare)]));
    assert!(other.contains("not JSON"), "{other}");
}

/// Width and height in the header of a PNG.
#[cfg(feature = "png")]
fn png_size(png: &[u8]) -> [u32; 2] {
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    [16, 20].map(|at| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()))
}

#[cfg(feature = "png")]
#[test]
fn a_png_needs_no_other_program() {
    let user = User::new();
    let file = survey(&user);
    let target = user.folder().join("map.png");
    let drawn = |words: &[&str]| {
        let to_file = ["plot", "latency", &file, "--force", "-o", target.to_str().unwrap()];
        let mut command = user.command(&[&to_file[..], words].concat());
        let made = command.env("PATH", user.folder()).output().unwrap();
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
        fs::read(&target).unwrap()
    };
    let png = drawn(&[]);
    let [width, height] = png_size(&png);
    assert!(png == drawn(&["--scale", "2"]), "the default or the bytes differ");
    assert_eq!(png_size(&drawn(&["--scale", "4"])), [width * 2, height * 2]);
    assert!(png != drawn(&["--dark"]));
    let piped = user.run(&["plot", "latency", &file, "--png"]);
    assert!(piped.stdout == png);
}

#[test]
fn scale_is_for_png_only() {
    let user = User::new();
    let file = survey(&user);
    let refused = refusal(&user.run(&["plot", "latency", &file, "--scale", "2"]));
    assert!(refused.contains("--scale is for PNG: add --png"), "{refused}");
    for wrong in ["0", "9", "nan", "wide"] {
        let refused = user.run(&["plot", "latency", &file, "--png", "--scale", wrong]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("not a number from 0.25 to 8"), "{}", stderr(&refused));
    }
}

#[cfg(not(feature = "png"))]
#[test]
fn a_png_without_a_renderer_is_an_error() {
    let user = User::new();
    let file = survey(&user);
    let target = user.folder().join("map.png");
    let mut without = user.command(&["plot", "latency", &file, "-o", target.to_str().unwrap()]);
    let refused = refusal(&without.env("PATH", user.folder()).output().unwrap());
    assert!(
        refused.contains("no renderer for PNG is installed: install librsvg2-bin"),
        "{refused}"
    );
    assert!(!target.exists());
    let made = user.run(&["plot", "latency", &file, "--png", "-o", target.to_str().unwrap()]);
    match made.status.code() {
        Some(0) => assert!(fs::read(&target).unwrap().starts_with(b"\x89PNG")),
        _ => assert!(refusal(&made).contains("no renderer"), "{}", stderr(&made)),
    }
}

#[test]
fn inputs_are_not_overwritten() {
    let user = User::new();
    let file = survey(&user);
    for words in
        [["report", &file, "-o", &file].as_slice(), &["plot", "latency", &file, "-o", &file]]
    {
        let refused = refusal(&user.run(words));
        assert!(refused.contains("is the input document"), "{refused}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), SEVERAL);
    let paper = user.folder().join("map.pdf");
    let refused = refusal(&user.run(&["plot", "latency", &file, "-o", paper.to_str().unwrap()]));
    assert!(
        refused.contains("pictures are SVG, PNG or characters") && !paper.exists(),
        "{refused}"
    );
}

const KINDS: [&str; 15] = [
    "machine",
    "latency",
    "links",
    "bandwidth",
    "loaded",
    "core-to-core",
    "caches",
    "interleave",
    "io",
    "gpu",
    "hidden",
    "disturbances",
    "placements",
    "front",
    "scaling",
];

/// Every kind of picture that the gallery's documents have.
#[test]
fn pictures_are_tables_too() {
    let user = User::new();
    let mut without = KINDS.to_vec();
    for name in
        ["this-machine", "lab-epyc-7451-2p", "lab-gpus-2s", "lab-hidden-2n", "this-machine-xz"]
    {
        let gallery = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/gallery/documents");
        let document = format!("{gallery}/{name}.json");
        for kind in KINDS {
            let output = user.run(&["plot", kind, &document, "--csv"]);
            if output.status.code() == Some(0) {
                let table = stdout(&output);
                let (head, rows) = table.split_once('\n').unwrap();
                assert!(head.contains(',') && !rows.is_empty(), "{kind} of {name}: {table}");
                without.retain(|one| *one != kind);
            }
        }
    }
    // No document of the gallery has disks, or weights of several nodes.
    assert_eq!(without, ["core-to-core", "interleave", "io"]);
    let file = user.folder().join("latency.csv");
    user.run(&["plot", "latency", &survey(&user), "-o", file.to_str().unwrap()]);
    assert!(fs::read_to_string(&file).unwrap().starts_with("CPUs,"));
}
