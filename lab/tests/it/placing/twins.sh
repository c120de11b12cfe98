# Each option run by Debian's numactl and by ours: twin NAME WORDS... leaves the outputs and
# the statuses of both.
twin() {
    local name=$1
    shift
    tried "$name.theirs" $theirs "$@"
    tried "$name.ours" $ours "$@"
}
# placed NAME WORDS...: the same, with a program that prints the place it got.
placed() {
    local name=$1
    shift
    twin "$name" "$@" sh -c "$place"
}
# What is free changes from one call to the next.
hardware() {
    twin "$@"
    tried "$1.later" $theirs "$2"
}
twin show -s
twin show-long --show
hardware hardware -H
hardware hardware-long --hardware
placed interleave -i 0,1,3
placed interleave-long --interleave=0-1
placed interleave-all -i all
placed preferred -p 1
placed preferred-long --preferred=3
placed preferred-two -p 1,2
placed preferred-many -P 1,2
placed preferred-many-long --preferred-many=0-3
placed membind -m 3
placed membind-long --membind=1-2
placed localalloc -l
placed localalloc-long --localalloc
placed cpunodebind -N 1
placed cpunodebind-long --cpunodebind=0,2
placed cpubind -c 1
placed cpubind-long --cpubind=2
placed physcpubind -C 1,3
placed physcpubind-long --physcpubind=0-2
placed physcpubind-plus -C +1
placed all-nodes -a -N all -m all
placed all-late -m 1 -a
placed same -N 2 -m same
placed same-first -m same
placed but -m '!0'
placed but-cpus -C '!0-3'
placed relative -m +1
placed hexadecimal -m 0x1
placed octal -C 01
placed joined -m1 -N1
placed short-long --memb=1
placed two-words -m 1 -N 0
placed show-of-place -m 1 -N 0 -C 0
placed balancing -b -m 1
placed balancing-two -b -m 0,1
placed balancing-after -m 0,1 -b
placed balancing-alone -b
placed conflicting -m 1 -i 0
placed conflicting-local -l -p 1
placed no-cpus -N 3
placed no-cpus-beside-others -N 2,3
placed no-cpus-at-the-end -N 0-3
placed no-such-node -m 4
placed no-such-cpu -C 64
placed no-such-cpu-node -N 9
placed malformed -m 0,,1
placed backwards -m 2-1
placed letters -m abc
placed empty -m ''
placed unknown --nonsense
placed cpus-twice -N 0 -N 1
placed policy-twice -m 0 -m 1
placed nothing-asked
twin no-program -m 0
twin no-options
twin missing -m 0 /no/such/program
twin cannot -m 0 /etc/passwd
twin fails -m 0 sh -c 'exit 7'
twin killed -m 0 sh -c 'kill -9 $$'
twin dashes -m 0 -- echo -s
twin stops -m 0 echo -m 9
placed device-file -m file:/tmp
placed device-net -m netdev:lo
placed device-no-net -m netdev:nosuch0
placed device-block -m block:nosuch
placed device-ip -m ip:127.0.0.1
twin under-bind -m 1,2 $theirs -s
twin under-interleave -i 0,3 $theirs -s
twin under-preferred -p 2 $theirs -s
twin under-cpus -C 1,4 $theirs -s
for policy in '-m 1,2' '-i 0,3' '-p 2' '-P 1,2' '-l' '-C 1,4' '-N 1' '-b -m 0,1'; do
    # shellcheck disable=SC2086 # words
    for who in ours theirs; do
        eval "shows=\$$who"
        tried "shows$(printf %s "$policy" | tr -d ' ').$who" $theirs $policy $shows -s
    done
done
tried json-hardware nearfar run --hardware --json
tried json-show nearfar run -N 1 -i 0,3 nearfar run --show --json

