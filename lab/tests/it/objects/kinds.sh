# Objects of programs of each kind, and the truth: the same programs with their arrays near and far,
# and with all else far. After programs.sh.
nearfar survey --quick >survey.txt 2>survey.err

# objects NAME SEED: what the objects of the program cost, by its steps a second.
objects() {
    nearfar explain name:chase --objects --metric 'sh /tmp/total' --rate --seed "$2" --blocks 4 \
        --period 1s --max-cost 40% --to "$FAR" -o "$1.json" >"$1.txt" 2>"$1.err"
}

# rest PROGRAM: a turn with all else far: its stack, heap, and variables. They are used, too.
rest() {
    AS="nearfar run -m $FAR" SHM=/tmp/near
    turn "$1-rest.rates" "$1" "$NEAR"
    AS='' SHM=/dev/shm
}
mkdir /tmp/near
mount -t tmpfs -o "mpol=bind:$NEAR" tmpfs /tmp/near

truth loop
rest loop
starts loop "$NEAR" "$FAR"
objects hot-near 1
ends
truth loop
starts loop "$FAR" "$NEAR"
objects hot-far 1
ends
rest loop
truth loop
for program in ring file; do
    truth $program
    for seed in 1 2; do
        starts $program "$NEAR"
        objects $program-$seed $seed
        ends
        rest $program
        truth $program
    done
done
for _ in 1 2; do
    turn "arrays-$NEAR.rates" arrays "$NEAR"
    rest arrays
done
starts arrays "$NEAR"
objects arrays 1
ends
touch whole
