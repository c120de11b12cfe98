//! Which kernel modules a guest loads, each after those that its `.modinfo` depends on.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use elf::ElfBytes;
use elf::endian::AnyEndian;
use lzma_rust2::XzReader;

/// Why modules cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModuleError {
    /// A file cannot be read or unpacked.
    #[error("cannot read the kernel module {}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// The kit has none of this name.
    #[error(
        "the kit has no kernel module '{name}': lab_drivers of lab/setup.sh lists what \
         ./dev lab-setup fetches"
    )]
    Absent { name: String },
    /// It is no module.
    #[error(
        "{} is no kernel module: remove the kit's folder and run ./dev lab-setup",
        path.display()
    )]
    Strange { path: PathBuf },
}

/// Fails where the kit does not have one of the named modules.
pub(super) fn check_names(paths: &[PathBuf], named: &[String]) -> Result<(), ModuleError> {
    let is_there = |wanted: &&String| paths.iter().any(|path| name(path) == **wanted);
    match named.iter().find(|wanted| !is_there(wanted)) {
        Some(name) => Err(ModuleError::Absent { name: name.clone() }),
        None => Ok(()),
    }
}

/// Reads and unpacks modules, and returns the wanted ones and their dependencies in loading order,
/// each with the name that other modules have for it. What is not among the files the kernel has
/// built in.
pub(super) fn in_order<'w>(
    paths: &[PathBuf],
    wanted: impl Iterator<Item = &'w str>,
) -> Result<Vec<(String, Vec<u8>)>, ModuleError> {
    let mut modules = BTreeMap::new();
    let mut depends = BTreeMap::new();
    for path in paths {
        let bytes = unpacked(path)?;
        let on = dependencies(&bytes).ok_or_else(|| ModuleError::Strange { path: path.clone() })?;
        depends.insert(name(path), on);
        modules.insert(name(path), bytes);
    }
    let order = order(wanted, &depends);
    Ok(order.iter().filter_map(|name| modules.remove_entry(name)).collect())
}

fn order<'w>(
    wanted: impl Iterator<Item = &'w str>,
    depends: &BTreeMap<String, Vec<String>>,
) -> Vec<String> {
    let mut order = Vec::new();
    for name in wanted {
        visit(name, depends, &mut Vec::new(), &mut order);
    }
    order
}

/// Depth first. `above` ends a cycle.
fn visit(
    name: &str,
    depends: &BTreeMap<String, Vec<String>>,
    above: &mut Vec<String>,
    order: &mut Vec<String>,
) {
    let Some(on) = depends.get(name) else { return };
    if order.iter().chain(above.iter()).any(|known| known == name) {
        return;
    }
    above.push(name.to_owned());
    for other in on {
        visit(other, depends, above, order);
    }
    above.pop();
    order.push(name.to_owned());
}

/// Names are spelt with `-` in some places and with `_` in others, and mean the same.
fn name(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    file.split('.').next().unwrap_or_default().replace('-', "_")
}

fn unpacked(path: &Path) -> Result<Vec<u8>, ModuleError> {
    let unreadable = |source| ModuleError::Unreadable { path: path.to_owned(), source };
    let bytes = fs::read(path).map_err(unreadable)?;
    if path.extension().is_none_or(|extension| extension != "xz") {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    XzReader::new(bytes.as_slice(), true).read_to_end(&mut plain).map_err(unreadable)?;
    Ok(plain)
}

/// The names after `depends=` in a module's `.modinfo`, which is a list of strings closed by NUL.
fn dependencies(module: &[u8]) -> Option<Vec<String>> {
    let file = ElfBytes::<AnyEndian>::minimal_parse(module).ok()?;
    let section = file.section_header_by_name(".modinfo").ok()??;
    let (modinfo, _) = file.section_data(&section).ok()?;
    let lines = modinfo.split(|&byte| byte == 0);
    let listed = lines
        .filter_map(|line| line.strip_prefix(b"depends="))
        .flat_map(|list| list.split(|&byte| byte == b','));
    let names = listed.filter(|name| !name.is_empty());
    Some(names.map(|name| String::from_utf8_lossy(name).replace('-', "_")).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn order_of(wanted: &[&str], modules: &[(&str, &[&str])]) -> Vec<String> {
        let depends: BTreeMap<_, Vec<_>> = modules
            .iter()
            .map(|(name, on)| {
                ((*name).to_owned(), on.iter().map(|&other| other.to_owned()).collect())
            })
            .collect();
        order(wanted.iter().copied(), &depends)
    }

    #[test]
    fn wanted_modules_load_after_those_they_need() {
        let modules: [(&str, &[&str]); 6] = [
            ("virtio_console", &["virtio", "virtio_ring"]),
            ("virtio", &[]),
            ("virtio_pci", &["virtio_ring", "virtio", "virtio_pci_modern_dev"]),
            ("virtio_ring", &["virtio"]),
            ("virtio_pci_modern_dev", &[]),
            ("nvme", &["nvme_core"]),
        ];
        assert_eq!(
            order_of(&["virtio_console", "virtio_pci"], &modules),
            ["virtio", "virtio_ring", "virtio_console", "virtio_pci_modern_dev", "virtio_pci"]
        );
    }

    #[test]
    fn named_modules_are_those_of_the_kit() {
        let paths = [PathBuf::from("/kit/dm-mod.ko.xz")];
        let check = |name: &str| check_names(&paths, &[name.to_owned()]);
        assert!(check("dm_mod").is_ok());
        let error = check("dm").unwrap_err().to_string();
        assert!(error.starts_with("the kit has no kernel module 'dm'"), "{error}");
    }

    #[test]
    fn built_in_modules_are_skipped_and_a_cycle_ends() {
        assert_eq!(order_of(&["a", "also_built_in"], &[("a", &["built_in"])]), ["a"]);
        assert_eq!(order_of(&["a"], &[("a", &["b"]), ("b", &["a"])]), ["b", "a"]);
    }

    #[test]
    fn a_packed_module_is_called_as_others_call_it() {
        assert_eq!(name(Path::new("/x/nvme-core.ko.xz")), "nvme_core");
    }

    #[test]
    fn a_file_that_is_no_module_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ko");
        fs::write(&path, "no module").unwrap();
        let error = in_order(&[path], [].into_iter()).unwrap_err().to_string();
        assert!(error.contains("x.ko is no kernel module"), "{error}");
        let path = folder.path().join("y.ko.xz");
        fs::write(&path, "not packed").unwrap();
        assert!(matches!(in_order(&[path], [].into_iter()), Err(ModuleError::Unreadable { .. })));
    }

    proptest! {
        #[test]
        fn no_file_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            dependencies(&[b"\x7fELF\x02\x01\x01".as_slice(), &bytes].concat());
        }
    }
}