# Shared memory.
shared() {
    local name=$1
    shift
    for who in ours theirs; do
        eval "numactl=\$$who"
        # Another file has another key.
        rm -f /dev/shm/twin /tmp/key
        touch /tmp/key
        shmem >before
        # What has no policy goes to node 0.
        tried "shared-$name.$who" taskset 1 $numactl "$@"
        shmem >after
        paste before after | awk '{ print $1, int(($4 - $2) / 1024 + 0.5) " MiB" }' \
            >"shared-$name.$who.came"
        [ ! -e /dev/shm/twin ] || stat -c %s /dev/shm/twin >>"shared-$name.$who.came"
    done
}
shared file-touch -L 4M -f /dev/shm/twin -m 1 -T
shared file-dump -L 4M -f /dev/shm/twin -m 1 -d
shared file-dump-nodes -L 16K -f /dev/shm/twin -m 1 -T -D
shared file-interleave -L 4M -f /dev/shm/twin -i 0,1,3 -T -d
shared file-verify -L 4M -f /dev/shm/twin -i 0,1,3 -V
shared file-many -L 4M -f /dev/shm/twin -P 2,3 -d
shared file-preferred -L 4M -f /dev/shm/twin -p 3 -T -d
shared file-local -L 4M -f /dev/shm/twin -l -T -d
shared file-offset -L 4M -o 4M -f /dev/shm/twin -m 1 -T
shared file-offset-small -L 4M -o 2M -f /dev/shm/twin -m 1 -T
shared file-unaligned -L 4M -o 100 -f /dev/shm/twin -m 1 -T
shared file-nothing -f /dev/shm/twin -m 1
shared file-disk -L 4K -f /proc/version -m 1
shared file-cpus -L 4M -f /dev/shm/twin -m 1 -N 0
shared file-late-length -f /dev/shm/twin -L 4M -m 1
shared file-strict -t -L 4M -f /dev/shm/twin -m 1 -T
shared segment -L 4M -S /tmp/key -m 1 -T
shared segment-mode -L 4M -M 0600 -S /tmp/key -i 0,1 -T -d
shared segment-id -I 3 -L 4M -S /tmp/key -m 1 -T
shared segment-no-key -L 4M -S /no/such/key -m 1
shared huge-without-pages -u -L 4M -S /tmp/key -m 1 -T
shared length-unit -L 4X -f /dev/shm/twin -m 1
shared touch-alone -T
shared dump-alone -d

# The family. The kernel counts on between two tables: a third shows how far.
tables() {
    local name=$1
    shift
    tried "numastat$name.theirs" numastat "$@"
    tried "numastat$name.ours" /tmp/ours/numastat "$@"
    tried "numastat$name.later" numastat "$@"
}
dd if=/dev/zero of=/tmp/filler bs=1M count=20 2>/dev/null
holds stat-process 8M $theirs -i 0,1,3
tables plain
tables -c -c
tables -n -n
tables -m -m
tables -cm -c -m
tables -z -n -z
tables -mz -m -z
tables -s -n -s
tables -s1 -n -s1
tables -ms2 -m -s2
tables -v -v
tables -p -p $pid
tables -pv -v -p $pid
tables -cp -c -p $pid
tables -zp -z -p $pid
tables -pattern -p of=/tmp/hel"d"
# The script's own words are in a command line.
tables -none -p nosuch"pattern"
tables -nopid -p 999999
tables -unknown -Q
NUMASTAT_WIDTH=60 tables -width -n
lets_go
for who in theirs ours; do
    [ $who = theirs ] && at=/bin || at=/tmp/ours
    hogs() {
        local name=$1
        shift
        tried "memhog$name.$who" $at/memhog "$@"
    }
    hogs 1m 1m
    hogs -r1 -r1 4m
    hogs -policy 4m membind 1
    hogs -interleave -r2 4m interleave 0,1
    hogs -preferred 4m preferred 3
    hogs -preferred-many 4m preferred-many 1,2
    hogs -preferred-two 4m preferred 1,2
    hogs -default 4m default
    hogs -local 4m local
    hogs -file -f/dev/shm/hog 2m
    hogs -none
    hogs -bad 4q
    hogs -bad-policy 4m nonsense 1
    tried migspeed.$who $at/migspeed -p 256 0 1
    tried migspeed-bad.$who $at/migspeed 0
    tried migratepages.$who $at/migratepages
    tried migratepages-pid.$who $at/migratepages 999999 0 1
    tried migratepages-nodes.$who $at/migratepages 1 0 9
done
tried numademo.ours /tmp/ours/numademo -f -t 1m memset random2 ptrchase
