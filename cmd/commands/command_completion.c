/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench completion SHELL`, and `simdbench man`: what is installed beside the
 * program. The scripts ask `simdbench completion words -- WORD...`, so they know no
 * names. */

#include "commands/commands.h"
#include "studies/studies.h"

/* A line of answer is a word, a tab and what it means. Readline replaces only what stands
 * behind the last character of COMP_WORDBREAKS. */
static const char bash[] =
    "# shellcheck shell=bash\n"
    "# bash completion for simdbench: source <(simdbench completion bash)\n"
    "_simdbench() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} word kept found\n"
    "    local -a words\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line != *[[:space:]] ]] || words+=('')\n"
    "    word=${words[${#words[@]} - 1]//[\\'\\\"]/}\n"
    "    words[${#words[@]} - 1]=$word\n"
    "    kept=${word%\"${word##*[=:]}\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r found _; do\n"
    "        COMPREPLY+=(\"${found#\"$kept\"}\")\n"
    "    done < <(\"${words[0]/#\\~/$HOME}\" completion words -- \"${words[@]:1}\" "
    "2>/dev/null)\n"
    "    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *[=@:] ]] || compopt -o "
    "nospace\n"
    "}\n"
    "complete -o default -F _simdbench simdbench\n";

static const char zsh[] =
    "#compdef simdbench\n"
    "# zsh completion for simdbench: source <(simdbench completion zsh)\n"
    "_simdbench() {\n"
    "    local line word\n"
    "    local -a closed open closed_help open_help\n"
    "    for line in \"${(@f)$(\"${(Q)~words[1]}\" completion words -- \\\n"
    "        \"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\" 2>/dev/null)}\"; do\n"
    "        word=${line%%$'\\t'*}\n"
    "        if [[ -z $word ]]; then\n"
    "            continue\n"
    "        elif [[ $word == *[=@:] ]]; then\n"
    "            open+=(\"$word\") open_help+=(\"$word  ${line#*$'\\t'}\")\n"
    "        else\n"
    "            closed+=(\"$word\") closed_help+=(\"$word  ${line#*$'\\t'}\")\n"
    "        fi\n"
    "    done\n"
    "    if (( $#open + $#closed == 0 )); then\n"
    "        compset -P '*='\n"
    "        _files\n"
    "        return\n"
    "    fi\n"
    "    (( ! $#open )) || compadd -l -S '' -d open_help -a open\n"
    "    (( ! $#closed )) || compadd -l -d closed_help -a closed\n"
    "}\n"
    "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
    "    _simdbench \"$@\"\n"
    "else\n"
    "    compdef _simdbench simdbench\n"
    "fi\n";

static const char fish[] =
    "# fish completion for simdbench: simdbench completion fish | source\n"
    "function __simdbench_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    set -l found ($words[1] completion words -- $words[2..] 2>/dev/null)\n"
    "    if set -q found[1]\n"
    "        printf '%s\\n' $found\n"
    "        return\n"
    "    end\n"
    "    set -l kept (string match -r '^(?:--[^=]*=)?' -- $words[-1])\n"
    "    for path in (__fish_complete_path (string replace -r '^--[^=]*=' '' -- "
    "$words[-1]))\n"
    "        printf '%s\\n' $kept$path\n"
    "    end\n"
    "end\n"
    "complete -c simdbench -f -a '(__simdbench_complete)'\n";

static const struct {
    const char *shell, *script;
} scripts[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};

static void add_study(const char *name, const char *title, void *context)
{
    text_list_add(context, name);
}

static void print_words(char *const *words, size_t n)
{
    FREED_BY(text_list_free) struct text_list topics = {0}, studies = {0}, found = {0};
    list_topics(&topics);
    studies_each(add_study, &studies);
    args_complete(words, n, &(struct complete_names){&topics, &studies}, &found);
    for (size_t i = 0; i < found.n; i++) {
        char word[1024];
        char *const tab = strchr(found.item[i], '\t');
        *tab = '\0';
        text_plain(found.item[i], word, sizeof word);
        printf("%s\t", word);
        text_line(stdout, "%s", tab + 1);
    }
}

int command_completion(struct options *options)
{
    const char *const shell = options->files.item[0];
    for (size_t i = 0; i < ARRAY_LEN(scripts); i++)
        if (strcmp(scripts[i].shell, shell) == 0 && options->files.n == 1) {
            fputs(scripts[i].script, stdout);
            return EXIT_OK;
        }
    if (strcmp(shell, "words") != 0) {
        complain("completion %s: there are completion bash, zsh and fish", shell);
        return EXIT_USAGE;
    }
    print_words(options->files.item + 1, options->files.n - 1);
    return EXIT_OK;
}

int command_man(struct options *options)
{
    struct error error = {.text = ""};
    const char *const name = options->files.n ? options->files.item[0] : NULL;
    return exit_status_of(help_manual(stdout, name, &error), &error);
}
