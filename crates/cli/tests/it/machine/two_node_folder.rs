//! A machine of two nodes in a folder: two GPUs and a network card below a switch, a disk on the
//! other node, a USB controller without a node.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

pub(super) struct TwoNodeFolder(TempDir);

pub(super) const SWITCH: &str = "pci0000:17/0000:17:00.0/0000:18:00.0";

impl TwoNodeFolder {
    pub(super) fn new() -> Self {
        let machine = Self(tempfile::tempdir().unwrap());
        let system = "sys/devices/system";
        machine.file(&format!("{system}/cpu/online"), "0-3\n");
        for cpu in 0..4 {
            let topology = format!("{system}/cpu/cpu{cpu}/topology");
            machine.file(&format!("{topology}/core_cpus_list"), &format!("{cpu}\n"));
            machine.file(&format!("{topology}/physical_package_id"), &format!("{}\n", cpu / 2));
        }
        for (node, cpus) in ["0-1\n", "2-3\n"].iter().enumerate() {
            machine.file(&format!("{system}/node/node{node}/cpulist"), cpus);
        }
        machine.bridge("pci0000:17/0000:17:00.0");
        machine.bridge(SWITCH);
        for port in ["0000:19:00.0", "0000:19:01.0", "0000:19:02.0"] {
            machine.bridge(&format!("{SWITCH}/{port}"));
        }
        machine.gpu("0000:19:00.0/0000:1a:00.0");
        machine.gpu("0000:19:01.0/0000:1b:00.0");
        let card = format!("{SWITCH}/0000:19:02.0/0000:1c:00.0");
        machine.function(&card, "20700", "15B3:1021", "0\n");
        machine.name(&card, "net", "ib0");
        machine.name(&card, "infiniband", "mlx5_0");
        machine.bridge("pci0000:85/0000:85:00.0");
        let disk = "pci0000:85/0000:85:00.0/0000:86:00.0";
        machine.function(disk, "10802", "144D:A80A", "1\n");
        machine.name(disk, "nvme", "nvme0");
        machine.function("pci0000:00/0000:00:14.0", "C0330", "1B21:2142", "-1\n");
        machine
    }

    pub(super) fn root(&self) -> &str {
        self.0.path().to_str().unwrap()
    }

    pub(super) fn path(&self, inner: &str) -> PathBuf {
        self.0.path().join(inner)
    }

    pub(super) fn file(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A capture has an unreadable file as an empty one of mode 000.
    pub(super) fn unreadable(&self, path: &str) {
        self.file(path, "");
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o000)).unwrap();
    }

    pub(super) fn link(&self, link: &str, target: &str) {
        let link = self.path(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(Path::new("/").join(target), link).unwrap();
    }

    /// A function at a path below `/sys/devices`.
    pub(super) fn function(&self, path: &str, class: &str, id: &str, node: &str) {
        let folder = format!("sys/devices/{path}");
        self.file(&format!("{folder}/uevent"), &format!("PCI_CLASS={class}\nPCI_ID={id}\n"));
        self.file(&format!("{folder}/numa_node"), node);
        let address = path.rsplit('/').next().unwrap();
        self.link(&format!("sys/bus/pci/devices/{address}"), &folder);
    }

    fn bridge(&self, path: &str) {
        self.function(path, "60400", "8086:2030", "0\n");
    }

    fn gpu(&self, below_the_switch: &str) {
        self.function(&format!("{SWITCH}/{below_the_switch}"), "30200", "10DE:2330", "0\n");
    }

    /// A name that a driver gave to a function.
    pub(super) fn name(&self, function: &str, class: &str, name: &str) {
        let folder = format!("sys/devices/{function}/{class}/{name}");
        self.file(&format!("{folder}/uevent"), "");
        self.link(&format!("sys/class/{class}/{name}"), &folder);
    }
}
