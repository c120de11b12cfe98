//! Figures of the source: `cargo run -p xtask -- counts [CHECKOUT]`.
//!
//! Product code is what stands in `src` folders, without tests, comments and blank lines.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use serde_json::Value;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ImplItemFn, Item, ItemFn, Signature};

use crate::modules::{is_test, name_and_attributes};
use crate::sources::product_files;

/// A file that names this many instruments knows them all.
const MANY: usize = 5;
const LONG_FUNCTION: usize = 60;
const LONG_FILE: usize = 600;

/// Where product code stands.
const PARTS: [&str; 3] = ["crates", "lab", "xtask"];

/// The instruments as names contain them, without underscores and hyphens.
const INSTRUMENTS: [&str; 7] =
    ["latency", "bandwidth", "caches", "coretocore", "loaded", "interleave", "hidden"];

#[derive(Debug, Default)]
struct Counts {
    /// Files, and their lines with code.
    lines: Vec<(String, usize)>,
    /// Files of `crates` that name most instruments, and how many they name.
    naming: Vec<(String, usize)>,
    /// Functions by file and name, and their lines.
    functions: Vec<(String, usize)>,
    /// Files, and their lines with comments and tests.
    long_files: Vec<(String, usize)>,
}

/// Prints the figures of a checkout.
pub(crate) fn print(root: &Path) -> anyhow::Result<()> {
    let mut counts = Counts::default();
    for (name, text) in product_files(root)? {
        counts.add(&name, &text).with_context(|| format!("{name} is no Rust"))?;
    }
    for part in PARTS {
        let (lines, files) = counts.size(|name| name.starts_with(part));
        println!("{lines:>6} lines of product code in {files} files of {part}");
    }
    let (lines, files) = counts.size(|_| true);
    println!("{lines:>6} lines of product code in {files} files");
    let crates = counts.crates();
    println!("{} crates", crates.len());
    for (name, lines) in crates {
        println!("{lines:>6}  {name}");
    }
    println!("{} direct dependencies between packages, tests aside", dependencies(root)?);
    println!(
        "{} files name {MANY} or more of the {} instruments",
        counts.naming.len(),
        INSTRUMENTS.len()
    );
    list(&mut counts.naming);
    println!("{} functions have more than {LONG_FUNCTION} lines", counts.functions.len());
    list(&mut counts.functions);
    println!("{} files have more than {LONG_FILE} lines", counts.long_files.len());
    list(&mut counts.long_files);
    Ok(())
}

/// How often a package of the workspace names another one as a dependency of its product.
fn dependencies(root: &Path) -> anyhow::Result<usize> {
    let manifest = root.join("Cargo.toml");
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]);
    let output = command.arg(&manifest).output()?;
    ensure!(output.status.success(), "cargo metadata fails on {}", manifest.display());
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let all = packages.flat_map(|package| package["dependencies"].as_array().into_iter().flatten());
    Ok(all.filter(|one| one["kind"].is_null() && one["path"].is_string()).count())
}

fn list(entries: &mut [(String, usize)]) {
    entries.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    entries.iter().for_each(|(name, number)| println!("  {number:>4}  {name}"));
}

impl Counts {
    fn add(&mut self, name: &str, text: &str) -> syn::Result<()> {
        let parsed = syn::parse_file(text)?;
        let mut scan = Scan::default();
        scan.visit_file(&parsed);
        scan.read(text.parse()?);
        self.lines.push((name.to_owned(), scan.lines.len()));
        if scan.instruments.len() >= MANY && name.starts_with("crates/") {
            self.naming.push((name.to_owned(), scan.instruments.len()));
        }
        let long = scan.functions.into_iter().filter(|(_, lines)| *lines > LONG_FUNCTION);
        self.functions.extend(long.map(|(function, lines)| (format!("{name}: {function}"), lines)));
        let lines = text.lines().count();
        if lines > LONG_FILE {
            self.long_files.push((name.to_owned(), lines));
        }
        Ok(())
    }

    /// The crates of the product, and their lines of code.
    fn crates(&self) -> BTreeMap<&str, usize> {
        let mut crates = BTreeMap::new();
        for (name, lines) in &self.lines {
            if let Some(["crates", name]) = name.split('/').collect::<Vec<_>>().get(..2) {
                *crates.entry(*name).or_default() += lines;
            }
        }
        crates
    }

    /// Lines of product code in the files whose names are wanted, and how many files these are.
    fn size(&self, is_wanted: impl Fn(&str) -> bool) -> (usize, usize) {
        let wanted = self.lines.iter().filter(|(name, _)| is_wanted(name));
        wanted.fold((0, 0), |(lines, files), (_, more)| (lines + more, files + 1))
    }
}

