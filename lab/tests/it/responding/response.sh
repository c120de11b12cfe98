# What far memory costs programs, and the truth: the same programs with all their memory near and
# far. After programs.sh.
nearfar survey --quick >survey.txt 2>survey.err
nearfar show 1 --json >survey.json

response() { respond "$1" --blocks 8 --period 1s --max-cost "${2:-40%}"; }
# pages NAME: the pages of the program by node, as the kernel lists them.
pages() {
    for node in "$NEAR" "$FAR"; do
        grep -o "N$node=[0-9]*" /proc/$pids/numa_maps | sed "s/.*=//" |
            { sum=0; while read -r count; do sum=$((sum + count)); done; echo "$node $sum"; }
    done >"$1.pages"
}

# Truth and responses in turns, so that they have the same host.
truth loop
# Hot memory is near, cold memory far: bounds alone, then the response.
starts loop "$NEAR" "$FAR"
pages before
nearfar explain name:chase --json >bounds.json 2>bounds.err
response hot-near
pages after
respond budget --budget 2s --max-cost 40%
echo $? >budget.code
ends
truth loop
starts loop "$FAR" "$NEAR"
response hot-far
ends
truth loop
# A part of its pages takes part.
starts loop "$NEAR" "$FAR"
response part 8%
ends
starts drift "$NEAR" "$FAR"
response drift
ends
for program in uniform ring calm; do
    truth $program
    truth $program
    starts $program "$NEAR"
    # The kernel's balancing is on beside one of them: off for the time, and on again.
    [ $program != calm ] || echo 1 >/proc/sys/kernel/numa_balancing
    response $program
    [ $program != calm ] || cat /proc/sys/kernel/numa_balancing >balancing
    ends
    echo 0 >/proc/sys/kernel/numa_balancing
    truth $program
done
# Programs that end are started at each dose.
nearfar sweep --dose="$NEAR/$FAR" --runs 8 -o dosed.json -- chase 60000 >dosed.txt 2>dosed.err
nearfar sweep --dose="$NEAR/$FAR" --runs 8 --metric 'step=chase: ([0-9.]+) ns' \
    -o dosed-step.json -- chase 60000 >dosed-step.txt 2>dosed-step.err
touch whole
