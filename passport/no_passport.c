/* SPDX-License-Identifier: Apache-2.0 */
/* In place of passports where instructions can be neither decoded nor encoded. */
#include "passport.h"

#include <math.h>

int passport_form(const unsigned char *code, size_t n, struct passport_form *form)
{
    return -ENOTSUP;
}

int passport_forms(struct passport_form **forms, size_t *n)
{
    *forms = NULL;
    *n = 0;
    return -ENOTSUP;
}

void passport_label(const struct passport_form *form, const struct passport_link *link,
                    char from[PASSPORT_LABEL], char to[PASSPORT_LABEL])
{
    from[0] = to[0] = '\0';
}

void passport_make_up(const struct passport_form *form, double cycles,
                      struct passport *passport)
{
    *passport = (struct passport){.throughput = NAN};
}

int passport_measure(const struct passport_form *forms, size_t n,
                     struct passport *passports, passport_done *done, void *context,
                     struct error *error)
{
    return error_set(error, -ENOTSUP, "%s",
#ifdef __x86_64__
                     "this simdbench was built without Zydis, which makes instructions "
                     "(package libzydis-dev)"
#else
                     "instructions can be measured on x86-64 alone"
#endif
    );
}
