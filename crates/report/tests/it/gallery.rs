//! The gallery: pages of machines that few people have, each with the source of its figures.
//!
//! `docs/gallery/gallery.toml` lists them. Documents are in `docs/gallery/documents/`, those of the
//! lab as the survey in the guest wrote them; [`published`] replays published matrices. A page
//! follows from its document byte by byte, so a test compares them, or writes the pages.

mod lstopo;
mod published;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use nearfar_report::page::{self, Origin};
use nearfar_report::pictures::{Changes, PictureKind, SurveyPicture, name_machine};
use nearfar_survey::Survey;
use nearfar_survey::compare::{compare, usual_between};
use nearfar_survey::fleet::text::maps;
use nearfar_survey::fleet::{FleetDocument, FleetSettings, read_files};
use nearfar_sweep::Sweep;
use nearfar_sweep::pictures::SweepKind;
use nearfar_view::draw::{Picture, Theme, for_both_themes, standalone};
use serde::Deserialize;

use crate::published_file::assert_published;

/// The folder of the pages.
fn gallery() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery")
}

/// `gallery.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    page: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// Its file's name, without the end.
    name: String,
    /// Its line in the list of pages.
    title: String,
    /// What it shows, in a sentence of that list.
    shows: String,
    /// The kind of the picture in that list.
    thumbnail: String,
    origin: EntryOrigin,
    /// Where its figures come from: stands at the head of the page.
    made_from: String,
    /// A published matrix that is replayed, by its name.
    published: Option<String>,
    /// Documents in `documents/`, two or more for surveys beside each other.
    #[serde(default)]
    documents: Vec<String>,
    /// Surveys of a fleet in `docs/captures`.
    fleet: Option<String>,
    /// Kinds of pictures that are kept beside the page, for documents that show them.
    #[serde(default)]
    pictures: Vec<String>,
}

/// What kind of machine the figures of a page are of; the lists of pages are in this order.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum EntryOrigin {
    Measured,
    Lab,
    Replayed,
}

impl EntryOrigin {
    const ALL: [Self; 3] = [Self::Measured, Self::Lab, Self::Replayed];

    fn heading(self) -> &'static str {
        match self {
            Self::Measured => "Measured: virtual machines",
            Self::Lab => "Measured: machines of the lab, made of software",
            Self::Replayed => "Replayed or made up: no machine was measured",
        }
    }
}

fn pages() -> anyhow::Result<Vec<(PathBuf, String)>> {
    let folder = gallery();
    let text = fs::read_to_string(folder.join("gallery.toml"))
        .context("cannot read docs/gallery/gallery.toml")?;
    let list = listed(&text)?;
    let mut pages = Vec::new();
    let mut cards = Vec::new();
    for entry in &list.page {
        let of = || format!("the page '{}'", entry.name);
        let shown = GalleryDocument::read(&folder, entry).with_context(of)?;
        pages.push((folder.join(format!("{}.html", entry.name)), shown.page()));
        cards.push(IndexCard {
            entry,
            // What was never measured has no date.
            date: shown.date().filter(|_| entry.published.is_none()),
            picture: for_both_themes(shown.picture(&entry.thumbnail).with_context(of)?.as_ref()),
        });
        for kind in &entry.pictures {
            let mut picture = shown.picture(kind).with_context(of)?;
            if let (Some(machine), true) = (shown.machine(), kind != "machine") {
                name_machine(picture.as_mut(), &machine);
            }
            for (theme, end) in [(Theme::Light, ""), (Theme::Dark, "-dark")] {
                let file = format!("{}-{kind}{end}.svg", entry.name);
                pages.push((folder.join(file), standalone(picture.as_ref(), theme)));
            }
        }
    }
    pages.push((folder.join("index.html"), index(&cards)));
    pages.push((folder.join("pages.md"), page_of_docs(&list.page)));
    Ok(pages)
}

/// The list; what is wrong with it in a line.
fn listed(text: &str) -> anyhow::Result<List> {
    let list: List = toml::from_str(text).map_err(|error| {
        let line = text[..error.span().map_or(0, |span| span.start)].matches('\n').count() + 1;
        anyhow!("docs/gallery/gallery.toml, line {line}: {}", error.message().replace('\n', " "))
    })?;
    for (at, entry) in list.page.iter().enumerate() {
        ensure!(
            list.page[..at].iter().all(|other| other.name != entry.name),
            "two pages are called '{}'",
            entry.name
        );
    }
    Ok(list)
}

/// What a page shows.
enum GalleryDocument {
    Survey(Box<Survey>, Origin),
    Surveys(Vec<(Survey, Origin)>),
    Fleet(Box<FleetDocument>),
    Sweep(Box<Sweep>, Origin),
}

