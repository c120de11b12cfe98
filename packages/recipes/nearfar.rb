class Nearfar < Formula
  desc "Measures what memory really costs, and decides whether it is NUMA"
  homepage "@HOMEPAGE@"
  url "@SOURCE@"
  sha256 "@SHA256@"
  license all_of: [{ any_of: ["MIT", "Apache-2.0"] }, "OFL-1.1"]

  depends_on "rust" => :build
  depends_on :linux

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/cli")
    system bin/"nearfar", "man", "--all", "man1"
    man1.install Dir["man1/*"]
    generate_completions_from_executable(bin/"nearfar", "completions")
    pkgshare.install "docs/captures/lab-devices-2s.tar.gz"
  end

  test do
    output = shell_output("#{bin}/nearfar --root #{pkgshare}/lab-devices-2s.tar.gz")
    assert_match "3 nodes", output
  end
end
