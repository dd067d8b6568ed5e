/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

bool tally_has(const struct tally *tally, size_t entry, const char *key, size_t length)
{
    return tally->entry[entry].key_length == length &&
           !memcmp(tally->entry[entry].key, key, length);
}

void tally_add(struct tally *tally, const char *key, size_t length, const char *detail)
{
    size_t i = 0;

    while (i < tally->n && !tally_has(tally, i, key, length))
        i++;
    if (i == TALLY_MAX) {
        tally->lost++;
        return;
    }
    if (i == tally->n) {
        tally->entry[tally->n++].key = key;
        tally->entry[i].key_length = length;
        tally->entry[i].detail = detail;
        tally->entry[i].count = 0;
    }
    tally->entry[i].count++;
}

void tally_lines(const struct tally *tally, const char *what, struct legend *legend)
{
    struct buffer *const buffer = &legend->buffer;
    for (size_t i = 0; i < tally->n; i++) {
        buffer_tell(buffer, "%s: %s (%s", what, tally->entry[i].key,
                    tally->entry[i].detail);
        if (tally->entry[i].count > 1)
            buffer_format(buffer, " and %zu more", tally->entry[i].count - 1);
        buffer_add(buffer, ")");
        legend_flush(legend);
    }
    if (tally->lost) {
        buffer_format(buffer, "%s: %zu more are in the JSON file", what, tally->lost);
        legend_flush(legend);
    }
}
