#!/bin/sh
# A Slurm of four nodes on this machine, for as long as a command takes.
#
#   lab/slurm.sh FOLDER COMMAND [ARGS]
#   lab/slurm.sh "$(mktemp -d)" srun -N 4 sh -c 'echo "$SLURMD_NODENAME"'
#
# munged, slurmctld and a slurmd for each of the nodes n1 to n4 run as this user. Their
# configuration, key, socket, state and logs are in FOLDER, which is made if it is missing. A munge
# or Slurm of the system is not touched. All processes end with the command, or with this script.
# Its exit status is the command's own.
set -eu

nodes=4
# Seconds until all nodes are idle, and until what was stopped has ended.
timeout_s=60

fail() { printf 'slurm.sh: %s\n' "$*" >&2; exit 1; }

[ $# -ge 2 ] || {
    echo "usage: lab/slurm.sh FOLDER COMMAND [ARGS]" >&2
    exit 2
}

# Daemons are outside the PATH of users.
PATH=$PATH:/usr/sbin:/sbin

# needs PROGRAM PACKAGE
needs() {
    command -v "$1" >/dev/null ||
        fail "there is no $1 here: install Debian's package $2 (apt-get install $2)"
}
needs munged munge
needs slurmctld slurmctld
needs slurmd slurmd
needs srun slurm-client

mkdir -p "$1" 2>/dev/null || fail "cannot make the folder $1"
folder=$(cd "$1" && pwd -P)
shift
[ -w "$folder" ] || fail "cannot write to the folder $folder"
case $folder in
    *[!A-Za-z0-9_./+-]*) fail "slurm.conf cannot name $folder: choose a path of plain characters" ;;
esac
# The path of a socket has at most 107 bytes.
[ ${#folder} -le 90 ] || fail "the path is too long for sockets: $folder"
[ ! -e "$folder/slurm.conf" ] || fail "$folder already has a slurm.conf: choose another folder"

# Within a job of another Slurm, commands would be steps of that job.
for name in $(env | sed -n 's/^\(S\(LURM\|RUN\|BATCH\|CANCEL\)_[A-Z0-9_]*\)=.*/\1/p'); do
    unset "$name"
done
user=$(id -un)
# All processes of this Slurm have it in their environment, and no others: stop() finds them by it.
export SLURM_CONF="$folder/slurm.conf"

# free_ports COUNT: the first of COUNT successive ports on which no process listens.
free_ports() {
    port=$((20000 + $$ % 200 * 50))
    count=0
    while [ "$count" -lt "$1" ]; do
        if cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
            grep -q ":$(printf %04X $((port + count))) [0-9A-F]*:0000 0A"; then
            port=$((port + count + 1)) count=0
        else
            count=$((count + 1))
        fi
    done
    echo "$port"
}

configure() {
    port=$(free_ports $((nodes + 1)))
    mkdir -p "$folder/state"
    (umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
    cat >"$SLURM_CONF" <<CONF
ClusterName=lab
SlurmctldHost=localhost
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
KillWait=5
NodeName=n[1-$nodes] NodeHostname=localhost Port=$((port + 1))-$((port + nodes)) CPUs=2
PartitionName=lab Nodes=ALL Default=YES State=UP
CONF
}

# Processes of this Slurm, as /proc/PID/environ.
processes() {
    env -u SLURM_CONF grep -lszxF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ || true
}

# within SECONDS COMMAND...: waits until it succeeds.
within() {
    left=$(($1 * 5))
    shift
    until "$@"; do
        left=$((left - 1))
        [ $left -gt 0 ] || return 1
        sleep 0.2
    done
}

no_jobs() { [ -z "$(squeue -h 2>/dev/null)" ]; }
no_processes() { [ -z "$(processes)" ]; }

# signal NAME: to all processes of this Slurm. One may be gone by then.
signal() {
    for process in $(processes); do
        process=${process#/proc/}
        kill -s "$1" "${process%/environ}" 2>/dev/null || true
    done
}

stop() {
    trap '' EXIT INT TERM HUP
    if [ -n "${started:-}" ]; then
        scancel --quiet --user="$user" 2>/dev/null || true
        within "$timeout_s" no_jobs || true
    fi
    signal TERM
    within "$timeout_s" no_processes || signal KILL
}

# start NAME COMMAND...: a daemon, whose words go to FOLDER/NAME.out.
start() {
    name=$1
    shift
    "$@" >"$folder/$name.out" 2>&1 </dev/null &
    eval "pid_$name=$!"
}

# running NAME: whether the daemon still runs; ends all with its last words if not.
running() {
    eval "kill -0 \$pid_$1" 2>/dev/null && return
    words=$(cat "$folder/$1.out" "$folder/$1.log" 2>/dev/null | grep -i 'error\|fatal' | tail -n 1)
    fail "$1 ended: ${words:-without a word} (its files are in $folder)"
}

munge_answers() {
    running munged
    munge -S "$folder/munge.socket" -n >/dev/null 2>&1
}

nodes_idle() {
    for daemon in slurmctld $(seq -f 'n%g' "$nodes"); do running "$daemon"; done
    [ "$(sinfo -hN -o '%N %T' 2>/dev/null | grep -c ' idle$')" = "$nodes" ]
}

trap stop EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
configure
# --force: a folder that only this user can enter is enough.
start munged munged --foreground --force --socket="$folder/munge.socket" \
    --key-file="$folder/munge.key" --pid-file="$folder/munged.pid" \
    --seed-file="$folder/munge.seed" --log-file="$folder/munged.log"
within "$timeout_s" munge_answers || fail "munged does not answer (its files are in $folder)"
start slurmctld slurmctld -D -f "$SLURM_CONF"
for node in $(seq "$nodes"); do
    start "n$node" slurmd -D -N "n$node" -f "$SLURM_CONF"
done
started=yes
within "$timeout_s" nodes_idle || fail "not all nodes are idle: $(sinfo -hN -o '%N %T' | xargs)" \
    "(logs are in $folder)"

# In the background, so that a signal to this script is not left until the command ends.
status=0
"$@" <&0 &
wait $! || status=$?
exit $status
