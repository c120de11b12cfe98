//! The book's page of the gallery, by `docs/gallery/gallery.toml`: which machines are real.

use std::path::Path;

use anyhow::Context;

use crate::sources::read;

/// What a page shows, by the first words of its `made_from`.
const KINDS: [(&str, &[&str]); 3] = [
    (
        "Real machines",
        &["Measured by nearfar in a virtual machine", "Run by nearfar", "Measured by nearfar on"],
    ),
    (
        "Machines of the lab",
        &["Measured by nearfar in a machine made", "Measured by nearfar in mac"],
    ),
    ("Replayed and made up", &["Replayed", "Made up"]),
];

pub(super) fn page(workspace: &Path) -> anyhow::Result<String> {
    let file = workspace.join("docs/gallery/gallery.toml");
    text(&read(&file)?).with_context(|| format!("{} is no gallery", file.display()))
}

fn text(gallery: &str) -> anyhow::Result<String> {
    let gallery: toml::Table = gallery.parse()?;
    let pages = gallery.get("page").and_then(toml::Value::as_array).context("it has no pages")?;
    let mut sections = KINDS.map(|(title, _)| format!("\n## {title}\n"));
    for page in pages {
        let field = |name: &str| {
            let value = page.get(name).and_then(toml::Value::as_str);
            value.with_context(|| format!("a page has no {name}"))
        };
        let origin = field("made_from")?;
        let is_of = |kind: &(&str, &[&str])| kind.1.iter().any(|it| origin.starts_with(it));
        let kind = KINDS.iter().position(is_of).with_context(|| {
            format!("'{origin}' begins as no kind of xtask/src/book/gallery.rs")
        })?;
        let (name, title, shows) = (field("name")?, field("title")?, field("shows")?);
        sections[kind]
            .push_str(&format!("\n[**{title}**](gallery/{name}.html). {shows} *{origin}*\n"));
    }
    Ok(format!(
        "# The gallery\n\nPages that nearfar makes. They have no scripts, and need no network. \
         [All with their pictures](gallery/index.html); \
         [beside lstopo's pictures](gallery/lstopo.html).\n{}",
        sections.concat()
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{page, text};

    #[test]
    fn every_page_of_the_gallery_has_its_kind() {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let page = page(&workspace).unwrap();
        let real = page.find("## Real").unwrap();
        let lab = page.find("## Machines of the lab").unwrap();
        let found = page.find("](gallery/lab-hidden-2n.html)").unwrap();
        assert!(real < lab && lab < found, "{page}");
    }

    #[test]
    fn an_unknown_origin_is_refused() {
        let gallery = "[[page]]\nname = 'a'\ntitle = 'A'\nshows = 'B.'\nmade_from = 'Dreamt.'";
        assert!(text(gallery).unwrap_err().to_string().contains("'Dreamt.'"));
    }
}
