/* SPDX-License-Identifier: Apache-2.0 */
/* doctor instructions: what forms of instructions cost on this core. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "doctor_private.h"
#include "process/process.h"

/* ---- which ---- */

static bool matches(const char *glob, const struct passport_form *form)
{
    char mnemonic[PASSPORT_NAME];
    snprintf(mnemonic, sizeof mnemonic, "%s", form->name);
    mnemonic[strcspn(mnemonic, " ")] = '\0';
    const char *const text = strchr(glob, ' ') ? form->name : mnemonic;
    return strpbrk(glob, "*?[\\") ? text_glob(glob, text) : strcmp(glob, text) == 0;
}

static bool has_isa(const struct text_list *isas, const struct passport_form *form)
{
    bool has = isas->n == 0;
    for (size_t i = 0; i < isas->n; i++) {
        const int index = isa_find(isas->item[i]);
        has |= index < 0 ? true : isa_get((size_t)index)->bits == form->level;
    }
    return has;
}

/* Mnemonics for a glob without what makes it one; then forms of its mnemonic. */
static int no_match(const struct instructions *all, const char *glob, bool other_isa,
                    struct error *error)
{
    FREED_BY(text_list_free) struct text_list names = {0};
    char word[PASSPORT_NAME], hint[220];
    if (other_isa)
        return error_set(error, -EINVAL, "%.100s: --isa leaves out all of its forms",
                         glob);
    const char *const space = strchr(glob, ' ');
    snprintf(word, sizeof word, "%s", glob);
    word[strcspn(word, " ")] = '\0';
    for (size_t i = 0; i < all->n; i++) {
        const char *const name = all->form[i].name;
        char mnemonic[PASSPORT_NAME];
        snprintf(mnemonic, sizeof mnemonic, "%s", name);
        mnemonic[strcspn(mnemonic, " ")] = '\0';
        if (space && text_glob(word, mnemonic))
            text_list_add(&names, name);
        else if (!names.n || strcmp(names.item[names.n - 1], mnemonic) != 0)
            text_list_add(&names, mnemonic);
    }
    word[strcspn(word, "*?[")] = '\0';
    text_list_hint(&names, space ? glob : word, hint, sizeof hint);
    return error_set(error, -EINVAL, "%.100s: no form of an instruction matches%s", glob,
                     hint);
}

/* Leaves the forms that a glob matches, of the instruction sets. -EINVAL: a glob matches
 * none. A glob without a space is about the mnemonic. */
static int instructions_choose(struct instructions *instructions,
                               const char *const *globs, size_t n,
                               const struct text_list *isas, struct error *error)
{
    for (size_t g = 0; g < n; g++) {
        bool any = false, of_isa = false;
        for (size_t i = 0; i < instructions->n; i++) {
            const bool match = matches(globs[g], &instructions->form[i]);
            any |= match;
            of_isa |= match && has_isa(isas, &instructions->form[i]);
        }
        if (!of_isa)
            return no_match(instructions, globs[g], any, error);
    }
    size_t kept = 0;
    for (size_t i = 0; i < instructions->n; i++) {
        bool wanted = false;
        for (size_t g = 0; g < n; g++)
            wanted |= matches(globs[g], &instructions->form[i]);
        if (wanted && has_isa(isas, &instructions->form[i]))
            instructions->form[kept++] = instructions->form[i];
    }
    instructions->n = kept;
    return 0;
}

/* ---- measuring ---- */

struct progress {
    size_t n;
    bool shown;
};

static bool show_progress(void *context, size_t n)
{
    struct progress *const progress = context;
    if (terminal_width(stderr) > 0 && (n % 16 == 0 || n == progress->n)) {
        progress_show("form %zu of %zu", n, progress->n);
        progress->shown = true;
    }
    return interrupted_by != 0;
}

/* On the first CPU that no other run measures on. */
static int take_cpu(const struct options *options, struct cpu_lock **lock,
                    struct error *error)
{
    int order[CPUS_MAX];
    const size_t n = cpu_order(order);
    const int rc =
        cpu_lock_take(order, n, n > 0, options->how.wait_ns, false, lock, error);
    return rc < 0 || n == 0 ? rc : cpus_pin(order, 1, error);
}

static int measure(const struct options *options, const struct host *host,
                   struct instructions *instructions, struct error *error)
{
    struct progress progress = {.n = instructions->n};
    struct cpu_lock *lock = NULL;
    int status = take_cpu(options, &lock, error);
    if (status < 0)
        return status;
    struct costs *const costs = costs_open(host->fingerprint);
    instructions->passport =
        must_have(calloc(instructions->n + 1, sizeof *instructions->passport));
    signals_catch();
    status = costs_of(costs, instructions->form, instructions->n, true, show_progress,
                      &progress, instructions->passport, error);
    if (progress.shown)
        progress_show("%s", "");
    costs_close(costs);
    cpu_lock_free(lock);
    return status;
}

int doctor_instructions(const struct options *options, struct error *error)
{
    struct instructions instructions = {.form = NULL};
    struct host host;
    bool any = false;
    int status = passport_forms(&instructions.form, &instructions.n);
    if (status == -ENOTSUP)
        return passport_measure(NULL, 0, NULL, NULL, NULL, error);
    if (status < 0)
        return error_set(error, status, "%s", strerror(-status));
    host_read(&host, "");
    status =
        instructions_choose(&instructions, (const char *const *)options->files.item + 1,
                            options->files.n - 1, &options->request.isas, error)
            ?: measure(options, &host, &instructions, error);
    if (status == 0 && options->format == FORMAT_JSON)
        status = instructions_print_json(&instructions, &host, stdout, error);
    else if (status == 0)
        instructions_print(&instructions, &host, stdout);
    for (size_t i = 0; status == 0 && i < instructions.n; i++)
        any |= instructions.passport[i].known;
    free(instructions.form);
    free(instructions.passport);
    return status < 0 ? status : any ? EXIT_OK : EXIT_NOTHING;
}
