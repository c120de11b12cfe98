//! What a user chose to see, and the keys that change it: those of htop.

use crate::document::{GroupRow, ProcessRow, Tick};
use crate::key::Key;
use crate::order::SortKey;
use crate::text::key_answers;
use crate::tree::tree;

/// Order, filters and place in the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The sort key.
    pub sort: SortKey,
    /// Whether the order is inverted.
    pub inverted: bool,
    /// A part of names or command lines, without case; empty shows all.
    pub filter: String,
    /// Only processes of this user, a name or a number; empty shows all.
    pub user: String,
    /// Only these processes; empty shows all.
    pub pids: Vec<u32>,
    /// What keys are typed into.
    pub prompt: Option<Prompt>,
    /// Control groups instead of processes.
    pub groups: bool,
    /// Processes below those that started them.
    pub tree: bool,
    /// Whether the help covers the list.
    pub help: bool,
    /// A text that covers the list; empty without one.
    pub panel: String,
    /// The first line of the help or the panel that is shown.
    pub panel_first: usize,
    /// The answer to the last key, until the next.
    pub status: String,
    /// A question that 'y' confirms.
    pub question: String,
    /// Whether a recording is shown: nothing in it can be asked or ended.
    pub is_replay: bool,
    /// The process that shows the others, which is the last of them.
    pub own: Option<u32>,
    /// Whether its row stands last, whatever its figures are.
    pub own_is_last: bool,
    /// Whether the screen stands still.
    pub paused: bool,
    /// The selected line of the list.
    pub selected: usize,
    /// The first line that is shown.
    pub first: usize,
}

/// What is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prompt {
    /// The filter.
    Filter,
    /// The user.
    User,
}

impl Tick {
    /// The same with a view's filters and order.
    pub fn arranged(&self, view: &View) -> Self {
        let mut tick = self.clone();
        tick.processes.retain(|row| view.shows_process(row));
        view.sort_processes(&mut tick.processes);
        if view.is_filtering() {
            tick.counts.matching = tick.processes.len();
        }
        if let Some(groups) = &mut tick.cgroups {
            groups.retain(|row| view.shows(&row.name));
            view.sort_groups(groups);
        }
        tick
    }
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
    /// The selected process is shown.
    Show,
    /// The selected process is to be ended, after a question.
    AskEnd,
    /// The user confirms that.
    End,
    /// The command ends.
    Quit,
}

impl View {
    /// Whether a name passes the filter.
    pub fn shows(&self, name: &str) -> bool {
        self.filter.is_empty() || name.to_lowercase().contains(&self.filter.to_lowercase())
    }

    /// Whether a process passes all filters.
    pub fn shows_process(&self, row: &ProcessRow) -> bool {
        let identity = &row.identity;
        let is_typed = self.prompt == Some(Prompt::User);
        let is_user = self.user.is_empty()
            || identity.user == self.user
            || is_typed && identity.user.starts_with(&self.user)
            || identity.uid.is_some_and(|uid| uid.to_string() == self.user);
        let is_meant = self.pids.is_empty() || self.pids.contains(&row.pid);
        // This program's own command line contains the filter.
        let is_other = Some(row.pid) != self.own;
        let has_text = self.shows(&row.name) || is_other && self.shows(&identity.command);
        is_user && is_meant && has_text
    }

    /// Whether a filter is active.
    pub fn is_filtering(&self) -> bool {
        !self.filter.is_empty() || !self.user.is_empty() || !self.pids.is_empty()
    }

