from spack.package import *


class Nearfar(Package):
    """Measures what memory really costs on a Linux machine, and decides whether it is NUMA."""

    homepage = "@HOMEPAGE@"
    url = "@SOURCE@"

    maintainers("@ACCOUNT@")

    license("@LICENCE@")

    version("@VERSION@", sha256="@SHA256@")

    depends_on("c", type="build")
    depends_on("rust@@RUST@:", type="build")

    conflicts("platform=darwin", msg="nearfar reads Linux's /sys")
    conflicts("platform=windows", msg="nearfar reads Linux's /sys")

    def install(self, spec, prefix):
        cargo = which("cargo")
        cargo("install", "--locked", "--path", "crates/cli", "--root", prefix)
        nearfar = Executable(join_path(prefix.bin, "nearfar"))
        nearfar("man", "--all", prefix.share.man.man1)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_capture(self):
        nearfar = Executable(join_path(self.prefix.bin, "nearfar"))
        nearfar("--root", "docs/captures/lab-devices-2s.tar.gz")
