# shellcheck shell=sh
# What the gallery's pages are made of: documents measured in the lab's guests and on this machine.
# Part of ./dev, which sources this.
#
# Times in a guest are the lab's own, `slowdown` times longer than those of the machine it stands
# for (docs/lab/lab.md). Latency is exact at the slowdown of a machine's description. Bandwidth
# needs 3000 and core to core 1500: a page of 0.03 GB/s against an HMAT that claims 100 would
# mislead, so the lab gives pages of latency only.

documents=docs/gallery/documents

gallery_surveys() {
    lab_setup
    NEARFAR_LAB_KIT=$(lab_kit)
    export NEARFAR_LAB_KIT
    cargo build --locked --quiet -p nearfar-lab
    mkdir -p "$documents"
    for survey in epyc_7451 before after hidden gpus here here_sweep; do
        log "measuring: $survey"
        "gallery_$survey" || log "$survey FAILED: its document is the one from before, if any"
    done
}

# in_guest MACHINE SLOWDOWN DOCUMENT COMMAND...: what nearfar keeps of a command in a guest. A
# machine's own slowdown is 'own'. A guest in some tens dies as it starts
# (lab/tests/it/lab.rs gives the reason), so it may boot three times.
in_guest() {
    machine=$1 document=$3 out=$(mktemp -d)
    [ "$2" = own ] && slowdown= || slowdown="--slowdown $2"
    shift 3
    for _ in 1 2 3; do
        # shellcheck disable=SC2086 # nothing is no word
        "${CARGO_TARGET_DIR:-target}/debug/nearfar-lab" run "$machine" $slowdown \
            --timeout 480 --out "$out" ${with:-} -- \
            ${environment:-} nearfar "$@" --no-samples -o /out/document.json \
            >"$out/log" 2>&1 && break
        grep -q 'died before the command began' "$out/log" || break
    done
    if [ ! -e "$out/document.json" ]; then
        tail -n 3 "$out/log" >&2
        rm -rf "$out"
        return 1
    fi
    mv "$out/document.json" "$documents/$document.json"
    rm -rf "$out"
}

gallery_epyc_7451() { in_guest epyc-7451-2p own lab-epyc-7451-2p survey --seed 1; }

gallery_before() { in_guest xeon-2s own lab-xeon-2s-before survey --seed 1; }

# The same machine, its links 30 % slower.
gallery_after() {
    described=$(mktemp --suffix .toml)
    sed 's/144\.1/187.3/; s/144\.7/188.1/' lab/machines/xeon-2s.toml >"$described"
    in_guest "$described" own lab-xeon-2s-after survey --seed 2
    done=$?
    rm -f "$described"
    return $done
}

# GPUs whose driver is the lab's stand-in.
gallery_gpus() {
    with="--with $NEARFAR_LAB_KIT/x86_64/gpu-driver"
    environment="env LD_LIBRARY_PATH=/lab/gpu"
    environment="$environment NEARFAR_LAB_GPUS=/lab/gpu/gpus-2s.toml"
    in_guest gpus-2s own lab-gpus-2s gpu --size 8M --budget 240s --seed 1
    done=$?
    with='' environment=''
    return $done
}

gallery_hidden() { in_guest hidden-2n own lab-hidden-2n survey --quick --seed 1; }

# On this machine, whichever that is, by the kit's own program.
here() { "$NEARFAR_LAB_KIT/$(uname -m)/nearfar" "$@"; }

gallery_here() {
    here survey --thorough --budget 60s --seed 1 --no-samples -o "$documents/this-machine.json" \
        >/dev/null
}

# A program that people run, with one job and with two; the machine has one node.
gallery_here_sweep() {
    work=$(mktemp -d)
    seq 1 1200000 >"$work/numbers"
    rm -f "$documents/this-machine-xz.json"
    done=0
    (cd "$work" && here sweep --placement unbound,packed --jobs 1,2 --budget 60s --seed 1 \
        -o "$work/sweep.json" -- xz -T{jobs} --block-size=1MiB -3 -k -f numbers >/dev/null \
        2>log) || {
        tail -n 3 "$work/log" >&2
        done=1
    }
    [ $done = 1 ] || mv "$work/sweep.json" "$documents/this-machine-xz.json"
    rm -rf "$work"
    return $done
}