impl GalleryDocument {
    fn read(folder: &Path, entry: &Entry) -> anyhow::Result<Self> {
        let origin =
            |file: &str| Origin { file: file.to_owned(), made_from: Some(entry.made_from.clone()) };
        if let Some(name) = &entry.published {
            return Ok(Self::Survey(
                Box::new(published::survey(name)?),
                origin(&format!("{}.json", entry.name)),
            ));
        }
        if let Some(fleet) = &entry.fleet {
            // The document names it: not by where this checkout lies.
            let file = Path::new("../../docs/captures").join(fleet);
            let surveys = read_files(&[file], &|_, work| work())?;
            return Ok(Self::Fleet(Box::new(surveys.judge(FleetSettings { floor: 0.03 })?)));
        }
        let documents = folder.join("documents");
        match &entry.documents[..] {
            [] => bail!("it names neither a published matrix nor documents"),
            [one] if is_sweep(&documents.join(one))? => {
                Ok(Self::Sweep(Box::new(nearfar_sweep::read(&documents.join(one))?), origin(one)))
            }
            [one] => {
                Ok(Self::Survey(Box::new(nearfar_survey::read(&documents.join(one))?), origin(one)))
            }
            several => {
                let read = |file: &String| {
                    Ok((nearfar_survey::read(&documents.join(file))?, origin(file)))
                };
                Ok(Self::Surveys(several.iter().map(read).collect::<anyhow::Result<Vec<_>>>()?))
            }
        }
    }

    /// The day on which the first was measured.
    fn date(&self) -> Option<String> {
        let began = match self {
            Self::Survey(survey, _) => &survey.provenance.started,
            Self::Surveys(surveys) => &surveys.first()?.0.provenance.started,
            Self::Sweep(sweep, _) => &sweep.started,
            Self::Fleet(_) => return None,
        };
        began.get(..10).map(str::to_owned)
    }

    fn page(&self) -> String {
        match self {
            Self::Survey(survey, origin) => page::survey(survey, origin, false),
            Self::Surveys(surveys) => page::surveys(surveys, false),
            Self::Sweep(sweep, origin) => page::sweep(sweep, origin),
            Self::Fleet(fleet) => page::fleet(fleet),
        }
    }

    fn machine(&self) -> Option<String> {
        match self {
            Self::Survey(survey, _) => Some(survey.machine.short_name()),
            _ => None,
        }
    }

    /// The first picture of a kind; of several surveys that of the second, with what changed.
    fn picture(&self, kind: &str) -> anyhow::Result<Box<dyn Picture>> {
        let of_survey = |survey: &Survey, changes: Option<&Changes<'_>>| {
            let drawn = PictureKind::from_name(kind)?.draw(survey, changes);
            drawn.pictures.into_iter().next().map(SurveyPicture::into_picture)
        };
        let picture = match self {
            Self::Survey(survey, _) => of_survey(survey, None),
            Self::Surveys(surveys) => {
                let [first, second] = [&surveys[0].0, &surveys[1].0];
                let compared = compare(first, second, usual_between(&[first, second]))?;
                of_survey(second, Some(&Changes::from_comparison(&compared)))
            }
            Self::Sweep(sweep, _) => SweepKind::from_name(kind).and_then(|kind| kind.draw(sweep)),
            Self::Fleet(fleet) => {
                maps(fleet, 0).into_iter().next().map(|map| Box::new(map) as Box<dyn Picture>)
            }
        };
        picture.with_context(|| format!("it has no picture '{kind}'"))
    }
}

fn is_sweep(path: &Path) -> anyhow::Result<bool> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let document: serde_json::Value = serde_json::from_str(&text)?;
    Ok(document["schema"].as_str().is_some_and(|schema| schema.starts_with("nearfar.sweep/")))
}

/// A page in the list of pages.
struct IndexCard<'e> {
    entry: &'e Entry,
    date: Option<String>,
    /// An SVG.
    picture: String,
}

