# shellcheck shell=sh
# Programs that recipes measure, for guests: Debian's packages with all they need, as folders that
# are laid over a guest's file system. Part of ./dev, which sources this after setup.sh.
#
#   x86_64/programs/NAME             NAME is a recipe's
#   x86_64/programs/NAME.packages    which packages it was made of

# lab_real_programs: what is not there yet, or of other packages. 0.9 GB are fetched for all.
lab_real_programs() {
    kit=$(lab_kit)
    rm -rf "$kit/x86_64/apt"
    mkdir -p "$kit/x86_64/programs"
    lab_real redis redis-server redis-tools
    lab_real postgres postgresql util-linux
    lab_real java default-jdk-headless
    lab_real mpi openmpi-bin libopenmpi-dev gcc libc6-dev util-linux
    lab_real compile gcc libc6-dev findutils mawk sed
    lab_real xz xz-utils
    rm -rf "$kit/x86_64/apt"
}

# lab_real NAME PACKAGE...: a folder of packages, beside the tools that recipes' steps use. Steps
# are run by dash: busybox's shell takes its own programs before those of PATH. Where the packages
# cannot be fetched, a folder of an earlier list stays.
lab_real() {
    laid=$kit/x86_64/programs/$1
    shift
    set -- "$@" dash coreutils grep
    [ ! -d "$laid" ] || [ "$(cat "$laid.packages" 2>/dev/null)" != "$*" ] || return 0
    lab_packages "$laid.new" "$@" ||
        {
            rm -rf "$laid.new"
            [ ! -d "$laid" ] || {
                log "$laid stays, of an earlier list of packages: these cannot be had: $*"
                return 0
            }
            lab_lacks "Debian's packages of ${laid##*/}: $*" && return 0
        }
    rm -rf "$laid" "$laid.packages"
    mv "$laid.new" "$laid"
    # Last: where it is, the folder is whole.
    printf %s "$*" >"$laid.packages"
}

# lab_packages FOLDER PACKAGE...: unpacks packages and all that they depend on, without what guests
# have no use for. Scripts of packages are not run.
lab_packages() {
    tree=$1 apt="$kit/x86_64/apt"
    shift
    rm -rf "$tree" "$apt/cache/archives"
    mkdir -p "$tree" "$apt/cache/archives/partial"
    [ -f "$apt/conf" ] || lab_fetch amd64 "$kit/x86_64" dash || return 1
    log "fetching $* with all that they need"
    APT_CONFIG="$apt/conf" apt-get install -y -qq --no-install-recommends --download-only "$@" \
        >/dev/null 2>&1 || return 1
    for package in "$apt"/cache/archives/*.deb; do
        dpkg -x "$package" "$tree" || return 1
    done
    lab_merged
    # Not needed to run the programs.
    (cd "$tree" && rm -rf var boot etc/init.d usr/lib/systemd usr/lib/udev usr/lib/*/gconv \
        usr/share/doc usr/share/man usr/share/locale usr/share/info usr/share/icons \
        usr/share/perl usr/lib/*/perl* usr/bin/perl* usr/lib/*/libperl* usr/share/python3 \
        usr/lib/python3* usr/bin/python3* usr/lib/*/libLLVM* usr/lib/llvm* usr/lib/*/libz3* \
        usr/lib/gcc/*/*/lto1 usr/lib/gcc/*/*/*san* usr/lib/*/*san* usr/lib/jvm/*/jmods &&
        find . -xtype l -delete)
}

# lab_merged: $tree as a system whose /bin and /lib are links into /usr. A guest's PATH has no sbin.
lab_merged() {
    for moved in bin sbin lib lib64; do
        [ ! -d "$tree/$moved" ] || {
            mkdir -p "$tree/usr/$moved" && cp -a "$tree/$moved/." "$tree/usr/$moved/" &&
                rm -rf "${tree:?}/$moved"
        }
    done
    [ ! -d "$tree/usr/sbin" ] || cp -a "$tree/usr/sbin/." "$tree/usr/bin/"
    rm -rf "$tree/usr/sbin"
    for moved in lib lib64; do
        [ ! -d "$tree/usr/$moved" ] || ln -s "usr/$moved" "$tree/$moved"
    done
    # Debian's alternatives are links that scripts of its packages make.
    for program in "$tree"/usr/lib/jvm/*/bin/java "$tree"/usr/lib/jvm/*/bin/javac \
        "$tree"/usr/bin/mpirun.openmpi "$tree"/usr/bin/opal_wrapper; do
        [ -e "$program" ] || continue
        link=${program##*/}
        case $link in
            mpirun.openmpi) link=mpirun ;;
            opal_wrapper) link=mpicc ;;
        esac
        # Relative: an absolute one would be of the host, and be deleted where that lacks it.
        ln -sf "../..${program#"$tree"}" "$tree/usr/bin/$link"
    done
}
