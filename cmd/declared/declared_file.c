/* SPDX-License-Identifier: Apache-2.0 */
/* For the time being: a reader of declarations. */
#include "declared_private.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *text_of(const cJSON *object, const char *name)
{
    const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? strdup(item->valuestring) : NULL;
}

static struct named_text *pairs(const cJSON *object, const char *name, size_t *n)
{
    const cJSON *const list = cJSON_GetObjectItemCaseSensitive(object, name);
    struct named_text *const out =
        calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *out);
    const cJSON *item;
    cJSON_ArrayForEach (item, list) {
        out[*n].name = strdup(item->string);
        out[(*n)++].text = strdup(item->valuestring);
    }
    return out;
}

int declared_load(const char *path, struct declared_file *file, struct error *error)
{
    static char text[1 << 20];
    FILE *const in = fopen(path, "r");
    *file = (struct declared_file){.n = 0};
    if (!in)
        return error_set(error, -ENOENT, "%s", path);
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    cJSON *const root = cJSON_Parse(text);
    const cJSON *const ops = cJSON_GetObjectItemCaseSensitive(root, "ops");
    file->op = calloc((size_t)cJSON_GetArraySize(ops) + 1, sizeof *file->op);
    const cJSON *item;
    int status = root ? 0 : error_set(error, -EINVAL, "%s: no JSON", path);
    cJSON_ArrayForEach (item, ops) {
        struct declared_op *const op = &file->op[file->n++];
        op->name = strdup(item->string);
        op->prototype = text_of(item, "prototype");
        op->kernel = pairs(item, "kernels", &op->n_kernels);
        op->input = pairs(item, "inputs", &op->n_inputs);
        op->library = text_of(item, "library") ?: text_of(root, "library");
        op->reference = text_of(item, "reference");
        op->roof = text_of(item, "roof");
        op->sizes = text_of(item, "sizes");
        op->tails = text_of(item, "tails");
        char *const tolerance = text_of(item, "tolerance");
        if (status == 0)
            status = declaration_parse(op->prototype, &op->declaration, error);
        if (status == 0 && tolerance)
            status = tolerance_parse(tolerance, &op->tolerance, error);
        char *const work = text_of(item, "ops");
        if (status == 0 && work)
            status = declaration_expression(&op->declaration, work, &op->ops, error);
        const cJSON *const over = cJSON_GetObjectItemCaseSensitive(item, "overread");
        op->overread = over ? (uint32_t)over->valueint : 0;
    }
    return status;
}

void declared_free(struct declared_file *file)
{
    (void)file;
}
