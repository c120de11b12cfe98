# bash completion of nearfar. The program itself lists what fits.
_nearfar() {
    local line=${COMP_LINE:0:COMP_POINT} words=() word about
    read -ra words <<<"$line"
    [[ $line == *[[:blank:]] ]] && words+=("")
    local typed=${words[${#words[@]} - 1]}
    # readline replaces only what follows '=' or ':'.
    local end=${typed##*[=:]}
    local start=${typed%"$end"}
    COMPREPLY=()
    while IFS=$'\t' read -r word about; do
        case $word in
            :files) _nearfar_add -f "$end" && compopt -o filenames ;;
            :folders) _nearfar_add -d "$end" && compopt -o filenames ;;
            :programs) _nearfar_add -c "$end" ;;
            :users) _nearfar_add -u "$end" ;;
            *) COMPREPLY+=("${word#"$start"}") ;;
        esac
    done < <(command "${words[0]/#\~\//$HOME/}" __complete "${words[@]:1}" 2>/dev/null)
}

_nearfar_add() {
    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen "$1" -- "$2")
}

complete -o nosort -F _nearfar nearfar 2>/dev/null || complete -F _nearfar nearfar
