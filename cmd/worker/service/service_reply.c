/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include <stdarg.h>

cJSON *service_ok(void)
{
    cJSON *reply = cJSON_CreateObject();
    cJSON_AddBoolToObject(reply, "ok", true);
    return reply;
}

cJSON *service_error(int code, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cJSON *reply = cJSON_CreateObject();
    cJSON_AddBoolToObject(reply, "ok", false);
    cJSON_AddNumberToObject(reply, "errno", code < 0 ? -code : code);
    cJSON_AddStringToObject(reply, "error", text);
    return reply;
}
