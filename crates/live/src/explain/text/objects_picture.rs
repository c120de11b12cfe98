//! Objects as a picture: what each costs, by address.

use nearfar_view::draw::{DotRow, Dots, Heading, Quantity};
use nearfar_view::terminal::printable;

use super::object_words::{object_name, size, verdict};
use super::objects::objects_answers;
use crate::explain::ObjectsDocument;

/// Costs with their intervals, a row an object, ranges below the object that was cut; `None`
/// without a result.
pub fn objects_picture(document: &ObjectsDocument) -> Option<Dots> {
    let mut rows = Vec::new();
    for stage in &document.stages {
        for one in &stage.objects {
            let Some(effect) = one.effect.effect else { continue };
            let head = if stage.cut.is_some() { "  " } else { "" };
            let [low, high] = effect.ci95.map(|end| 100.0 * end);
            rows.push(DotRow {
                name: format!("{head}{} ({})", object_name(&one.object), size(one)),
                values: vec![100.0 * effect.value],
                boxes: vec![[low, 100.0 * effect.value, high]],
                note: verdict(one.effect.verdict).to_owned(),
            });
        }
    }
    let answers = objects_answers(document);
    let answer = answers.first().map_or("", String::as_str);
    let what = if document.is_of_threads() { "Threads" } else { "Memory" };
    (!rows.is_empty()).then(|| Dots {
        heading: Heading::with_marks(
            format!("{what} of {}: what far costs", printable::line(document.program())),
            "Change of its time with one of them far, in the order of addresses or numbers",
            ["Boxes: 95 % intervals.", "Indented: ranges of the object above them.", answer],
        ),
        across: Quantity { label: "change of time, %".to_owned(), ..Quantity::default() },
        rows,
    })
}
