/* SPDX-License-Identifier: Apache-2.0 */
#include "near_names.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NEAR_MAX = 3 };

/* Levenshtein distance of short words. */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    size_t row[LONGEST + 1];
    size_t m = strlen(b);
    if (m > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < m; j++) {
            size_t change = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            size_t shift = (row[j] < diagonal ? row[j] : diagonal) + 1;
            row[j + 1] = change < shift ? change : shift;
        }
    }
    return row[m];
}

void near_try(struct near *near, const char *name)
{
    if (near->n == NEAR_MAX || distance(near->word, name) > 1 + strlen(near->word) / 3)
        return;
    const size_t used = near->n ? strlen(near->text) - 1 : 0;
    snprintf(near->text + used, sizeof near->text - used, "%s%s?",
             near->n ? ", " : "; did you mean ", name);
    near->n++;
}
