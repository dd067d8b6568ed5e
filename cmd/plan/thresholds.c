/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include <math.h>

enum { FILE_MAX_BYTES = 1 << 20 };

/* NULL and 0 if there is no file. */
static int read_all(cJSON **root, char *path, size_t path_size, struct error *error)
{
    char *text;
    size_t size;
    *root = NULL;
    if (state_path(STATE_CONFIG, "threads.json", false, path, path_size, NULL) < 0)
        return 0;
    const int status = file_load(path, FILE_MAX_BYTES, &text, &size);
    if (status == -ENOENT || status == -ENOTDIR)
        return 0;
    if (status < 0 && status != -EFBIG)
        return error_set(error, status, "%s: %s", path, strerror(-status));
    *root = text ? cJSON_Parse(text) : NULL;
    free(text);
    const cJSON *const version = message_get(*root, "schema_version");
    if (cJSON_IsNumber(version) && version->valuedouble == 1)
        return 0;
    cJSON_Delete(*root);
    *root = NULL;
    return invalid(error,
                   "%s: no thresholds of this version; remove it and measure again with "
                   "simdbench threads OP, or ignore it with --threads-threshold=off",
                   path);
}

int thresholds_read(const char *fingerprint, cJSON **host, struct error *error)
{
    char path[4096];
    FREED_BY(json_delete) cJSON *root = NULL;
    *host = NULL;
    const int status = read_all(&root, path, sizeof path, error);
    cJSON *const hosts = message_get(root, "hosts");
    if (status == 0 && fingerprint)
        *host = cJSON_DetachItemFromObjectCaseSensitive(hosts, fingerprint);
    return status;
}

uint32_t thresholds_threads(const cJSON *host, const char *op, double work,
                            uint32_t threads, double *ops)
{
    const cJSON *const list = message_get(host, op);
    uint32_t allowed = threads;
    for (bool again = true; again && allowed > 1;) {
        const cJSON *item;
        uint32_t below = 1;
        again = false;
        cJSON_ArrayForEach (item, list) {
            const cJSON *n = message_get(item, "threads");
            const cJSON *least = message_get(item, "ops");
            const double from = cJSON_IsNumber(least) ? least->valuedouble : INFINITY;
            if (!cJSON_IsNumber(n) || n->valuedouble < 2 || n->valuedouble > allowed)
                continue;
            if (n->valuedouble == allowed) {
                again = work < from;
                *ops = again ? from : *ops;
            } else if (n->valuedouble > below) {
                below = (uint32_t)n->valuedouble;
            }
        }
        allowed = again ? below : allowed;
    }
    return allowed;
}

static cJSON *child(cJSON *parent, const char *name)
{
    cJSON *const found = message_get(parent, name);
    return found ? found : cJSON_AddObjectToObject(parent, name);
}

int thresholds_save(const char *fingerprint, const char *op,
                    const struct threshold *thresholds, size_t n, char *path,
                    size_t path_size, struct error *error)
{
    FREED_BY(json_delete) cJSON *root;
    struct error why = {.text = ""};
    const int status =
        read_all(&root, path, path_size, error)
            ?: state_path(STATE_CONFIG, "threads.json", true, path, path_size, &why);
    if (status < 0 && why.text[0])
        error_set(error, status, "no place for the thresholds: %.480s", why.text);
    if (status < 0)
        return status;
    if (!root) {
        root = must_have(cJSON_CreateObject());
        cJSON_AddNumberToObject(root, "schema_version", 1);
    }
    cJSON *const host = child(child(root, "hosts"), fingerprint);
    cJSON *const list = must_have(cJSON_CreateArray());
    for (size_t i = 0; i < n; i++) {
        cJSON *const item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "threads", thresholds[i].threads);
        if (isfinite(thresholds[i].ops))
            cJSON_AddNumberToObject(item, "ops", thresholds[i].ops);
        else
            cJSON_AddNullToObject(item, "ops");
        cJSON_AddItemToArray(list, item);
    }
    cJSON_DeleteItemFromObjectCaseSensitive(host, op);
    cJSON_AddItemToObject(host, op, list);
    return message_save(root, path, error);
}
