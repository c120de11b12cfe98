# One run of a recipe: sh run.sh JOBS [NODE...]. With nodes: an instance on each, at the same time.
# `sh run.sh setup` and `sh run.sh cleanup` run one step. nearfar writes this file, the file
# `environment` and the folder `steps` into a folder of the recipe's own.
set -eu
FOLDER=$(cd "$(dirname "$0")" && pwd)
. "$FOLDER/environment"
export FOLDER PATH HOME LC_ALL=C
cd "$FOLDER"

step() { [ ! -e "steps/$1" ] || sh -eu "steps/$1"; }

fail() {
    echo "$*" >&2
    exit 1
}

# The server's own words where it did not start.
wait_until_ready() {
    tries=1200
    until step ready >/dev/null 2>&1; do
        kill -0 "$SERVER" 2>/dev/null || fail "start ended: $(tail -n 1 "$RUN/log")"
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || fail "ready failed for a minute: $(tail -n 1 "$RUN/log")"
        sleep 0.05
    done
}

# Instances begin their loads together.
meet() {
    [ -n "${MEET:-}" ] || return 0
    mktemp "$MEET/XXXXXX" >/dev/null
    while [ "$(ls "$MEET" | wc -l)" -lt "$COUNT" ]; do
        [ ! -e "$MEET.failed" ] || fail "another instance failed"
        sleep 0.01
    done
}

# Always: also after a step that failed.
end() {
    trap - EXIT
    [ "$1" = 0 ] || [ -z "${MEET:-}" ] || : >"$MEET.failed"
    if [ -e steps/stop ]; then
        step stop >/dev/null 2>&1 || :
    elif [ -n "${SERVER:-}" ]; then
        kill "$SERVER" 2>/dev/null || :
    fi
    [ -z "${SERVER:-}" ] || wait "$SERVER" 2>/dev/null || :
    rm -rf "$RUN"
    exit "$1"
}

instance() {
    PORT=${INSTANCE_PORT:-${PORTS%% *}}
    RUN=$(mktemp -d "$FOLDER/run.XXXXXX")
    export PORT RUN JOBS
    trap 'end $?' EXIT
    if [ -e steps/start ]; then
        sh -eu steps/start >"$RUN/log" 2>&1 &
        SERVER=$!
        export SERVER
        wait_until_ready
    fi
    step warm >/dev/null
    meet
    step load
}

# An instance on each node. nearfar adds up figures between separators (U+001E).
instances() {
    export COUNT=$# JOBS=$(((JOBS + $# - 1) / $#))
    MEET=$(mktemp -d "$FOLDER/meet.XXXXXX")
    export MEET
    pids=
    for node; do
        INSTANCE_PORT=${PORTS%% *} "$NEARFAR" run --cpunodebind="$node" --membind="$node" -- \
            sh run.sh "$JOBS" >"$MEET.$node" &
        pids="$pids $!"
        PORTS=${PORTS#* }
    done
    status=0
    for pid in $pids; do wait "$pid" || status=$?; done
    for node; do
        cat "$MEET.$node"
        printf '\036\n'
    done
    return "$status"
}

case $1 in
setup | cleanup) step "$1" ;;
*)
    JOBS=$1
    shift
    if [ $# = 0 ]; then instance; else instances "$@"; fi
    ;;
esac
