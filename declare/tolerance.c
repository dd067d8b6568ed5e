/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>

#include "declare.h"

int tolerance_parse(const char *text, struct tolerance *tolerance, struct error *error)
{
    const char *number = text;
    char *end;
    *tolerance = (struct tolerance){.kind = TOLERANCE_ULP};
    if (!strcmp(text, "exact")) {
        tolerance->kind = TOLERANCE_EXACT;
        return 0;
    }
    if (!strncmp(text, "abs:", 4) || !strncmp(text, "rel:", 4)) {
        tolerance->kind = text[0] == 'a' ? TOLERANCE_ABS : TOLERANCE_REL;
        number += 4;
    }
    tolerance->value = strtod(number, &end);
    if ((!isdigit((unsigned char)*number) && *number != '.') || end == number ||
        strcmp(end, tolerance->kind == TOLERANCE_ULP ? "ulp" : "") != 0 ||
        !isfinite(tolerance->value))
        return invalid(
            error, "tolerance '%.40s' is none of exact, 4ulp, abs:1e-6, rel:1e-5", text);
    return 0;
}
