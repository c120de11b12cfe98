//! The colours, and the classes by which drawings name them.
//!
//! A drawing never names a colour of ink or paper itself: it has `class="t"`, and the document
//! around it defines that colour. So one drawing serves a light page, a dark one and print.
//! The series colours are Okabe and Ito's ("Color Universal Design", 2008), darkened or lightened
//! until each has a contrast of at least 3 to its paper (WCAG 2.1, 1.4.11, for marks) and text at
//! least 4.5.

/// How many series have a colour, a mark and a dash of their own; further ones start over.
pub(crate) const SERIES: usize = 8;

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark ink on white paper.
    #[default]
    Light,
    /// Light ink on dark paper.
    Dark,
}

impl Theme {
    /// Its colours.
    pub fn palette(self) -> &'static Palette {
        match self {
            Self::Light => &LIGHT,
            Self::Dark => &DARK,
        }
    }
}

/// The colours of a document, as CSS writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Palette {
    /// What is drawn on.
    pub paper: &'static str,
    /// A panel on the paper.
    pub panel: &'static str,
    /// Text.
    pub ink: &'static str,
    /// Quieter text, still at 4.5.
    pub quiet: &'static str,
    /// Axes and frames.
    pub line: &'static str,
    /// The grid.
    pub grid: &'static str,
    /// Marks: real differences, false claims, what is chosen.
    pub mark: &'static str,
    /// The series, in order.
    pub series: [&'static str; SERIES],
}

/// For screens in daylight and for paper.
pub const LIGHT: Palette = Palette {
    paper: "#ffffff",
    panel: "#f4f5f7",
    ink: "#16191d",
    quiet: "#565d66",
    line: "#7b838d",
    grid: "#dfe2e6",
    mark: "#b3261e",
    series: [
        "#0060a0", "#b85000", "#00785a", "#a0508c", "#7a6a00", "#2f7fb5", "#5a5a5a", "#8a2f00",
    ],
};

/// For dark rooms.
pub const DARK: Palette = Palette {
    paper: "#14171a",
    panel: "#1d2126",
    ink: "#e8eaed",
    quiet: "#a9b0b8",
    line: "#858d96",
    grid: "#32383f",
    mark: "#ff8a80",
    series: [
        "#56b4e9", "#e69f00", "#2fc79b", "#e09ac8", "#e8da45", "#8fc7ff", "#b8b8b8", "#ff9a66",
    ],
};

impl Palette {
    /// Its colours as custom properties, to stand in `:root { }`.
    pub fn properties(&self) -> String {
        let Self { paper, panel, ink, quiet, line, grid, mark, series } = self;
        let series = series.iter().enumerate().map(|(k, colour)| format!("--s{k}:{colour};"));
        let named = format!(
            "--paper:{paper};--panel:{panel};--ink:{ink};--quiet:{quiet};--line:{line};--grid:\
             {grid};--mark:{mark};"
        );
        named + &series.collect::<String>()
    }

    /// The rules that every document with drawings in it needs: what each class of a drawing looks
    /// like. They take the colours from custom properties, so one copy serves all palettes.
    pub fn style() -> String {
        let series = (0..SERIES)
            .map(|k| format!(".s{k}{{stroke:var(--s{k});fill:none}}.f{k}{{fill:var(--s{k})}}"));
        STYLE.to_owned() + &series.collect::<String>()
    }

    /// The same rules with the colours written out, for documents whose renderers do not know
    /// custom properties.
    pub(crate) fn fixed_style(&self) -> String {
        let properties = self.properties();
        let colours =
            properties.split_terminator(';').filter_map(|property| property.split_once(':'));
        colours
            .fold(Self::style(), |css, (name, colour)| css.replace(&format!("var({name})"), colour))
    }
}

/// `t` text, `q` quiet text, `h` bold text, `l` a line, `g` grid, `p` a panel with a frame, `c` a
/// claim's dashed line, `m` a mark's outline, `mt` a mark's text, `k` a filled dot in ink, `a` a
/// faint area; `sN` the stroke of series N, `fN` its filling. `e`, `d` and `n` anchor text at its
/// end, middle and start.
const STYLE: &str = "\
.nearfar{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Liberation Sans','DejaVu \
                     Sans',sans-serif}.t{fill:var(--ink)}.q{fill:var(--quiet)}.h{fill:var(--ink);\
                     font-weight:600}.e{text-anchor:end}.d{text-anchor:middle}.l{stroke:\
                     var(--line);fill:none}.g{stroke:var(--grid);fill:none}.p{stroke:var(--line);\
                     fill:var(--panel)}.c{stroke:var(--line);fill:none;stroke-dasharray:4 \
                     3}.m{stroke:var(--mark);fill:none;stroke-width:2.5}.mt{fill:var(--mark)}.\
                     k{fill:var(--ink)}.w{fill:var(--paper)}.a{fill:var(--grid);fill-opacity:.6}.\
                     b{stroke:#000;fill:none}";
