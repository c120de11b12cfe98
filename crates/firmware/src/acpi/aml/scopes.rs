//! The named scopes of one table: a tree of names.

use std::collections::HashMap;

use super::bytes::NamePath;

/// Maximum number of names in a path, and of packages in each other. Real tables have about ten.
pub(super) const MAX_DEPTH: u8 = 64;

/// A scope by its position in [`Scopes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ScopeId(u32);

/// The root, `\`.
pub(super) const ROOT: ScopeId = ScopeId(0);

/// All scopes. Names that only a path mentions count as scopes, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scopes {
    all: Vec<Scope>,
    by_name: HashMap<(ScopeId, [u8; 4]), ScopeId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scope {
    parent: ScopeId,
    name: [u8; 4],
    depth: u8,
    /// Number of arguments, if it is a method.
    arguments: Option<u8>,
}

/// Why a name leads to no scope: too many `^`, or more than [`MAX_DEPTH`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoScope;

impl Scopes {
    /// The root with the scopes that every namespace has (ACPI 6.5, section 5.3.1).
    pub(super) fn new() -> Self {
        let root = Scope { parent: ROOT, name: [0; 4], depth: 0, arguments: None };
        let mut scopes = Self { all: vec![root], by_name: HashMap::new() };
        for name in [b"_GPE", b"_PR_", b"_SB_", b"_SI_", b"_TZ_"] {
            scopes.add(ROOT, *name);
        }
        scopes
    }

    fn get(&self, id: ScopeId) -> &Scope {
        &self.all[id.0 as usize]
    }

    fn add(&mut self, parent: ScopeId, name: [u8; 4]) -> ScopeId {
        let depth = self.get(parent).depth + 1;
        *self.by_name.entry((parent, name)).or_insert_with(|| {
            // A name takes four bytes of a table, whose length has 32 bits.
            let id = ScopeId(self.all.len() as u32);
            self.all.push(Scope { parent, name, depth, arguments: None });
            id
        })
    }

    /// The scope that a name declares in another one, added if it is new.
    pub(super) fn declare(
        &mut self,
        within: ScopeId,
        name: &NamePath<'_>,
    ) -> Result<ScopeId, NoScope> {
        let mut scope = self.start(within, name)?;
        for segment in name.iter() {
            if self.get(scope).depth >= MAX_DEPTH {
                return Err(NoScope);
            }
            scope = self.add(scope, segment);
        }
        Ok(scope)
    }

    /// The scope in which a name is declared: that of all but its last segment.
    pub(super) fn declare_parent(
        &mut self,
        within: ScopeId,
        name: &NamePath<'_>,
    ) -> Result<ScopeId, NoScope> {
        let segments = &name.segments[..name.segments.len().saturating_sub(4)];
        self.declare(within, &NamePath { segments, ..*name })
    }

    /// The scope that a name refers to, added if it is new. A single name is searched in all scopes
    /// around; one that this table does not have is taken for one of the current scope.
    ///
    /// # References
    ///
    /// ACPI 6.5, section 5.3 (search rules)
    pub(super) fn open(
        &mut self,
        within: ScopeId,
        name: &NamePath<'_>,
    ) -> Result<ScopeId, NoScope> {
        match self.find(within, name) {
            Some(found) => Ok(found),
            None => self.declare(within, name),
        }
    }

    /// The scope that a name refers to, if this table has it.
    fn find(&self, within: ScopeId, name: &NamePath<'_>) -> Option<ScopeId> {
        let mut start = self.start(within, name).ok()?;
        let search = !name.from_root && name.parents == 0 && name.segments.len() == 4;
        loop {
            let found = name
                .iter()
                .try_fold(start, |scope, segment| self.by_name.get(&(scope, segment)).copied());
            if found.is_some() || !search || start == ROOT {
                return found;
            }
            start = self.get(start).parent;
        }
    }

    fn start(&self, within: ScopeId, name: &NamePath<'_>) -> Result<ScopeId, NoScope> {
        if name.parents > usize::from(self.get(within).depth) {
            return Err(NoScope);
        }
        let start = if name.from_root { ROOT } else { within };
        Ok((0..name.parents).fold(start, |scope, _| self.get(scope).parent))
    }

    /// Records that a scope is a method.
    pub(super) fn set_arguments(&mut self, method: ScopeId, arguments: u8) {
        self.all[method.0 as usize].arguments = Some(arguments);
    }

    /// Number of arguments of the method with a name, if this table declares it before its use.
    pub(super) fn arguments(&self, within: ScopeId, name: &NamePath<'_>) -> Option<u8> {
        self.get(self.find(within, name)?).arguments
    }

    /// The path as in sysfs' `firmware_node/path`: `\_SB_.PC20`.
    pub(super) fn path(&self, id: ScopeId) -> String {
        let mut names = Vec::new();
        let mut scope = id;
        while scope != ROOT {
            names.push(self.get(scope).name);
            scope = self.get(scope).parent;
        }
        let names: Vec<_> = names.iter().rev().map(|name| String::from_utf8_lossy(name)).collect();
        format!("\\{}", names.join("."))
    }
}

#[cfg(test)]
mod tests {
    use super::super::bytes::AmlBytes;
    use super::*;

    fn name(bytes: &[u8]) -> NamePath<'_> {
        AmlBytes::new(bytes, 0, bytes.len()).name().unwrap().unwrap()
    }

    #[test]
    fn paths_are_resolved_from_root_parents_and_current_scope() {
        let mut scopes = Scopes::new();
        let bridge = scopes.declare(ROOT, &name(b"\\\x2e_SB_PC20")).unwrap();
        let port = scopes.declare(bridge, &name(b"RP01")).unwrap();
        assert_eq!(scopes.path(port), "\\_SB_.PC20.RP01");
        assert_eq!(scopes.declare(port, &name(b"^RP01")), Ok(port));
        assert_eq!(
            scopes.declare(port, &name(b"^^\0")).map(|up| scopes.path(up)),
            Ok("\\_SB_".to_owned())
        );
        assert_eq!(scopes.declare(port, &name(b"^^^^PC20")), Err(NoScope));
        assert_eq!(
            (scopes.path(ROOT), scopes.declare(port, &name(b"\\\0"))),
            ("\\".to_owned(), Ok(ROOT))
        );
    }

    #[test]
    fn single_names_are_searched_upwards() {
        let mut scopes = Scopes::new();
        let bridge = scopes.declare(ROOT, &name(b"\\\x2e_SB_PC20")).unwrap();
        assert_eq!(scopes.open(bridge, &name(b"PC20")), Ok(bridge));
        let new = scopes.open(bridge, &name(b"RP01")).unwrap();
        assert_eq!(scopes.path(new), "\\_SB_.PC20.RP01");
        // Two names are not searched, and a declaration never is.
        let other = scopes.open(bridge, &name(b"\x2e_SB_PC20")).unwrap();
        assert_eq!(scopes.path(other), "\\_SB_.PC20._SB_.PC20");
        let inner = scopes.declare(bridge, &name(b"PC20")).unwrap();
        assert_eq!(scopes.path(inner), "\\_SB_.PC20.PC20");
    }

    #[test]
    fn depth_of_paths_is_limited() {
        let mut scopes = Scopes::new();
        let long = [&[0x2f, 65][..], &b"AAAA".repeat(65)].concat();
        assert_eq!(scopes.declare(ROOT, &name(&long)), Err(NoScope));
    }
}
