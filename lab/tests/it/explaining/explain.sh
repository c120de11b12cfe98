# A program that waits for memory on the other node, and one that does not; what explain reports
# of them, what a trial measures, and where pages are after a kill.
cd /out || exit 1
# Huge pages are too few to be dealt out evenly; the kernel moves no page by itself.
echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo 0 >/proc/sys/kernel/numa_balancing
nearfar survey --quick >survey.txt 2>survey.err

# pages NAME: the pages of $pid by node, as the kernel lists them.
pages() {
    for node in 0 1; do
        grep -o "N$node=[0-9]*" "/proc/$pid/numa_maps" | sed "s/.*=//" |
            { sum=0; while read -r count; do sum=$((sum + count)); done; echo "$node $sum"; }
    done >"$1.pages"
}
# starts NODE: a program on node 0 whose memory is on this node, its code, too.
starts() {
    nearfar run -m "$1" cp "$(command -v chase)" "/tmp/chase-$1"
    nearfar run -C 0 -m "$1" "/tmp/chase-$1" loop /tmp/steps &
    pid=$!
    until [ "$(cat /tmp/steps 2>/dev/null || echo 0)" -gt 200000 ]; do usleep 100000; done
}
# ends: the program, and its count.
ends() {
    kill $pid
    wait $pid
    rm -f /tmp/steps
}
metric="--metric"
count="cat /tmp/steps"

starts 1
pages before
nearfar explain $pid --json >far.json 2>far.err
nearfar explain $pid >far.txt
nearfar explain $pid --try $metric "$count" --rate --blocks 6 --period 2s --seed 1 --json \
    >tried.json 2>tried.err
nearfar explain $pid --try $metric "$count" --rate --blocks 3 --period 1s --seed 2 \
    >tried.txt 2>>tried.err
pages after

# Killed while its pages are on the other node, and restored.
nearfar explain $pid --try $metric "$count" --rate --period 60s >/dev/null 2>&1 &
trial=$!
moved=0
until [ $moved -gt 900 ]; do
    usleep 100000
    pages now
    moved=$(sed -n 's/^0 //p' now.pages)
done
kill -9 $trial
wait $trial
pages killed
nearfar explain $pid --try --to 0 $metric "$count" >again.out 2>again.err
echo $? >again.code
nearfar explain --undo >undo.out 2>undo.err
pages undone
nearfar explain --undo >nothing.out 2>&1
ends

# Nothing to gain: memory is near, or the program does not wait for memory.
starts 0
nearfar explain $pid --json >near.json 2>near.err
nearfar explain $pid --try $metric "$count" --rate --blocks 3 >refused.out 2>refused.err
echo $? >refused.code
ends
nearfar run -C 0 -m 1 sh -c 'i=0; while :; do i=$((i + 1)); echo $i >/tmp/steps; done' &
pid=$!
until [ "$(cat /tmp/steps 2>/dev/null || echo 0)" -gt 100 ]; do usleep 100000; done
nearfar explain $pid --try --to 0 --counter syscw --blocks 6 --period 2s --seed 1 --json \
    >busy.json 2>busy.err
kill $pid
touch whole
