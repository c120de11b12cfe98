//! Which sections of a text stand on its first screen, and which below it.

use nearfar_view::terminal::screen::{MAX_LINES, Screen};
use nearfar_view::text::sections;

/// Lines of a short screen around its text: empty ones, the hint at the rest, the next prompt.
const AROUND: usize = 4;
/// Lines of a list, so that a table fits below it.
const MAX_OF_A_LIST: usize = 10;

/// Sections, the most important first.
pub(crate) struct FirstScreen {
    first: Vec<String>,
    rest: Vec<String>,
    last: String,
}

impl FirstScreen {
    /// A screen that begins with the answer and ends with the verdict.
    pub(crate) fn new(answer: String, verdict: &str) -> Self {
        Self { first: vec![answer], rest: vec![], last: bold(verdict) }
    }

    /// Lines that are left for one more section.
    fn lines_left(&self) -> usize {
        let first: usize = self.first.iter().map(|section| section.lines().count() + 1).sum();
        (MAX_LINES - AROUND).saturating_sub(first + self.last.lines().count())
    }

    fn fits(&self, section: &str) -> bool {
        section.lines().count() <= self.lines_left()
    }

    /// A section of the first screen, if it fits there.
    pub(crate) fn section(&mut self, text: String) {
        if text.is_empty() {
            return;
        }
        let place = if self.fits(&text) { &mut self.first } else { &mut self.rest };
        place.push(text);
    }

    /// A list; where it does not fit, as many entries as do, the others below under the same title.
    pub(crate) fn list(&mut self, title: &str, entries: &[String]) {
        let whole = format!("{title}\n{}", entries.concat());
        if !title.is_empty() && !entries.is_empty() && self.fits(&whole) {
            self.first.push(whole);
            return;
        }
        let heading = |more: &str| {
            if title.is_empty() { String::new() } else { format!("{title}{more}\n") }
        };
        let (mut text, mut others) = (heading(""), String::new());
        let most = self.lines_left();
        for (at, entry) in entries.iter().enumerate() {
            let most = if at == 0 { most } else { most.min(MAX_OF_A_LIST) };
            let lines = text.lines().count() + entry.lines().count();
            let text = if others.is_empty() && lines <= most { &mut text } else { &mut others };
            *text += entry;
        }
        if entries.is_empty() {
            return;
        }
        let is_empty = text == heading("");
        if !is_empty {
            self.first.push(text);
        }
        if !others.is_empty() {
            let more = if is_empty { "" } else { ", continued" };
            self.rest.push(heading(more) + &others);
        }
    }

    /// Tables and their remarks, as many as fit in their order. Of a first one that does not fit,
    /// the screen has a summary.
    pub(crate) fn tables(&mut self, tables: Vec<String>, summary: &str) {
        let mut tables = tables.into_iter().filter(|table| !table.is_empty()).peekable();
        if tables.peek().is_some_and(|first| !self.fits(first)) {
            self.section(summary.to_owned());
        } else {
            while let Some(table) = tables.next_if(|table| self.fits(table)) {
                self.first.push(table);
            }
        }
        self.rest.extend(tables);
    }

    /// Whether a section is on the screen already.
    pub(crate) fn has(&self, section: &str) -> bool {
        self.first.iter().chain(&self.rest).any(|one| one == section)
    }

    /// A section below the first screen.
    pub(crate) fn below(&mut self, text: String) {
        self.rest.push(text);
    }

    pub(crate) fn screen(self) -> Screen {
        Screen { first: sections(self.first), rest: sections(self.rest), last: self.last }
    }
}

/// Lines in bold.
pub(crate) fn bold(text: &str) -> String {
    let bold = anstyle::Style::new().bold();
    format!("{bold}{}{bold:#}\n", text.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(number: usize) -> String {
        "line\n".repeat(number)
    }

    #[test]
    fn sections_fill_the_first_screen_and_no_more() {
        let mut screen = FirstScreen::new(lines(2), "verdict\n");
        let entries: Vec<String> = (0..7).map(|_| lines(3)).collect();
        screen.list("What to do", &entries);
        screen.tables(vec![lines(30), lines(1)], "in short\n");
        screen.section(lines(1));
        screen.below("below\n".to_owned());
        let Screen { first, rest, last } = screen.screen();
        assert!(first.lines().count() + last.lines().count() <= MAX_LINES - AROUND, "{first}");
        assert_eq!(first.matches("line").count(), 2 + 9 + 1, "{first}");
        assert!(first.contains("\n\nin short\n\nline\n"), "{first}");
        assert!(rest.starts_with("What to do, continued\nline\n"), "{rest}");
        assert!(rest.ends_with("\n\nbelow\n"), "{rest}");
    }

    #[test]
    fn a_list_that_fits_is_whole() {
        let mut screen = FirstScreen::new(lines(2), "verdict\n");
        screen.list("What to do", &[lines(8), lines(6)]);
        let Screen { first, rest, .. } = screen.screen();
        assert_eq!((first.matches("line").count(), rest.as_str()), (2 + 14, ""), "{first}");
    }

    #[test]
    fn a_first_entry_may_have_all_lines() {
        let mut screen = FirstScreen::new(lines(1), "verdict");
        screen.list("", &[lines(12), lines(1)]);
        assert_eq!(screen.screen().first.matches("line").count(), 13);
        let mut screen = FirstScreen::new(lines(1), "verdict");
        screen.list("Title", &[lines(30)]);
        assert_eq!(screen.screen().rest, format!("Title\n{}", lines(30)));
    }
}
