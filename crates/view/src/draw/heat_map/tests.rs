use super::*;

fn cell(value: f64) -> Option<HeatCell> {
    Some(HeatCell {
        value,
        shown: format!("{value:.0}"),
        tooltip: format!("{value} ns"),
        ..HeatCell::default()
    })
}

fn square(side: usize) -> HeatMap {
    let names = |letter: char| (0..side).map(|k| format!("{letter}{k}")).collect();
    HeatMap {
        unit: "ns".to_owned(),
        rows: names('r'),
        columns: names('c'),
        cells: (0..side)
            .map(|r| (0..side).map(|c| cell((r * side + c) as f64)).collect())
            .collect(),
        ..HeatMap::default()
    }
}

#[test]
fn large_maps_become_tiles_of_medians_and_stay_small() {
    let map = square(1024);
    let body = map.drawing().body.into_string();
    assert!(body.len() < 600 * 1024, "{}", body.len());
    assert!(
        body.contains("r0 to r15, c16 to c31: median 7704 ns, from 16 to 15391"),
        "{}",
        &body[..3000]
    );
    assert!(body.contains("Each tile is the median of up to 16 × 16 cells"));
    let table = map.table();
    assert_eq!((table.rows.len(), table.columns.len(), table.rows[63].len()), (64, 65, 65));
}

#[test]
fn what_is_good_is_light() {
    let fill = |more_is_better| {
        let cells = vec![vec![cell(1.0), cell(9.0)], vec![cell(9.0); 2]];
        let map = HeatMap { cells, more_is_better, ..square(0) };
        let body = map.drawing().body.into_string();
        body.split("fill=\"").nth(1).unwrap()[..7].to_owned()
    };
    assert_eq!(fill(false), crate::draw::ramp::css(crate::draw::ramp::ramp(0.0)));
    assert_eq!(fill(true), crate::draw::ramp::css(crate::draw::ramp::ramp(1.0)));
}

#[test]
fn equal_values_and_unusable_scales_have_a_colour() {
    let map = HeatMap {
        cells: vec![vec![cell(5.0); 2]; 2],
        scale: MapScale::Whole(ColourScale::even([f64::NAN, 1.0])),
        ..square(0)
    };
    let middle = crate::draw::ramp::css(crate::draw::ramp::ramp(0.5));
    assert!(map.drawing().body.into_string().contains(&middle));
}

#[test]
fn ragged_rows_are_filled_up() {
    let map = HeatMap { cells: vec![vec![cell(1.0)], vec![None, cell(2.0), None]], ..square(0) };
    assert!(map.table().rows.iter().all(|row| row.len() == 4));
    assert_eq!(map.table().rows[1], ["", "–", "2", "–"]);
}

#[test]
fn terminals_lose_values_before_blocks_and_blocks_before_lines() {
    let plain = |columns| Screen { columns, ..Screen::PLAIN };
    let mut map = square(8);
    map.cells[0][1].as_mut().unwrap().marked = true;
    map.mark_note = "a reason".to_owned();
    let wide = map.in_terminal(&plain(80)).unwrap();
    assert!(wide.contains("63"), "{wide}");
    let narrow = map.in_terminal(&plain(24)).unwrap();
    assert!(!narrow.contains("62") && narrow.contains('█'), "{narrow}");
    for text in [wide, narrow] {
        assert!(text.contains("* a reason"), "{text}");
    }
    let large = square(300).in_terminal(&plain(60)).unwrap();
    assert!(large.lines().all(|line| line.chars().count() <= 60), "{large}");
    assert!(large.contains("median of up to"));
}

#[test]
fn two_levels_are_two_halves_with_two_colours() {
    let cells = vec![vec![cell(1.0), cell(9.0)], vec![cell(1.0); 2]];
    let mut map = HeatMap { cells, ..square(0) };
    let level = |value: f64| HeatLevel { value, shown: value.to_string() };
    map.cells[0][0].as_mut().unwrap().levels = Some([level(2.0), level(9.0)]);
    let body = map.drawing().body.into_string();
    for words in [">2</text>", ">9</text>", "In two halves"] {
        assert!(body.contains(words), "{words}: {body}");
    }
    let dark = crate::draw::ramp::css(crate::draw::ramp::ramp(1.0));
    assert_eq!(body.matches(&format!("z\" fill=\"{dark}\"")).count(), 2, "{body}");
    let text = map.in_terminal(&Screen::PLAIN).unwrap();
    assert!(text.contains("2/9") && text.contains("a/b: two typical values"), "{text}");
}

