/* SPDX-License-Identifier: Apache-2.0 */
/* doctor instructions: what forms of instructions cost on this core. */
#include <math.h>

#include "doctor_private.h"
#include "output/output.h"

static void cycles_text(double cycles, char text[16])
{
    snprintf(text, 16, cycles < 100 ? "%.2f" : "%.0f", cycles);
}

/* Links to one result with about the same cycles stand together. */
static bool is_alike(const struct passport_link *a, const struct passport_link *b)
{
    return a->to == b->to &&
           fabs((double)(a->cycles - b->cycles)) < 0.02 + 0.01 * (double)b->cycles;
}

/* "op2, op3 -> op1 4.00; mask -> op1 1.00 to 2.00" */
static void add_latency(struct buffer *buffer, const struct passport_form *form,
                        const struct passport *passport)
{
    bool told[PASSPORT_LINKS] = {false};
    for (size_t i = 0; i < passport->n_links; i++) {
        char from[PASSPORT_LABEL], to[PASSPORT_LABEL], cycles[16];
        if (told[i])
            continue;
        passport_label(form, &passport->link[i], from, to);
        buffer_format(buffer, "%s%s", buffer->length ? "; " : "", from);
        for (size_t k = i + 1; k < passport->n_links; k++) {
            if (told[k] || !is_alike(&passport->link[k], &passport->link[i]))
                continue;
            told[k] = true;
            passport_label(form, &passport->link[k], from, to);
            buffer_format(buffer, ", %s", from);
        }
        cycles_text((double)passport->link[i].cycles, cycles);
        buffer_format(buffer, " -> %s %s", to, cycles);
        if (passport->link[i].full == passport->link[i].cycles)
            continue;
        cycles_text((double)passport->link[i].full, cycles);
        buffer_format(buffer, " to %s", cycles);
    }
}

static void instructions_print(const struct instructions *instructions,
                               const struct host *host, FILE *file)
{
    struct grid grid = {.at = "lrl"};
    size_t known = 0;
    GRID_TEXTS(&grid, "form", "throughput", "latency");
    for (size_t i = 0; i < instructions->n; i++) {
        const struct passport *const passport = &instructions->passport[i];
        const struct passport_form *const form = &instructions->form[i];
        FREED_BY(buffer_free) struct buffer latency = {.text = NULL};
        char throughput[16] = "-";
        known += passport->known;
        if (passport->known)
            cycles_text(passport->throughput, throughput);
        if (passport->known)
            add_latency(&latency, form, passport);
        else
            buffer_add(&latency, passport->reason);
        GRID_TEXTS(&grid, form->name, throughput, buffer_text(&latency));
    }
    const struct text_page page = page_of(file, FORMAT_TABLE);
    grid_write(&grid, &page, 0);
    text_line(file, "%s", "");
    text_line(file, "cycles%s on %s (family %d model %d); %zu of %zu forms measured",
              costs_are_made_up() ? " that are made up for a test, not those" : "",
              host->cpu, host->family, host->model, known, instructions->n);
}

static void add_links(struct json *json, cJSON *item, const struct passport_form *form,
                      const struct passport *passport)
{
    cJSON *const array = json_array(json, item, "latency");
    for (size_t i = 0; i < passport->n_links; i++) {
        char from[PASSPORT_LABEL], to[PASSPORT_LABEL];
        cJSON *const link = json_object(json, array, NULL);
        passport_label(form, &passport->link[i], from, to);
        json_text(json, link, "from", from);
        json_text(json, link, "to", to);
        json_number(json, link, "cycles",
                    round(1000 * (double)passport->link[i].cycles) / 1000);
        json_number(json, link, "cycles_full",
                    round(1000 * (double)passport->link[i].full) / 1000);
    }
}

static int instructions_print_json(const struct instructions *instructions,
                                   const struct host *host, FILE *file,
                                   struct error *error)
{
    struct json json = {.root = NULL};
    cJSON *const root = json_object(&json, NULL, NULL);
    json_number(&json, root, "schema_version", 1);
    json_text(&json, root, "fingerprint", host->fingerprint);
    json_text(&json, root, "cpu", host->cpu);
    json_bool(&json, root, "made_up", costs_are_made_up());
    cJSON *const array = json_array(&json, root, "forms");
    for (size_t i = 0; i < instructions->n; i++) {
        const struct passport *const passport = &instructions->passport[i];
        cJSON *const item = json_object(&json, array, NULL);
        json_text(&json, item, "form", instructions->form[i].name);
        json_text(&json, item, "isa_set", instructions->form[i].isa);
        json_number(&json, item, "throughput",
                    passport->known ? round(1000 * passport->throughput) / 1000 : NAN);
        add_links(&json, item, &instructions->form[i], passport);
        json_text(&json, item, "reason", passport->known ? NULL : passport->reason);
    }
    return json_end(&json, file, error);
}

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
        return invalid(error, "%.100s: --isa leaves out all of its forms", glob);
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
    return invalid(error, "%.100s: no form of an instruction matches%s", glob, hint);
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

static bool show_progress(void *context, size_t n)
{
    const struct instructions *const all = context;
    if (n % 16 == 0 || n == all->n)
        progress_show("form %zu of %zu", n, all->n);
    return interrupted_by != 0;
}

static int measure(const struct options *options, const struct host *host,
                   struct instructions *instructions, struct error *error)
{
    struct cpu_lock *lock = NULL;
    int cpu, status = doctor_take_cpu(options, &cpu, &lock, error);
    if (status == 0 && cpu >= 0)
        status = cpus_pin(&cpu, 1, error);
    if (status < 0)
        return status;
    struct costs *const costs = costs_open(host->fingerprint);
    instructions->passport =
        must_have(calloc(instructions->n + 1, sizeof *instructions->passport));
    signals_catch();
    status = costs_of(costs, instructions->form, instructions->n, true, show_progress,
                      instructions, instructions->passport, error);
    progress_end();
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
    FREE_EACH(instructions.form, instructions.passport);
    return status < 0 ? status : any ? EXIT_OK : EXIT_NOTHING;
}
