{
  lib,
  fetchurl,
  installShellFiles,
  rustPlatform,
}:

rustPlatform.buildRustPackage rec {
  pname = "nearfar";
  version = "@VERSION@";

  src = fetchurl {
    url = "@SOURCE@";
    sha256 = "@SHA256@";
  };

  # cargo's own checksums stand for all crates
  cargoLock.lockFile = ./Cargo.lock;
  cargoBuildFlags = [ "--package=nearfar" ];

  # tests need a machine's /sys and tools of Debian; the command answers from a capture
  doCheck = false;
  doInstallCheck = true;
  installCheckPhase = ''
    $out/bin/nearfar --root docs/captures/lab-devices-2s.tar.gz
  '';

  nativeBuildInputs = [ installShellFiles ];
  postInstall = ''
    $out/bin/nearfar man --all man1
    installManPage man1/*
    for shell in bash fish zsh; do
      $out/bin/nearfar completions $shell > nearfar.$shell
      installShellCompletion nearfar.$shell
    done
  '';

  meta = {
    description = "Measures what memory really costs, and decides whether it is NUMA";
    homepage = "@HOMEPAGE@";
    license = with lib.licenses; [
      mit # or asl20; ofl: the fonts
      asl20
      ofl
    ];
    maintainers = [
      {
        name = "@NAME@";
        email = "@EMAIL@";
        github = "@ACCOUNT@";
      }
    ];
    mainProgram = "nearfar";
    platforms = [
      "x86_64-linux"
      "aarch64-linux"
    ];
  };
}
