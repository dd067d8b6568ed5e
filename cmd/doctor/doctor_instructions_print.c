/* SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "doctor_private.h"

enum { FORM_WIDTH_MAX = 44 };

static int form_width(const struct instructions *instructions)
{
    size_t width = 4;
    for (size_t i = 0; i < instructions->n; i++) {
        const size_t length = strlen(instructions->form[i].name);
        width = length > width && length <= FORM_WIDTH_MAX ? length : width;
    }
    return (int)width;
}

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

void instructions_print(const struct instructions *instructions, const struct host *host,
                        FILE *file)
{
    const int width = form_width(instructions);
    size_t known = 0;
    text_line(file, "%-*s  %10s  %s", width, "form", "throughput", "latency");
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
        text_line(file, "%-*s  %10s  %s", width, form->name, throughput,
                  buffer_text(&latency));
    }
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

int instructions_print_json(const struct instructions *instructions,
                            const struct host *host, FILE *file, struct error *error)
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
