/* SPDX-License-Identifier: Apache-2.0 */
/* A file of the cache: {"schema_version": 1, "hosts": {FINGERPRINT: {"boot": ...}}}. */
#include "files.h"
#include "process/process.h"
#include "reports.h"
#include "worker/worker.h"

enum { FILE_MAX_BYTES = 16 << 20, FILE_VERSION = 1 };

static bool boot_id(char *id, size_t size)
{
    return file_read("", "/proc/sys/kernel/random/boot_id", id, size) > 0;
}

cJSON *host_file_load(const char *name)
{
    char path[4096], *text = NULL;
    size_t size;
    if (state_path(STATE_CACHE, name, false, path, sizeof path, NULL) == 0 &&
        file_load(path, FILE_MAX_BYTES, &text, &size) < 0)
        text = NULL;
    FREED_BY(json_delete) cJSON *root = text ? cJSON_Parse(text) : NULL;
    cJSON *hosts = NULL;
    free(text);
    if (message_number(root, "schema_version", 0) == FILE_VERSION)
        hosts = cJSON_DetachItemFromObjectCaseSensitive(root, "hosts");
    if (cJSON_IsObject(hosts))
        return hosts;
    cJSON_Delete(hosts);
    return must_have(cJSON_CreateObject());
}

cJSON *host_file_find(const cJSON *hosts, const char *fingerprint)
{
    char boot[64];
    cJSON *const host = message_get(hosts, fingerprint);
    const char *const written = message_text(host, "boot");
    return written && boot_id(boot, sizeof boot) && !strcmp(written, boot) ? host : NULL;
}

cJSON *host_file_make(cJSON *hosts, const char *fingerprint)
{
    char boot[64];
    cJSON *host = host_file_find(hosts, fingerprint);
    if (host)
        return host;
    boot_id(boot, sizeof boot);
    cJSON_DeleteItemFromObjectCaseSensitive(hosts, fingerprint);
    host = must_have(cJSON_AddObjectToObject(hosts, fingerprint));
    cJSON_AddStringToObject(host, "boot", boot);
    return host;
}

void host_file_save(const char *name, cJSON *hosts)
{
    char path[4096];
    FREED_BY(json_delete) cJSON *root = must_have(cJSON_CreateObject());
    cJSON_AddNumberToObject(root, "schema_version", FILE_VERSION);
    cJSON_AddItemToObject(root, "hosts", hosts);
    if (state_path(STATE_CACHE, name, true, path, sizeof path, NULL) == 0)
        message_save(root, path, NULL);
}
