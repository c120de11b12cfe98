
# Words that clap does not know: processes, devices, programs, surveys.
_nearfar_words() {
    local cur="$2" prev="$3" word words="" kept=()
    _nearfar "$@"
    case "$cur" in -*) return ;; esac
    # Options are offered after a '-' only.
    for word in "${COMPREPLY[@]}"; do
        case "$word" in -* | \[* | \<*) ;; *) kept+=("$word") ;; esac
    done
    COMPREPLY=("${kept[@]}")
    [[ $COMP_CWORD -lt 2 ]] && return
    case "${COMP_WORDS[1]}:$prev" in
        run:--near | sweep:--irq-device)
            words="$(cd /sys && ls class/net block 2>/dev/null | grep -v :)"
            ;;
        top:-p | top:--pid) words="$(cd /proc && echo [0-9]*)" ;;
        top:-u | top:--user) COMPREPLY=($(compgen -u -- "$cur")); return ;;
        *:-*) [[ ${#COMPREPLY[@]} -gt 0 ]] && return ;;
    esac
    if [[ -z "$words" ]]; then
        case "${COMP_WORDS[1]}" in
            where | explain | move | migrate) words="$(cd /proc && echo [0-9]*)" ;;
            run | sweep) COMPREPLY=($(compgen -c -- "$cur")); return ;;
            plot) [[ $COMP_CWORD -eq 2 ]] && return; words="$(_nearfar_surveys)" ;;
            show | report | compare | check | links | structure) words="$(_nearfar_surveys)" ;;
        esac
        COMPREPLY=()
    fi
    # Without any, readline completes files.
    COMPREPLY+=($(compgen -W "$words" -- "$cur"))
}

# Saved surveys: their numbers in 'nearfar surveys', and their files.
_nearfar_surveys() {
    local files=("${XDG_DATA_HOME:-$HOME/.local/share}"/nearfar/*.json)
    [[ -e "${files[0]}" ]] && seq ${#files[@]} && printf '%s\n' "${files[@]}"
    compgen -f -- "$cur"
}

complete -F _nearfar_words -o nosort -o bashdefault -o default nearfar 2>/dev/null ||
    complete -F _nearfar_words -o bashdefault -o default nearfar
