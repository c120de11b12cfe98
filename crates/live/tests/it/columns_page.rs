//! The page that explains columns has those that there are.

use std::path::Path;

use nearfar_live::text::column_table;

use crate::published_file::assert_published;

#[test]
fn the_page_has_the_columns() {
    const HEAD: &str = "\n## Columns\n\n| column | meaning |\n|---|---|\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/why/live.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let start = page.find(HEAD).unwrap() + HEAD.len();
    let end = start + page[start..].find("\n\n").unwrap() + 1;
    let made = [&page[..start], &column_table(), &page[end..]].concat();
    assert_published(&path, &made, "./dev schema");
}
