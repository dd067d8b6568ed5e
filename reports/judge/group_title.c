/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

void group_title(const struct run *run, size_t first, size_t end, char *name, size_t size,
                 char work[WORK_SIZE])
{
    const struct result *result = &run->results[first];
    bool same = true;
    const char *type, *element;
    FREED_BY(buffer_free) struct buffer text = {.text = NULL};
    char ops[NUMBER_SIZE], bytes[NUMBER_SIZE];

    for (size_t i = first; i < end; i++)
        if (!run->results[i].is_roof && !run->results[i].is_baseline) {
            result = &run->results[i];
            break;
        }
    type = result->type ?: "";
    for (size_t i = first; i < end; i++) {
        const struct result *other = &run->results[i];
        if (!other->is_roof && !other->is_baseline)
            same &= !strcmp(other->type ?: "", type);
    }
    /* Kernels of several semirings share a group, but not a type: the element remains. */
    element = same ? NULL : strrchr(type, '-');
    buffer_plain(&text, result->op);
    /* Other programs' cases have no type, and perhaps no shape. */
    buffer_tell(&text, "%s%s%s%s", *type ? "/" : "", element ? element + 1 : type,
                result->shape && *result->shape ? "@" : "", result->shape);
    for (size_t i = 0; i < result->n_settings; i++)
        buffer_tell(&text, ";%s=%s", result->settings[i].name, result->settings[i].value);
    snprintf(name, size, "%s", buffer_text(&text));
    text_scaled(result->work.ops, "op", ops);
    text_scaled(result->work.bytes, "B", bytes);
    work[0] = '\0';
    if (result->work.ops > 0 && result->work.bytes > 0)
        snprintf(work, WORK_SIZE, "%s and %s a call", ops, bytes);
    else if (result->work.ops > 0 || result->work.bytes > 0)
        snprintf(work, WORK_SIZE, "%s a call", result->work.ops > 0 ? ops : bytes);
}