#[test]
fn columns_with_their_own_scales_are_shaded_alone() {
    let cells = vec![vec![cell(10.0), cell(100.0)], vec![cell(5.0), cell(50.0)]];
    let scale = MapScale::Columns { best: vec![10.0, 100.0], times: 2.0 };
    let map = HeatMap { cells, scale, more_is_better: true, ..square(0) };
    let shading = super::Shading::from_map(&map);
    assert_eq!((shading.badness(0, 10.0), shading.badness(1, 100.0)), (0.0, 0.0));
    assert_eq!((shading.badness(0, 5.0), shading.badness(1, 50.0)), (1.0, 1.0));
    let body = map.drawing().body.into_string();
    assert!(body.contains("2 times less") && body.contains("most of its column"), "{body}");
}

#[test]
fn cells_without_a_number_show_why() {
    let cells = vec![vec![cell(f64::NAN), cell(9.0)], vec![cell(1.0); 2]];
    let mut map = HeatMap { cells, ..square(0) };
    map.cells[0][0].as_mut().unwrap().shown = "undetermined".to_owned();
    assert!(map.drawing().body.into_string().contains(">undetermined</text>"));
    assert!(map.in_terminal(&Screen::PLAIN).unwrap().contains("undetermined"));
    assert_eq!(map.table().rows[0][1..], ["undetermined", "9"].map(str::to_owned));
}

#[test]
fn tables_show_intervals_once() {
    let mut one = cell(1110.0).unwrap();
    one.exact = Some("1110 ±9.22".to_owned());
    let note = |text: &str, is_in_exact| HeatNote { text: text.to_owned(), is_in_exact };
    one.beneath = vec![note("±9.22", true), note("1.0×", false)];
    assert_eq!(in_table(&Some(one)), "1110 ±9.22 (1.0×)");
}

#[test]
fn a_map_of_one_row_is_lines_of_text() {
    let row = |columns: usize| HeatMap {
        cells: vec![(0..columns).map(|c| cell(c as f64)).collect()],
        rows: vec!["CPUs 0-3".to_owned()],
        columns: (0..columns).map(|k| format!("c{k}")).collect(),
        ..square(0)
    };
    let map = row(2);
    assert_eq!(map.in_lines(), ["CPUs 0-3:", "c0: 0 ns", "c1: 1 ns"]);
    assert_eq!(row(1).in_lines(), ["CPUs 0-3, c0: 0 ns"]);
    let body = map.drawing().body.into_string();
    assert!(body.contains("c1: 1 ns") && !body.contains("fill="), "{body}");
    let narrow = Screen { columns: 24, ..Screen::PLAIN };
    assert_eq!(map.in_terminal(&narrow).unwrap(), "CPUs 0-3:\nc0: 0 ns\nc1: 1 ns\n");
    let gap = HeatMap { cells: vec![vec![None]], ..row(1) };
    assert_eq!(gap.in_lines(), ["CPUs 0-3, c0: not measured"]);
    assert!(row(13).in_lines().is_empty() && square(2).in_lines().is_empty());
}

#[test]
fn zero_has_the_ground_of_the_page_and_deviations_two_colours() {
    let map = HeatMap {
        cells: vec![vec![cell(-9.0), cell(0.0)], vec![cell(9.0), cell(4.5)]],
        scale: MapScale::Diverging(9.0),
        ..square(2)
    };
    let body = map.drawing().body.into_string();
    for painted in [
        "class=\"g f0\" d=\"M0 0h43v33h-43z\" fill-opacity=\"0.55\"",
        "class=\"g f1\" d=\"M44 0h43v33h-43z\" fill-opacity=\"0\"",
        "class=\"g f1\" d=\"M0 0h43v33h-43z\" fill-opacity=\"0.55\"",
    ] {
        assert!(body.contains(painted), "{painted} is not in {body}");
    }
    let plain = map.in_terminal(&Screen::PLAIN).unwrap();
    assert!(plain.contains("[████    ▒▒██]") || plain.contains("[██▒▒  ▒▒██]"), "{plain}");
}
