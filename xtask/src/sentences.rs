//! Sentences for people stand in `text` modules, in messages of errors, and in declarations: what
//! decides, measures or reads makes none.

use std::path::Path;

use anyhow::{Context, ensure};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemFn, LitStr};

use crate::modules::{is_test, name_and_attributes};
use crate::sources::product_files;

/// Words from which a text is a sentence.
const MIN_WORDS: usize = 5;

/// Where sentences may stand besides `text` modules, by the start of their path.
const ALLOWED: [&str; 18] = [
    // Their only task is to show.
    "crates/report/",
    "crates/view/",
    "crates/cli/",
    "crates/gpu-helper/",
    "crates/process/src/numactl/",
    // Declarations: pages are made of them.
    "crates/devices/src/document/finding.rs",
    "crates/devices/src/irq/document/finding.rs",
    "crates/diagnose/src/codes/list.rs",
    "crates/diagnose/src/doctor/facility.rs",
    "crates/live/src/columns/",
    "crates/model/src/finding.rs",
    // Descriptions of fields, which the schema has.
    "crates/devices/src/level.rs",
    "crates/survey/src/samples/schema.rs",
    // The kernel's own messages.
    "crates/firmware/src/linux/rules/",
    // What pictures show below their titles.
    "crates/sweep/src/pictures/",
    // Files that are written for others.
    "crates/machine/src/capture/manifest.rs",
    "crates/devices/src/irq_set/lasting/",
    "crates/process/src/launch/as_system/",
];

pub(crate) fn check(workspace: &Path) -> anyhow::Result<()> {
    let mut found = Vec::new();
    for (name, text) in product_files(workspace)? {
        if is_allowed(&name) {
            continue;
        }
        let parsed = syn::parse_file(&text).with_context(|| format!("{name} is no Rust"))?;
        found.extend(sentences(&parsed).into_iter().map(|line| format!("{name}: {line}")));
    }
    ensure!(
        found.is_empty(),
        "sentences outside text modules (xtask/src/sentences.rs):\n  {}",
        found.join("\n  ")
    );
    Ok(())
}

fn is_allowed(name: &str) -> bool {
    let is_text = name.ends_with("/text.rs") || name.contains("/text/");
    is_text || !name.starts_with("crates/") || ALLOWED.iter().any(|start| name.starts_with(start))
}

fn sentences(file: &syn::File) -> Vec<String> {
    let mut scan = Scan::default();
    scan.visit_file(file);
    scan.found
}

#[derive(Default)]
struct Scan {
    found: Vec<String>,
}

impl Scan {
    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Ok(text) = syn::parse2::<LitStr>(TokenTree::from(literal).into()) {
                        self.text(&text.value());
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }

    fn text(&mut self, text: &str) {
        let is_one = text.starts_with(char::is_uppercase)
            && text.trim_end().ends_with('.')
            && text.split_whitespace().count() >= MIN_WORDS;
        if is_one {
            self.found.push(text.to_owned());
        }
    }
}

impl<'ast> Visit<'ast> for Scan {
    fn visit_item(&mut self, item: &'ast Item) {
        let (_, attributes) = name_and_attributes(item);
        if !is_test(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    /// Documentation, and messages of errors.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_lit_str(&mut self, text: &'ast LitStr) {
        self.text(&text.value());
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.tokens(call.tokens.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_found_outside_documentation_and_tests() {
        let text = "/// A comment is no sentence here.\n#[error(\"This is a message of mine.\")]\n\
                    struct A;\nfn f() { g(\"Node 0 is slow for all.\"); h!(x, \"It is far from \
                    here.\"); i(\"a clause without an end\"); }\n\
                    #[cfg(test)]\nmod tests { fn t() { g(\"This is in a test.\"); } }\n";
        let found = sentences(&syn::parse_file(text).unwrap());
        assert_eq!(found, ["Node 0 is slow for all.", "It is far from here."]);
    }

    #[test]
    fn text_modules_are_allowed_by_their_path() {
        assert!(is_allowed("crates/devices/src/irq/text/rows.rs"));
        assert!(is_allowed("crates/live/src/explain/text.rs"));
        assert!(!is_allowed("crates/live/src/explain/trial.rs"));
        assert!(!is_allowed("crates/model/src/set_text.rs"));
    }
}
