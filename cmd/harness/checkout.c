/* SPDX-License-Identifier: Apache-2.0 */
/* Two commits in folders of their own, built there. The user's work tree and index are
 * neither read nor written. */
#include "harness_private.h"

int command_run(const struct slice_request *request, char **text, struct error *error)
{
    FREED_BY(slice_free) struct slice slice = {.text = NULL};
    const int status = slice_run(request, &slice, error);
    if (status == 0 && text) {
        *text = slice.text;
        slice.text = NULL;
    }
    /* Compilers of ninja and others speak on standard output, and the last line of all
     * says no more than that the build stopped. */
    char *log = slice.log;
    for (const char *line; (line = strsep(&log, "\n"));)
        text_line(stderr, "%s", line);
    return status == 0 && slice.complaint ? invalid(error, "%s", slice.complaint)
                                          : status;
}

/* $1: commit; $2: folder. An index of its own, as `git archive` leaves out what is marked
 * export-ignore. Submodules of the work tree come along. Prints the commit. */
static const char script[] =
    "set -e\n"
    "commit=$(git rev-parse --verify --quiet \"$1^{commit}\") || {\n"
    "    git rev-parse --git-dir >/dev/null\n"
    "    why=; [ ! -e \"$(git rev-parse --git-path shallow)\" ] ||\n"
    "        why=', which is shallow: git fetch --unshallow, or fetch-depth: 0 in CI'\n"
    "    echo \"no such commit in the repository here$why\" >&2; exit 1; }\n"
    "cd \"$(git rev-parse --show-toplevel)\"\n"
    "mkdir \"$2\"\n"
    "export GIT_INDEX_FILE=\"$2.index\"\n"
    "put() {\n"
    "    git read-tree \"$1\"\n"
    "    git checkout-index --all --quiet --prefix=\"$2/\"\n"
    "    git ls-files --stage | while read -r mode commit _ path; do\n"
    "        [ \"$mode\" = 160000 ] && [ -e \"$path/.git\" ] || continue\n"
    "        (unset GIT_DIR GIT_WORK_TREE; cd \"$path\"\n"
    "         ! git cat-file -e \"$commit\" 2>/dev/null || put \"$commit\" "
    "\"$2/$path\")\n"
    "    done\n"
    "}\n"
    "put \"$commit\" \"$2\"\n"
    "echo \"$commit\"\n";

static int check_out(struct harness *harness, struct side *side, struct error *error)
{
    char folder[PATH_MAX];
    FREED_BY(free_memory) char *told = NULL;
    snprintf(folder, sizeof folder, "%.4000s/%s", harness->folder, side->name);
    char *const words[] = {(char *)"/bin/sh",
                           (char *)"-c",
                           (char *)(uintptr_t)script,
                           (char *)"sh",
                           (char *)(uintptr_t)side->command,
                           folder,
                           NULL};
    const struct slice_request request = {.words = words};
    const int status = command_run(&request, &told, error);
    if (status == 0) {
        told[strcspn(told, "\n")] = '\0';
        string_set(&side->commit, told);
        snprintf(side->cwd, sizeof side->cwd, "%s", folder);
    }
    return status;
}

static int build(const struct harness *harness, struct side *side, struct error *error)
{
    char *const words[] = {(char *)"/bin/sh", (char *)"-c",
                           (char *)(uintptr_t)harness->request.build, NULL};
    const struct slice_request request = {
        .words = words, .cwd = side->cwd, .is_build = true};
    return command_run(&request, NULL, error);
}

int checkout_build(struct harness *harness, struct error *error)
{
    for (int i = SIDE_BASE; i <= SIDE_HEAD; i++) {
        struct side *const side = &harness->side[i];
        const char *const flag = i ? "HEAD" : "BASE";
        struct error why = {.text = ""};
        int status = check_out(harness, side, &why);
        if (status < 0)
            return error_set(error, status, "%s=%.200s: %.600s", flag, side->command,
                             why.text);
        status = build(harness, side, &why);
        if (status < 0)
            return error_set(error, status, "--build, of %s=%.200s: %.600s", flag,
                             side->command, why.text);
        side->command = harness->request.run;
    }
    return 0;
}
