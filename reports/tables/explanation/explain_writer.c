/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_writer.h"

#include <math.h>

void explain_end(struct writer *to, const char *label)
{
    to->paragraph(label, buffer_text(&to->text), to->context);
    buffer_clear(&to->text);
}

void put_number(struct writer *to, double value)
{
    char text[NUMBER_SIZE] = "unknown";
    if (isfinite(value) && fabs(value) >= 10000)
        text_scaled(value, "", text);
    else if (isfinite(value))
        snprintf(text, sizeof text, "%.4g", value);
    buffer_format(&to->text, "%s", text);
}

void put_percent(struct writer *to, double share)
{
    if (isfinite(share))
        buffer_format(&to->text, "%.*f%%", share < 0.0995 ? 1 : 0, 100 * share);
    else
        buffer_format(&to->text, "unknown");
}

void put_ratio(struct writer *to, double ratio, const struct interval *ci)
{
    buffer_format(&to->text, "x%.2f", ratio);
    if (ci->known)
        buffer_format(&to->text, " [%.2f, %.2f]", ci->lo, ci->hi);
}

void put_comma(struct writer *to, const char *between)
{
    if (to->text.length)
        buffer_add(&to->text, between);
}
