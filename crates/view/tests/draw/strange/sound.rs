//! What is true of every picture.

use nearfar_view::draw::{Picture, Screen, Theme, WIDTH, inline, standalone};
use roxmltree::{Document, Node};

/// The elements that drawings are made of.
const ELEMENTS: [&str; 12] = [
    "svg", "title", "desc", "style", "g", "rect", "path", "text", "tspan", "circle", "polyline",
    "polygon",
];

/// Checks a picture in all its forms; gives the size of its document.
pub(crate) fn check(picture: &dyn Picture) -> usize {
    let document = standalone(picture, Theme::Light);
    assert_eq!(document, standalone(picture, Theme::Light), "the same picture, other bytes");
    assert!(picture.drawing().width <= WIDTH);
    let parsed = Document::parse(&document).unwrap_or_else(|e| panic!("{e}: {document}"));
    nodes(parsed.root_element());
    Document::parse(&inline(picture, "p").into_string()).unwrap();
    let table = picture.table();
    assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "a ragged table");
    characters(picture);
    document.len()
}

/// Only elements of ours, only finite attributes, all text within the drawing and none on another.
fn nodes(root: Node<'_, '_>) {
    let room: Vec<f64> = numbers(root.attribute("viewBox").unwrap());
    for node in root.descendants().filter(Node::is_element) {
        let name = node.tag_name().name();
        assert!(ELEMENTS.contains(&name), "<{name}>");
        for attribute in node.attributes() {
            let value = attribute.value();
            assert!(
                !value.contains("NaN") && !value.contains("inf"),
                "{name} {}={value}",
                attribute.name()
            );
        }
    }
    super::texts::check(root, &room);
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(' ').map(|number| number.parse().unwrap()).collect()
}

/// Terminals get nothing that they would obey, and no line that is too long.
fn characters(picture: &dyn Picture) {
    for screen in [
        Screen::PLAIN,
        Screen { columns: 40, colours: false, unicode: false },
        Screen { columns: 0, ..Screen::PLAIN },
    ] {
        let Some(text) = picture.in_terminal(&screen) else { continue };
        assert!(screen.unicode || text.is_ascii(), "{text}");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(widest <= screen.columns.max(24), "{widest} of {}:\n{text}", screen.columns);
    }
    picture.in_terminal(&Screen { colours: true, ..Screen::PLAIN });
}
