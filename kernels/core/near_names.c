/* SPDX-License-Identifier: Apache-2.0 */
#include "near_names.h"
#include "word_distance.h"

#include <stdio.h>
#include <string.h>

enum { NEAR_MAX = 3 };

void near_try(struct near *near, const char *name)
{
    if (near->n == NEAR_MAX ||
        word_distance(near->word, name) > 1 + strlen(near->word) / 3)
        return;
    const size_t used = near->n ? strlen(near->text) - 1 : 0;
    snprintf(near->text + used, sizeof near->text - used, "%s%s?",
             near->n ? ", " : "; did you mean ", name);
    near->n++;
}
