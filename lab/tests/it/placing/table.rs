//! Tables of memory by node, held against each other: same shape, same figures up to what happens
//! in between.

/// `numactl -H` without what is free, which changes from one call to the next.
pub(crate) fn without_free(text: &str) -> String {
    text.lines()
        .map(|line| line.split_once(" free: ").map_or(line, |(node, _)| node))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Words of a line with one blank between them: columns of distances are wider in numactl 2.0.19.
pub(crate) fn without_widths(text: &str) -> String {
    text.lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join("\n")
}

/// `numactl -s` without the node whose turn it is under interleave: that depends on the pages that
/// the program itself took.
pub(crate) fn without_turn(text: &str) -> String {
    let turns =
        |line: &&str| line.ends_with("(interleave next)") || line.starts_with("interleavenode:");
    text.split('\n')
        .map(|line| if turns(&line) { label(line) } else { line })
        .collect::<Vec<_>>()
        .join("\n")
}

/// The figures of one column, from 0.
pub(crate) fn column(text: &str, at: usize) -> Vec<f64> {
    let rows = text.lines().filter(|row| label(row) != "Node");
    rows.filter_map(|row| row.split_whitespace().nth(at + 1)?.parse().ok()).collect()
}

/// That our table has the rows of theirs in their shape, with near figures. Rows that theirs does
/// not know may come besides.
pub(crate) fn assert_alike(name: &str, ours: &str, theirs: &str) {
    let rows: Vec<&str> = ours.lines().collect();
    // It complains of the kernel's newer rows in the middle of its table. Each program maps its own
    // file, and nearfar's is the larger.
    let is_compared = |row: &&str| !row.starts_with("Token ") && label(row) != "Mapped";
    for row in theirs.lines().filter(is_compared) {
        let alike = |candidate: &&&str| {
            label(candidate) == label(row) && candidate.len() == row.len() && near(candidate, row)
        };
        assert!(rows.iter().any(|candidate| alike(&candidate)), "{name}: no '{row}' in\n{ours}");
    }
}

/// The names of the rows, in their order.
pub(crate) fn labels(text: &str) -> Vec<&str> {
    text.lines().map(label).filter(|label| !label.is_empty() && *label != "Token").collect()
}

fn label(row: &str) -> &str {
    row.split_whitespace().next().unwrap_or("")
}

fn near(one: &str, other: &str) -> bool {
    let (one, other): (Vec<&str>, Vec<&str>) =
        (one.split_whitespace().collect(), other.split_whitespace().collect());
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_near(one, other))
}

/// The same word, or figures within a twentieth, a few MB or a few thousand pages.
fn is_near(one: &str, other: &str) -> bool {
    match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(a), Ok(b)) => {
            let slack = if one.contains('.') || a.max(b) < 1000.0 { 6.0 } else { 2000.0 };
            (a - b).abs() <= slack + 0.05 * b.abs()
        }
        _ => one == other,
    }
}
