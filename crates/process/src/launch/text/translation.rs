//! A placement in another system's words, ready to copy, with what is lost.

use nearfar_view::terminal::printable;
use nearfar_view::text::paragraph;
use nearfar_view::text::sections;

use crate::launch::Translation;

/// Each part under a comment that names its place; the caveats as comments below. Comments are
/// XML's where the parts are.
pub fn text(translation: &Translation) -> String {
    let (begin, end) = if translation.system == "libvirt" { ("<!--", " -->") } else { ("#", "") };
    let indent = if end.is_empty() { "#   " } else { "     " };
    let parts = translation.parts.iter().filter(|part| !part.text.is_empty());
    let parts = parts
        .map(|part| format!("{begin} {}{end}\n{}\n", part.place, printable::lines(&part.text)));
    let caveats = translation.caveats.iter();
    let caveats = caveats
        .map(|caveat| paragraph::of(&format!("{caveat}{end}"), &format!("{begin} "), indent));
    sections(parts.chain([caveats.collect()]))
}

#[cfg(test)]
mod tests {
    use crate::launch::ConfigSnippet;

    use super::*;

    #[test]
    fn parts_are_ready_to_copy_and_caveats_are_comments() {
        let parts = vec![
            ConfigSnippet { place: "here", text: "a=1\nb=2".to_owned() },
            ConfigSnippet { place: "nowhere", text: String::new() },
        ];
        let caveats = vec!["Mind this.".to_owned()];
        let translation =
            Translation { schema: Translation::SCHEMA, system: "systemd", parts, caveats };
        assert_eq!(text(&translation), "# here\na=1\nb=2\n\n# Mind this.\n");
        let remark = Translation { parts: Vec::new(), ..translation.clone() };
        assert_eq!(text(&remark), "# Mind this.\n");
        let guest = Translation { system: "libvirt", ..translation };
        assert_eq!(text(&guest), "<!-- here -->\na=1\nb=2\n\n<!-- Mind this. -->\n");
    }
}