/// The page that lists the others.
fn index(cards: &[IndexCard<'_>]) -> String {
    const STYLE: &str = include_str!("gallery/index.css");
    let image = |svg: &str| format!("data:image/svg+xml;base64,{}", STANDARD.encode(svg));
    let body = html! {
        h1 { "Pages that nearfar makes" }
        @for origin in EntryOrigin::ALL {
            h2 { (origin.heading()) }
            ul {
                @for card in cards.iter().filter(|card| card.entry.origin == origin) {
                    @let IndexCard { entry, date, picture } = card;
                    li {
                        a href=(format!("{}.html", entry.name)) {
                            img src=(image(picture)) alt="";
                            span { (entry.title) }
                        }
                        p { (entry.shows) }
                        p class="source" {
                            (entry.made_from) @if let Some(date) = date { " (" (date) ")" }
                        }
                    }
                }
                @if origin == EntryOrigin::Replayed {
                    li {
                        a href="lstopo.html" { span { "Machines beside lstopo" } }
                        p { (BESIDE_LSTOPO) }
                    }
                }
            }
        }
    };
    whole_page("Gallery", STYLE, &body)
}

const BESIDE_LSTOPO: &str = "Twelve machines, as both programs draw them.";

/// The same list for readers of docs.
fn page_of_docs(entries: &[Entry]) -> String {
    let mut page = "# The gallery\n\nPages that nearfar makes: no scripts, no network. A browser \
                    opens them from a clone or on\nthe docs site; [index.html](index.html) has \
                    their pictures. Written by `./dev gallery`.\n"
        .to_owned();
    for origin in EntryOrigin::ALL {
        page +=
            &format!("\n## {}\n\n| page | shows | figures |\n|---|---|---|\n", origin.heading());
        for Entry { name, title, shows, made_from, .. } in
            entries.iter().filter(|entry| entry.origin == origin)
        {
            page += &format!("| [{title}]({name}.html) | {shows} | {made_from} |\n");
        }
    }
    page + &format!("| [Machines beside lstopo](lstopo.html) | {BESIDE_LSTOPO} | Not measured. |\n")
}

/// A page of the gallery's own: no scripts, and nothing is loaded.
fn whole_page(title: &str, style: &str, body: &Markup) -> String {
    const POLICY: &str =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'";
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · nearfar" }
                style { (PreEscaped(style)) }
            }
            body { (body) }
        }
    };
    page.into_string() + "\n"
}

const PAGE: &str = "[[page]]\nname = \"a\"\ntitle = \"A\"\norigin = \"lab\"\n\
                    made_from = \"Made up.\"\nshows = \"A.\"\nthumbnail = \"machine\"\n";

fn wrong(list: &str) -> String {
    let made = listed(list)
        .and_then(|list| GalleryDocument::read(Path::new("nowhere"), &list.page[0]).map(|_| ()));
    format!("{:#}", made.unwrap_err())
}

#[test]
fn a_wrong_entry_is_reported_in_one_line() {
    for (list, expected) in [
        ("[[page]]\nname = \"a\"\n".to_owned(), "line 1: missing field `title`"),
        (format!("{PAGE}document = \"a.json\"\n"), "line 8: unknown field `document`"),
        (format!("{PAGE}{PAGE}"), "two pages are called 'a'"),
        (PAGE.to_owned(), "it names neither a published matrix nor documents"),
        (format!("{PAGE}published = \"pdp-11\"\n"), "no published matrix is called 'pdp-11'"),
        (format!("{PAGE}documents = [\"b.json\"]\n"), "cannot read nowhere/documents/b.json"),
        (format!("{PAGE}documents = [\"b.json\", \"c.json\"]\n"), "nowhere/documents/b.json"),
    ] {
        let error = wrong(&list);
        assert!(error.contains(expected), "{error:?} lacks {expected:?}");
        assert!(!error.contains('\n'), "{error:?}");
    }
}

#[test]
fn each_listed_document_exists_and_has_a_source() {
    let folder = gallery();
    let list = listed(&fs::read_to_string(folder.join("gallery.toml")).unwrap()).unwrap();
    for entry in &list.page {
        assert!(!entry.made_from.is_empty() && entry.shows.ends_with('.'), "{}", entry.name);
        GalleryDocument::read(&folder, entry)
            .unwrap_or_else(|error| panic!("{}: {error:#}", entry.name));
    }
}

#[test]
fn pages_are_what_their_documents_give_today() {
    for (path, page) in pages().unwrap_or_else(|error| panic!("{error:#}")) {
        assert_published(&path, &page, "./dev gallery");
    }
}

#[test]
fn distance_classes_have_colours_of_their_own() {
    let survey = published::survey("epyc-7451").unwrap();
    let drawn = PictureKind::from_name("latency").unwrap().draw(&survey, None);
    let svg = standalone(drawn.pictures[0].picture(), Theme::Light);
    let green = |ns: &str| {
        let (before, _) = svg.split_once(&format!(">{ns}</text>")).unwrap();
        // The text's own colour comes last, before it the cell's.
        let cell = before.rsplit("fill=\"").nth(1).unwrap();
        u8::from_str_radix(&cell[3..5], 16).unwrap()
    };
    assert!(green("287").abs_diff(green("310")) > 15, "{} and {}", green("287"), green("310"));
}
