/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "costs/costs.h"
#include "process/process.h"
#include "worker/worker.h"

/* More digits are noise. */
static double rounded(double cycles)
{
    return round(cycles * 1000) / 1000;
}

cJSON *cost_json(const struct passport *passport)
{
    cJSON *const value = must_have(cJSON_CreateObject());
    if (!passport->known) {
        cJSON_AddStringToObject(value, "reason", passport->reason);
        return value;
    }
    cJSON_AddNumberToObject(value, "throughput", rounded(passport->throughput));
    cJSON_AddNumberToObject(value, "units", passport->units);
    cJSON *const links = cJSON_AddArrayToObject(value, "links");
    for (size_t i = 0; i < passport->n_links; i++) {
        const struct passport_link *const link = &passport->link[i];
        const double numbers[] = {link->from, link->to, link->address,
                                  rounded((double)link->cycles),
                                  rounded((double)link->full)};
        cJSON_AddItemToArray(links, cJSON_CreateDoubleArray(numbers, ARRAY_LEN(numbers)));
    }
    return value;
}

static bool is_cost(double cycles)
{
    return cycles >= 0 && cycles < 1e9;
}

static bool read_link(const cJSON *value, struct passport_link *link)
{
    double number[5];
    for (int i = 0; i < 5; i++) {
        const cJSON *const item = cJSON_GetArrayItem(value, i);
        if (!cJSON_IsNumber(item))
            return false;
        number[i] = item->valuedouble;
    }
    if (!(number[0] >= 0 && number[0] < 16 && number[1] >= 0 && number[1] < 16) ||
        !is_cost(number[3]) || !is_cost(number[4]))
        return false;
    *link = (struct passport_link){.from = (uint8_t)number[0],
                                   .to = (uint8_t)number[1],
                                   .address = number[2] != 0,
                                   .cycles = (float)number[3],
                                   .full = (float)number[4]};
    return true;
}

bool cost_read(const cJSON *value, struct passport *passport)
{
    const char *const reason = message_text(value, "reason");
    const cJSON *item;
    *passport = (struct passport){.throughput = message_number(value, "throughput", NAN)};
    if (reason)
        snprintf(passport->reason, sizeof passport->reason, "%s", reason);
    if (reason)
        return true;
    const double units = message_number(value, "units", NAN);
    if (!is_cost(passport->throughput) || !(units >= 0 && units < 1 << PASSPORT_UNITS))
        return false;
    passport->units = (unsigned)units;
    cJSON_ArrayForEach (item, message_get(value, "links")) {
        if (passport->n_links == PASSPORT_LINKS ||
            !read_link(item, &passport->link[passport->n_links]))
            return false;
        passport->n_links++;
    }
    passport->known = true;
    return true;
}
