//! `if a && let Some(b) = c` needs Rust 1.88, Debian has 1.85, and a newer compiler takes it
//! without a word about `rust-version`.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprBinary};

use crate::sources::read;

/// Checks every source file, tests too: they are made with the same compiler.
pub(crate) fn check(root: &Path, files: &[PathBuf]) -> anyhow::Result<()> {
    let mut broken = Vec::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(file).display();
        let lines = lines(&read(file)?).with_context(|| format!("{name} is no Rust"))?;
        broken.extend(lines.iter().map(|line| format!("{name}:{line}")));
    }
    let broken_lines = broken.join("\n  ");
    ensure!(
        broken.is_empty(),
        "`let` beside `&&` needs a newer Rust than Cargo.toml names:\n  {broken_lines}"
    );
    Ok(())
}

/// The lines with a `let` that stands beside an `&&`.
fn lines(text: &str) -> syn::Result<Vec<usize>> {
    let mut found = LetChains(Vec::new());
    found.visit_file(&syn::parse_file(text)?);
    Ok(found.0)
}

struct LetChains(Vec<usize>);

impl<'ast> Visit<'ast> for LetChains {
    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        if matches!(binary.op, BinOp::And(_)) {
            let sides = [&binary.left, &binary.right].into_iter();
            self.0.extend(
                sides
                    .filter(|side| matches!(***side, Expr::Let(_)))
                    .map(|side| side.span().start().line),
            );
        }
        visit::visit_expr_binary(self, binary);
    }
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn chains_are_found_wherever_they_stand_and_nothing_else_is() {
        let chains = "fn f() {\n if a && let Some(b) = c {}\n while let Some(b) = c && d {}\n \
                      match e {\n _ if g && h && let i = j => {}\n _ => {} } }";
        assert_eq!(lines(chains).unwrap(), [2, 3, 5]);
        assert_eq!(lines("fn f() { if let Some(b) = c.filter(|d| d && e) {} }").unwrap(), [0; 0]);
    }
}
