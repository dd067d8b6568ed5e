/* SPDX-License-Identifier: Apache-2.0 */
/* In place of html.c where Chart.js is missing. */
#include "html.h"

int html_check(struct error *error)
{
    return error_set(error, -ENOTSUP,
                     "html: this simdbench was built without Chart.js; install it "
                     "(Debian: libjs-chart.js), or name a copy (meson configure build "
                     "-Dchart_js=FILE), then build again");
}

int html_write(const struct run *run, FILE *file, struct error *error)
{
    return html_check(error);
}

int html_write_json(struct json *json, FILE *file, struct error *error)
{
    json_free(json);
    return html_check(error);
}
