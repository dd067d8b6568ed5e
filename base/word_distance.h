/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { WORD_MAX = 63 };

/* Insertions, deletions, replacements and swaps of neighbours that lead from one word to
 * the other (optimal string alignment), upper case being the same as lower case;
 * UINT_MAX if one is longer than WORD_MAX. */
static inline unsigned word_distance(const char *a, const char *b)
{
    const size_t n = strlen(a), m = strlen(b);
    unsigned rows[3][WORD_MAX + 1];

    if (n > WORD_MAX || m > WORD_MAX)
        return UINT_MAX;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *const row = rows[i % 3];
        const unsigned *const above = rows[(i + 2) % 3];
        const unsigned *const before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            const int x = tolower((unsigned char)a[i - 1]);
            const int y = tolower((unsigned char)b[j - 1]);
            const unsigned shift = (above[j] < row[j - 1] ? above[j] : row[j - 1]) + 1;
            const unsigned change = above[j - 1] + (x != y);
            row[j] = change < shift ? change : shift;
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]) && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
    }
    return rows[n % 3][m];
}
