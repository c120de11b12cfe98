//! What a user chose to see, and the keys that change it: those of htop.

use crate::document::{GroupRow, ProcessRow, Tick};
use crate::order::SortKey;

/// Order, filter and place in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The sort key.
    pub sort: SortKey,
    /// Whether the order is inverted.
    pub inverted: bool,
    /// A part of names, without case; empty shows all.
    pub filter: String,
    /// Whether keys go into the filter.
    pub is_typing: bool,
    /// Control groups instead of processes.
    pub groups: bool,
    /// Whether the help covers the list.
    pub help: bool,
    /// Whether the screen stands still.
    pub paused: bool,
    /// The selected line of the list.
    pub selected: usize,
    /// The first line that is shown.
    pub first: usize,
}

impl Tick {
    /// The same with a view's filter and order.
    pub fn arranged(&self, view: &View) -> Self {
        let mut tick = self.clone();
        tick.processes.retain(|row| view.shows(&row.name));
        view.sort_processes(&mut tick.processes);
        if !view.filter.is_empty() {
            tick.counts.matching = tick.processes.len();
        }
        if let Some(groups) = &mut tick.cgroups {
            groups.retain(|row| view.shows(&row.name));
            view.sort_groups(groups);
        }
        tick
    }
}

/// A key, with the meaning of its name.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Char(char),
    Function(u8),
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    Backspace,
}

/// What a key means beyond the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyEffect {
    /// Nothing.
    Nothing,
    /// The screen changes.
    Redraw,
    /// A step in a recording: forwards or backwards.
    Step(i64),
    /// The command ends.
    Quit,
}

impl View {
    /// Whether a name passes the filter.
    pub fn shows(&self, name: &str) -> bool {
        self.filter.is_empty() || name.to_lowercase().contains(&self.filter.to_lowercase())
    }

    /// Sorts processes.
    pub fn sort_processes(&self, rows: &mut [ProcessRow]) {
        rows.sort_unstable_by(|one, other| self.sort.processes(one, other));
        if self.inverted {
            rows.reverse();
        }
    }

    /// Sorts control groups.
    pub fn sort_groups(&self, rows: &mut [GroupRow]) {
        rows.sort_unstable_by(|one, other| self.sort.groups(one, other));
        if self.inverted {
            rows.reverse();
        }
    }

    /// Takes a key. `rows` is the length of the list, `page` the number of its lines on the screen.
    pub fn press(&mut self, key: Key, rows: usize, page: usize) -> KeyEffect {
        if self.is_typing {
            return self.typed(key);
        }
        if self.help {
            self.help = false;
            return KeyEffect::Redraw;
        }
        match key {
            Key::Char('q') | Key::Function(10) => return KeyEffect::Quit,
            Key::Left => return KeyEffect::Step(-1),
            Key::Right => return KeyEffect::Step(1),
            Key::Char('?' | 'h') | Key::Function(1) => self.help = true,
            Key::Char('\\' | '/') | Key::Function(3 | 4) => self.is_typing = true,
            Key::Char('>' | '.') | Key::Function(6) => self.sort = self.sort.step(true),
            Key::Char('<' | ',') => self.sort = self.sort.step(false),
            Key::Char('I') => self.inverted = !self.inverted,
            Key::Char('c') => {
                self.groups = !self.groups;
                (self.selected, self.first) = (0, 0);
            }
            Key::Char('Z' | ' ') => self.paused = !self.paused,
            Key::Char(letter) => match sort_of(letter) {
                Some(sort) => self.sort = sort,
                None => return KeyEffect::Nothing,
            },
            Key::Escape if !self.filter.is_empty() => self.filter.clear(),
            _ => self.select(key, page),
        }
        self.keep_in(rows, page);
        KeyEffect::Redraw
    }

    fn typed(&mut self, key: Key) -> KeyEffect {
        match key {
            Key::Char(letter) if !letter.is_control() => self.filter.push(letter),
            Key::Backspace => {
                self.filter.pop();
            }
            Key::Enter => self.is_typing = false,
            Key::Escape => {
                self.is_typing = false;
                self.filter.clear();
            }
            _ => return KeyEffect::Nothing,
        }
        (self.selected, self.first) = (0, 0);
        KeyEffect::Redraw
    }

    fn select(&mut self, key: Key, page: usize) {
        self.selected = match key {
            Key::Up => self.selected.saturating_sub(1),
            Key::Down => self.selected.saturating_add(1),
            Key::PageUp => self.selected.saturating_sub(page),
            Key::PageDown => self.selected.saturating_add(page),
            Key::Home => 0,
            Key::End => usize::MAX,
            _ => self.selected,
        };
    }

    /// Keeps the selection in the list, and on the screen.
    pub fn keep_in(&mut self, rows: usize, page: usize) {
        let page = page.max(1);
        self.selected = self.selected.min(rows.saturating_sub(1));
        self.first = self.first.min(self.selected).max((self.selected + 1).saturating_sub(page));
    }
}

/// The letters of htop, and those of columns that it lacks.
fn sort_of(letter: char) -> Option<SortKey> {
    Some(match letter {
        'P' => SortKey::Cpu,
        'M' => SortKey::Memory,
        'N' => SortKey::Pid,
        'R' => SortKey::Remote,
        'S' => SortKey::Share,
        'T' => SortKey::Threads,
        'V' => SortKey::Moving,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(view: &mut View, keys: &[Key]) -> KeyEffect {
        keys.iter().map(|key| view.press(*key, 100, 10)).last().unwrap()
    }

    #[test]
    fn the_selection_stays_in_the_list_and_on_the_screen() {
        let mut view = View::default();
        press(&mut view, &[Key::Up]);
        assert_eq!((view.selected, view.first), (0, 0));
        press(&mut view, &[Key::PageDown, Key::Down]);
        assert_eq!((view.selected, view.first), (11, 2));
        press(&mut view, &[Key::End]);
        assert_eq!((view.selected, view.first), (99, 90));
        view.keep_in(3, 10);
        assert_eq!((view.selected, view.first), (2, 2));
        view.keep_in(0, 0);
        assert_eq!((view.selected, view.first), (0, 0));
    }

    #[test]
    fn letters_sort_until_a_filter_is_typed() {
        let mut view = View::default();
        press(&mut view, &[Key::Char('M'), Key::Char('I')]);
        assert_eq!((view.sort, view.inverted), (SortKey::Memory, true));
        let typed = ['\\', 'D', 'x'].map(Key::Char);
        press(&mut view, &typed);
        press(&mut view, &[Key::Backspace, Key::Char('B'), Key::Enter]);
        assert!(view.shows("mongodb") && !view.shows("redis") && view.sort == SortKey::Memory);
        assert_eq!(press(&mut view, &[Key::Char('x')]), KeyEffect::Nothing);
        assert_eq!(press(&mut view, &[Key::Escape]), KeyEffect::Redraw);
        assert_eq!(view.filter, "");
        assert_eq!(press(&mut view, &[Key::Char('q')]), KeyEffect::Quit);
    }

    #[test]
    fn any_key_ends_the_help_and_arrows_step_through_recordings() {
        let mut view = View::default();
        press(&mut view, &[Key::Function(1)]);
        assert!(view.help);
        assert_eq!(press(&mut view, &[Key::Char('q')]), KeyEffect::Redraw);
        assert!(!view.help);
        assert_eq!(press(&mut view, &[Key::Left]), KeyEffect::Step(-1));
        press(&mut view, &[Key::Char('c'), Key::Char('Z'), Key::Function(6)]);
        assert!(view.groups && view.paused && view.sort == SortKey::Share);
    }
}
