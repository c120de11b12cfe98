# fish completion of nearfar. The program itself lists what fits.
function __nearfar_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l start (string match -r -- '^--[^=]*=' $typed)
    set -l end (string replace -- "$start" '' $typed)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    for line in (command $program __complete $words[2..] "$typed" 2>/dev/null)
        switch $line
            case ':files'
                printf "$start%s\n" (__fish_complete_path "$end")
            case ':folders'
                printf "$start%s\n" (__fish_complete_directories "$end")
            case ':programs'
                complete -C "$end"
            case ':users'
                __fish_complete_users
            case '*'
                echo $line
        end
    end
end
complete -c nearfar -f -a '(__nearfar_complete)'
