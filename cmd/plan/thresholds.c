/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX_BYTES = 1 << 20 };

static int file_path(char *path, size_t size, bool make)
{
    const char *const config = getenv("XDG_CONFIG_HOME"), *const home = getenv("HOME");
    const bool given = config && config[0] == '/';
    char folder[3072];
    if (!given && !(home && home[0]))
        return -ENOENT;
    int n = snprintf(folder, sizeof folder, "%s%s", given ? config : home,
                     given ? "" : "/.config");
    if (n < 0 || (size_t)n + 32 > sizeof folder)
        return -ENAMETOOLONG;
    for (int deeper = 0; make && deeper < 2; deeper++) {
        if (mkdir(folder, 0777) < 0 && errno != EEXIST)
            return -errno;
        if (deeper == 0)
            snprintf(folder + n, sizeof folder - (size_t)n, "/simdbench");
    }
    n = snprintf(path, size, "%s%s/threads.json", folder, make ? "" : "/simdbench");
    return (size_t)n < size ? 0 : -ENAMETOOLONG;
}

/* NULL and 0 if there is no file. */
static int read_all(cJSON **root, char *path, size_t path_size, struct error *error)
{
    *root = NULL;
    if (file_path(path, path_size, false) < 0)
        return 0;
    FILE *const file = fopen(path, "re");
    if (!file)
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : error_set(error, -errno, "%s: %s", path, strerror(errno));
    char *const text = malloc(FILE_MAX_BYTES + 1);
    const size_t n = text ? fread(text, 1, FILE_MAX_BYTES, file) : 0;
    fclose(file);
    if (text)
        text[n] = '\0';
    *root = text ? cJSON_Parse(text) : NULL;
    free(text);
    const cJSON *const version =
        cJSON_GetObjectItemCaseSensitive(*root, "schema_version");
    if (cJSON_IsNumber(version) && version->valuedouble == 1)
        return 0;
    cJSON_Delete(*root);
    *root = NULL;
    return error_set(
        error, -EINVAL,
        "%s: no thresholds of this version; remove it and measure again with "
        "simdbench threads OP, or ignore it with --threads-threshold=off",
        path);
}

int thresholds_read(const char *fingerprint, cJSON **host, struct error *error)
{
    char path[4096];
    cJSON *root;
    *host = NULL;
    const int status = read_all(&root, path, sizeof path, error);
    cJSON *const hosts = cJSON_GetObjectItemCaseSensitive(root, "hosts");
    if (status == 0 && fingerprint)
        *host = cJSON_DetachItemFromObjectCaseSensitive(hosts, fingerprint);
    cJSON_Delete(root);
    return status;
}

uint32_t thresholds_threads(const cJSON *host, const char *op, double work,
                            uint32_t threads, double *ops)
{
    const cJSON *const list = cJSON_GetObjectItemCaseSensitive(host, op);
    uint32_t allowed = threads;
    for (bool again = true; again && allowed > 1;) {
        const cJSON *item;
        uint32_t below = 1;
        again = false;
        cJSON_ArrayForEach(item, list)
        {
            const cJSON *n = cJSON_GetObjectItemCaseSensitive(item, "threads");
            const cJSON *least = cJSON_GetObjectItemCaseSensitive(item, "ops");
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

static int write_json(const void *context, FILE *file, struct error *error)
{
    char *const text = cJSON_Print(context);
    if (!text)
        return error_set(error, -ENOMEM, "out of memory");
    fprintf(file, "%s\n", text);
    free(text);
    return 0;
}

static cJSON *child(cJSON *parent, const char *name)
{
    cJSON *const found = cJSON_GetObjectItemCaseSensitive(parent, name);
    return found ? found : cJSON_AddObjectToObject(parent, name);
}

int thresholds_save(const char *fingerprint, const char *op,
                    const struct threshold *thresholds, size_t n, char *path,
                    size_t path_size, struct error *error)
{
    cJSON *root;
    int status = read_all(&root, path, path_size, error);
    if (status == 0 && (status = file_path(path, path_size, true)) < 0)
        error_set(error, status,
                  "no place for the thresholds ($XDG_CONFIG_HOME or $HOME): %s",
                  strerror(-status));
    if (status < 0)
        goto out;
    if (!root && (root = cJSON_CreateObject()))
        cJSON_AddNumberToObject(root, "schema_version", 1);
    cJSON *const host = child(child(root, "hosts"), fingerprint);
    cJSON *const list = cJSON_CreateArray();
    for (size_t i = 0; i < n && list; i++) {
        cJSON *const item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "threads", thresholds[i].threads);
        if (isfinite(thresholds[i].ops))
            cJSON_AddNumberToObject(item, "ops", thresholds[i].ops);
        else
            cJSON_AddNullToObject(item, "ops");
        cJSON_AddItemToArray(list, item);
    }
    cJSON_DeleteItemFromObjectCaseSensitive(host, op);
    if (!list || !cJSON_AddItemToObject(host, op, list))
        status = error_set(error, -ENOMEM, "out of memory");
    else
        status = file_save(path, write_json, root, error);
out:
    cJSON_Delete(root);
    return status;
}
