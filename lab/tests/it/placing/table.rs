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

/// That our table has the rows of theirs in their shape, with figures between those that theirs has
/// before and after it. Rows that theirs does not know may come besides.
pub(crate) fn assert_between(name: &str, ours: &str, before: &str, after: &str) {
    let rows: Vec<&str> = ours.lines().collect();
    // It complains of the kernel's newer rows in the middle of its table. Each program maps its own
    // file, and nearfar's is the larger.
    let is_compared = |row: &&str| !row.starts_with("Token ") && label(row) != "Mapped";
    let before: Vec<&str> = before.lines().collect();
    for (at, row) in before.iter().enumerate().filter(|(_, row)| is_compared(row)) {
        // The same row of the same part, wherever sorting has put it.
        let parts = before[..at].iter().filter(|other| label(other) == label(row)).count();
        let mut same = after.lines().filter(|other| label(other) == label(row));
        let Some(later) = same.nth(parts) else {
            // Rows without anything are left out on request, and this one has become one.
            assert!(name.contains('z'), "{name}: no later '{row}' in\n{after}");
            continue;
        };
        assert!(
            rows.iter().any(|candidate| is_row_between(candidate, row, later)),
            "{name}: no '{row}' to '{later}' in\n{ours}"
        );
    }
}

/// That our rows are those of theirs. Where rows without anything are left out, some come and go
/// between theirs before and after ours.
pub(crate) fn assert_same_rows(name: &str, ours: &[&str], before: &[&str], after: &[&str]) {
    if before == after {
        assert_eq!(ours, before, "{name}");
        return;
    }
    let is_known = |row: &&str| before.contains(row) || after.contains(row);
    assert!(ours.iter().all(is_known), "{name}: {ours:?}\n{before:?}\n{after:?}");
    let mut stay = before.iter().filter(|row| after.contains(row));
    assert!(stay.all(|row| ours.contains(row)), "{name}: {ours:?}\n{before:?}\n{after:?}");
}

/// What the rows are called, in their order.
pub(crate) fn labels(text: &str) -> Vec<&str> {
    text.lines().map(label).filter(|label| !label.is_empty() && *label != "Token").collect()
}

/// The words up to a colon (`node 0 free:`), otherwise the first one (`numa_hit`).
fn label(row: &str) -> &str {
    let row = row.trim_start();
    match row.split_once(':') {
        Some((label, _)) => label,
        None => row.split_whitespace().next().unwrap_or(""),
    }
}

fn is_row_between(row: &str, before: &str, after: &str) -> bool {
    // Columns are as wide in all figures. Where widths were left out, figures have their own.
    let is_same_shape = row.len() == before.len() || !before.contains("  ");
    if label(row) != label(before) || !is_same_shape {
        return false;
    }
    if label(before) == "Node" || before.starts_with("Per-node") {
        return row == before;
    }
    let is_between = if is_counter(label(before)) { is_counted_between } else { is_about_between };
    let [row, before, after] =
        [row, before, after].map(|row| row.split_whitespace().collect::<Vec<_>>());
    row.len() == before.len()
        && row.len() == after.len()
        && row
            .iter()
            .zip(before)
            .zip(after)
            .all(|((word, before), after)| *word == before || is_between(word, before, after))
}

/// Whether the kernel only counts up in this row.
fn is_counter(label: &str) -> bool {
    let label = label.to_ascii_lowercase();
    ["numa_", "interleave_hit", "local_node", "other_node"].iter().any(|it| label.starts_with(it))
}

fn is_counted_between(word: &str, before: &str, after: &str) -> bool {
    let [Ok(figure), Ok(before), Ok(after)] = [word, before, after].map(str::parse::<f64>) else {
        return false;
    };
    (before..=after).contains(&figure)
}

/// Between the two, up to a twentieth, a few MB or a few thousand pages: memory comes and goes.
fn is_about_between(word: &str, before: &str, after: &str) -> bool {
    let [Ok(figure), Ok(before), Ok(after)] = [word, before, after].map(str::parse::<f64>) else {
        return false;
    };
    let (least, most) = (before.min(after), before.max(after));
    let unit = if word.contains('.') || figure.max(most) < 1000.0 { 6.0 } else { 2000.0 };
    let slack = unit + 0.05 * most;
    (least - slack..=most + slack).contains(&figure)
}
