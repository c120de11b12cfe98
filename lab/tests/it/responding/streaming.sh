# A program that reads its memory from end to end. After programs.sh; without a survey, whose
# latencies take too long at costs at which streams are true.
truth stream
starts stream "$NEAR"
respond stream --blocks 6 --period 3s --max-cost 40%
ends
truth stream
truth stream
touch whole