    /// Sorts processes.
    pub fn sort_processes(&self, rows: &mut Vec<ProcessRow>) {
        rows.sort_unstable_by(|one, other| self.sort.processes(one, other));
        if self.inverted {
            rows.reverse();
        }
        let own = self.own.filter(|_| self.own_is_last);
        if let Some(at) = rows.iter().position(|row| Some(row.pid) == own) {
            rows[at..].rotate_left(1);
        }
        if self.tree {
            *rows = tree(std::mem::take(rows));
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
        self.status.clear();
        if !self.question.is_empty() {
            self.question.clear();
            return if key == Key::Char('y') { KeyEffect::End } else { KeyEffect::Redraw };
        }
        if let Some(prompt) = self.prompt {
            return self.typed(key, prompt);
        }
        if self.help || !self.panel.is_empty() {
            return self.scroll(key, page);
        }
        let effect = self.pressed(key, page);
        self.keep_in(rows, page);
        effect
    }

    fn pressed(&mut self, key: Key, page: usize) -> KeyEffect {
        match key {
            Key::Char('q') | Key::Function(10) => return KeyEffect::Quit,
            Key::Left => return KeyEffect::Step(-1),
            Key::Right => return KeyEffect::Step(1),
            Key::Char('?' | 'h') | Key::Function(1) => (self.help, self.panel_first) = (true, 0),
            Key::Char('\\' | '/') | Key::Function(3 | 4) => self.prompt = Some(Prompt::Filter),
            Key::Char('>' | '.') | Key::Function(6) => self.sort = self.sort.step(true),
            Key::Char('<' | ',') => self.sort = self.sort.step(false),
            Key::Char('I') => self.inverted = !self.inverted,
            Key::Char('c') => {
                self.groups = !self.groups;
                (self.selected, self.first) = (0, 0);
            }
            Key::Char('Z' | ' ') => self.paused = !self.paused,
            Key::Char('u' | 't' | 'k') | Key::Function(5 | 9) | Key::Enter => {
                return self.of_processes(key);
            }
            Key::Char(letter) => match sort_of(letter) {
                Some(sort) => self.sort = sort,
                None => self.status = key_answers::senseless(key),
            },
            Key::Function(_) => self.status = key_answers::senseless(key),
            Key::Escape => (self.filter, self.user) = Default::default(),
            _ => self.select(key, page),
        }
        KeyEffect::Redraw
    }

    /// Keys that need running processes in the list.
    fn of_processes(&mut self, key: Key) -> KeyEffect {
        if self.groups || self.is_replay {
            self.status = key_answers::without_processes(key, self.is_replay);
            return KeyEffect::Redraw;
        }
        match key {
            Key::Char('u') => self.prompt = Some(Prompt::User),
            Key::Char('t') | Key::Function(5) => self.tree = !self.tree,
            Key::Enter => return KeyEffect::Show,
            _ => return KeyEffect::AskEnd,
        }
        KeyEffect::Redraw
    }

    fn typed(&mut self, key: Key, prompt: Prompt) -> KeyEffect {
        let text = match prompt {
            Prompt::Filter => &mut self.filter,
            Prompt::User => &mut self.user,
        };
        match key {
            Key::Char(letter) if !letter.is_control() => text.push(letter),
            Key::Backspace => {
                text.pop();
            }
            Key::Enter => self.prompt = None,
            Key::Escape => {
                text.clear();
                self.prompt = None;
            }
            _ => return KeyEffect::Nothing,
        }
        (self.selected, self.first) = (0, 0);
        KeyEffect::Redraw
    }

    /// Moves through the help or the panel; any other key ends it.
    fn scroll(&mut self, key: Key, page: usize) -> KeyEffect {
        let (first, page) = (self.panel_first, page.max(1));
        self.panel_first = match key {
            Key::Up => first.saturating_sub(1),
            Key::Down => first.saturating_add(1),
            Key::PageUp => first.saturating_sub(page),
            Key::PageDown | Key::Char(' ') => first.saturating_add(page),
            Key::Home => 0,
            Key::End => usize::MAX,
            _ => {
                self.help = false;
                self.panel.clear();
                0
            }
        };
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
    use crate::document::ProcessIdentity;

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
        assert_eq!(press(&mut view, &[Key::Char('x')]), KeyEffect::Redraw);
        assert_eq!(view.status, "x: no such key here; F1 lists them");
        assert_eq!(press(&mut view, &[Key::Escape]), KeyEffect::Redraw);
        assert_eq!(view.filter, "");
        assert_eq!(press(&mut view, &[Key::Char('q')]), KeyEffect::Quit);
    }

    #[test]
    fn any_key_ends_the_help_and_arrows_step_through_recordings() {
        let mut view = View::default();
        press(&mut view, &[Key::Function(1), Key::PageDown]);
        assert!(view.help && view.panel_first == 10);
        assert_eq!(press(&mut view, &[Key::Char('q')]), KeyEffect::Redraw);
        assert!(!view.help);
        assert_eq!(press(&mut view, &[Key::Left]), KeyEffect::Step(-1));
        press(&mut view, &[Key::Char('c'), Key::Char('Z'), Key::Function(6)]);
        assert!(view.groups && view.paused && view.sort == SortKey::Share);
    }

    #[test]
    fn keys_of_htop_work_or_answer() {
        let mut view = View::default();
        assert_eq!(press(&mut view, &[Key::Enter]), KeyEffect::Show);
        assert_eq!(press(&mut view, &[Key::Char('k')]), KeyEffect::AskEnd);
        view.question = "End 7?".to_owned();
        assert_eq!(press(&mut view, &[Key::Char('n')]), KeyEffect::Redraw);
        view.question = "End 7?".to_owned();
        assert_eq!(press(&mut view, &[Key::Char('y')]), KeyEffect::End);
        press(&mut view, &[Key::Function(5)]);
        assert!(view.tree && view.status.is_empty());
        press(&mut view, &[Key::Char('H')]);
        assert!(view.status.starts_with("H: "), "{}", view.status);
        view.is_replay = true;
        for key in [Key::Enter, Key::Function(9), Key::Char('u')] {
            assert_eq!(press(&mut view, &[key]), KeyEffect::Redraw);
            assert!(view.status.contains("a recording"), "{}", view.status);
        }
    }

    #[test]
    fn users_and_numbers_are_filters() {
        let row = |pid, user: &str, uid| ProcessRow {
            pid,
            identity: ProcessIdentity {
                user: user.to_owned(),
                uid: Some(uid),
                command: format!("/bin/{user}"),
                ..ProcessIdentity::default()
            },
            ..ProcessRow::default()
        };
        let rows = [row(1, "root", 0), row(2, "rootless", 1000), row(3, "db", 71)];
        let shown = |view: &View| {
            rows.iter().filter(|row| view.shows_process(row)).map(|row| row.pid).collect::<Vec<_>>()
        };
        let mut view = View { own: Some(2), ..View::default() };
        press(&mut view, &[Key::Char('u'), Key::Char('r'), Key::Char('o')]);
        assert_eq!(shown(&view), [1, 2]);
        press(&mut view, &[Key::Char('o'), Key::Char('t'), Key::Enter]);
        assert_eq!(shown(&view), [1]);
        view.user = "71".to_owned();
        assert_eq!(shown(&view), [3]);
        let by_number = View { pids: vec![2, 3], filter: "BIN/DB".to_owned(), ..View::default() };
        assert_eq!(shown(&by_number), [3]);
        let own = View { own: Some(3), filter: "bin/db".to_owned(), ..View::default() };
        assert_eq!(shown(&own), Vec::<u32>::new());
        let mut sorted = rows.to_vec();
        View { own: Some(1), own_is_last: true, ..View::default() }.sort_processes(&mut sorted);
        assert_eq!(sorted.last().map(|row| row.pid), Some(1));
    }
}
