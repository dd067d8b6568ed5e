/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of `simdbench license` in words. */
#include "judge/answer_kinds.h"

static const char *cost_sentence(enum license_cost cost)
{
    static const char *const sentences[] = {
        [LICENSE_UNKNOWN] =
            "It is not known whether wide SIMD costs clock on this machine",
        [LICENSE_NONE] = "Wide SIMD costs no clock on this machine",
        [LICENSE_LIGHT] = "Wide SIMD costs some clock on this machine",
        [LICENSE_HEAVY] = "Wide SIMD costs much clock on this machine"};
    return sentences[cost];
}

/* The net gain of one op, work and clock together. */
static void net_tell(const struct license_net *net, struct buffer *text)
{
    const size_t from = license_wins_from(net);
    buffer_add(text, net->op);
    if (from == 0)
        buffer_add(text, " at any size");
    else if (from < net->n_points) {
        buffer_add(text, " from ");
        buffer_plain(text, net->point[from].shape);
        buffer_add(text, " on");
    } else
        buffer_add(text, " at no size for certain");
}

static void nets_tell(const struct license *license, struct buffer *text)
{
    const char *separator = "With that clock avx512 is not slower than narrower sets: ";
    FOR_EACH (const struct license_net, net, license->net, license->n_nets)
        if (!net->skip[0] && net->n_points) {
            buffer_add(text, separator);
            net_tell(net, text);
            separator = ", ";
        }
}

int license_answer(const struct license *license, struct answer *answer)
{
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    *answer = (struct answer){.n = 0};
    buffer_add(&text, cost_sentence(license->verdict.cost));
    buffer_add(&text, ": ");
    buffer_plain(&text, license->verdict.reason);
    int status = answer_add(answer, &text);
    nets_tell(license, &text);
    status = status ?: answer_add(answer, &text);
    if (license->verdict.cost == LICENSE_UNKNOWN)
        buffer_add(&text, "More rounds on a quieter machine may tell: "
                          "scripts/quiet.sh simdbench license --rounds=100");
    status = status ?: answer_add(answer, &text);
    if (status < 0)
        strings_free(answer->line, answer->n);
    return status;
}