/// What one file has.
#[derive(Default)]
struct Scan {
    /// Where tests are; all else is outside of them.
    tests: Vec<RangeInclusive<usize>>,
    /// Functions and their lengths.
    functions: Vec<(String, usize)>,
    lines: BTreeSet<usize>,
    /// Those that tokens name.
    instruments: BTreeSet<&'static str>,
}

impl Scan {
    fn read(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            // A comment of documentation is an attribute to the parser.
            if matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '#') {
                tokens.next_if(
                    |next| matches!(next, TokenTree::Punct(sign) if sign.as_char() == '!'),
                );
                if tokens.next_if(is_documentation).is_some() {
                    continue;
                }
            }
            self.take(token);
        }
    }

    fn take(&mut self, token: TokenTree) {
        let (start, end) = (token.span().start().line, token.span().end().line);
        if self.tests.iter().any(|lines| lines.contains(&start)) {
            return;
        }
        match token {
            TokenTree::Group(group) => {
                self.lines.extend([start, end]);
                self.read(group.stream());
            }
            TokenTree::Ident(name) => {
                self.lines.insert(start);
                let name = normalised(&name.to_string());
                self.instruments
                    .extend(INSTRUMENTS.iter().find(|instrument| name.contains(**instrument)));
            }
            TokenTree::Literal(literal) => {
                self.lines.extend(start..=end);
                let text = normalised(literal.to_string().trim_matches('"'));
                self.instruments.extend(INSTRUMENTS.iter().find(|instrument| text == **instrument));
            }
            TokenTree::Punct(_) => {
                self.lines.insert(start);
            }
        }
    }

    fn skips(&mut self, attributes: &[Attribute], lines: RangeInclusive<usize>) -> bool {
        let skips = is_test(attributes);
        if skips {
            self.tests.push(lines);
        }
        skips
    }

    fn measure(&mut self, signature: &Signature, body: &Block) {
        let lines = lines_of(body).end() - lines_of(signature).start() + 1;
        self.functions.push((signature.ident.to_string(), lines));
    }
}

fn lines_of(spanned: &impl Spanned) -> RangeInclusive<usize> {
    spanned.span().start().line..=spanned.span().end().line
}

impl<'ast> Visit<'ast> for Scan {
    fn visit_item(&mut self, item: &'ast Item) {
        let (_, attributes) = name_and_attributes(item);
        if !self.skips(attributes, lines_of(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.measure(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        if !self.skips(&function.attrs, lines_of(function)) {
            self.measure(&function.sig, &function.block);
            visit::visit_impl_item_fn(self, function);
        }
    }
}

fn is_documentation(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else { return false };
    let first = group.stream().into_iter().next();
    let is_doc = matches!(first, Some(TokenTree::Ident(name)) if name == "doc");
    group.delimiter() == Delimiter::Bracket && is_doc
}

fn normalised(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '_' | '-')).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_blank_lines_and_tests_are_no_code() {
        let text = "//! A file.\n\n/// Two\n/// lines.\n#[derive(Debug)]\nstruct A;\n\nfn f() {\n\
             // why\n    g();\n}\n\n#[cfg(test)]\nmod tests {\n    fn t() {}\n}\n";
        let mut counts = Counts::default();
        counts.add("a.rs", text).unwrap();
        assert_eq!(
            (counts.size(|_| true), counts.naming.len(), counts.functions.len()),
            ((5, 1), 0, 0)
        );
        counts.add("b/c.rs", "use d;").unwrap();
        counts.add("crates/d/src/e.rs", "use d;\nuse e;").unwrap();
        assert_eq!(counts.crates(), BTreeMap::from([("d", 2)]));
        assert_eq!(
            (counts.size(|_| true), counts.size(|name| name.starts_with("b"))),
            ((8, 3), (1, 1))
        );
    }

    #[test]
    fn names_and_exact_words_name_instruments_and_sentences_do_not() {
        let text = "fn f(latency_ns: u32, caches: CachesRun, l: Loaded) -> &str { \
                    g(\"core-to-core\", \"bandwidth\"); \"hidden nodes\" }";
        let mut counts = Counts::default();
        counts.add("crates/a.rs", text).unwrap();
        counts.add("lab/a.rs", text).unwrap();
        assert_eq!(counts.naming, [("crates/a.rs".to_owned(), 5)]);
    }

    #[test]
    fn long_functions_and_files_are_listed() {
        let body = "    g();\n".repeat(LONG_FUNCTION);
        let mut counts = Counts::default();
        counts.add("a.rs", &format!("fn f() {{\n{body}}}\n")).unwrap();
        assert_eq!(counts.functions, [("a.rs: f".to_owned(), LONG_FUNCTION + 2)]);
        counts.add("b.rs", &"// nothing\n".repeat(LONG_FILE + 1)).unwrap();
        assert_eq!(counts.long_files, [("b.rs".to_owned(), LONG_FILE + 1)]);
    }
}
