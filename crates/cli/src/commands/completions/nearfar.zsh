#compdef nearfar
# zsh completion of nearfar. The program itself lists what fits.
_nearfar() {
    local line word program=${(Q)words[1]}
    local -a found known
    known=("${(@f)$(command "${program/#\~\//$HOME/}" __complete \
        "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    for line in $known; do
        [[ $line == :* ]] && continue
        word=${line%%$'\t'*}
        found+=("${word//:/\\:}:${line#*$'\t'}")
    done
    (( $#found )) && _describe nearfar found
    for line in $known; do
        [[ $line == :(files|folders) && $PREFIX == --*=* ]] && compset -P '*='
        case $line in
            :files) _files ;;
            :folders) _files -/ ;;
            :programs) _command_names -e ;;
            :users) _users ;;
        esac
    done
}

# Installed as a file of $fpath, or sourced.
if [[ ${funcstack[1]} == _nearfar ]]; then _nearfar "$@"; else compdef _nearfar nearfar; fi
