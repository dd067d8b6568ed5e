/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "gate.h"

static const struct fact *find_fact(const struct run *run, const struct fact *like)
{
    for (size_t i = 0; i < run->host.n; i++)
        if (run->host.fact[i].identity && !strcmp(run->host.fact[i].name, like->name))
            return &run->host.fact[i];
    return NULL;
}

static void add_fact(struct buffer *buffer, const struct fact *fact)
{
    if (fact && fact->kind == FACT_TEXT)
        buffer_format(buffer, "'%s'", fact->text);
    else if (fact)
        buffer_format(buffer, "%.10g", fact->number);
    else
        buffer_add(buffer, "unknown");
}

static bool same_fact(const struct fact *a, const struct fact *b)
{
    return a && b && a->kind == b->kind && a->number == b->number &&
           text_same(a->text, b->text);
}

static void add_difference(struct buffer *buffer, const char *name, const struct fact *a,
                           const struct fact *b)
{
    buffer_format(buffer, "%s%s is ", buffer->length ? ", " : "", name);
    add_fact(buffer, a);
    buffer_add(buffer, " and ");
    add_fact(buffer, b);
}

int hosts_compare(const struct run *base, const struct run *head, char **difference)
{
    FREED_BY(buffer_free) struct buffer buffer = {.text = NULL};

    if (head->fingerprint && text_same(head->fingerprint, base->fingerprint))
        return 0;
    FOR_EACH (const struct fact, fact, base->host.fact, base->host.n)
        if (fact->identity && !same_fact(fact, find_fact(head, fact)))
            add_difference(&buffer, fact->name, fact, find_fact(head, fact));
    FOR_EACH (const struct fact, fact, head->host.fact, head->host.n)
        if (fact->identity && !find_fact(base, fact))
            add_difference(&buffer, fact->name, NULL, fact);
    if (!buffer.length && !head->fingerprint && !base->fingerprint)
        buffer_add(&buffer, "neither file tells its machine");
    else if (!buffer.length)
        buffer_format(&buffer, "fingerprint is %s and %s", base->fingerprint ?: "unknown",
                      head->fingerprint ?: "unknown");
    return buffer.failed ? -ENOMEM : string_set(difference, buffer_text(&buffer));
}
