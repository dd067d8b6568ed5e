/* SPDX-License-Identifier: Apache-2.0 */
/* The worker process: `simdbench worker --parent=PID [MODULE.so [NAME VALUE]...]`, with
 * the socket on descriptor 3 and the shared memory on 4. */
#include "process/process.h"
#include "worker/service/confine.h"
#include "worker/service/service.h"

#include <sys/prctl.h>
#include <unistd.h>

enum { SOCKET_FD = 3, MEMORY_FD = 4 };

static int reply_line(cJSON *reply)
{
    const int status = message_send(SOCKET_FD, reply);
    cJSON_Delete(reply);
    return status;
}

static int greet(const char *path, char **words, size_t n_words, struct service **service)
{
    struct simdbench_option options[SERVICE_OPTIONS_MAX];
    size_t n = 0;
    for (size_t i = 0; i + 1 < n_words && n < ARRAY_LEN(options); i += 2)
        options[n++] = (struct simdbench_option){
            .size = sizeof *options, .name = words[i], .value = words[i + 1]};
    struct error error = {.text = ""};
    int status = service_new(service, path, options, n, MEMORY_FD, &error);
    cJSON *hello = cJSON_CreateObject();
    cJSON_AddBoolToObject(hello, "ok", status == 0);
    cJSON_AddStringToObject(hello, "hello", "simdbench-worker");
    cJSON_AddNumberToObject(hello, "protocol", WORKER_PROTOCOL);
    if (status < 0) {
        cJSON_AddNumberToObject(hello, "errno", -status);
        cJSON_AddStringToObject(hello, "error", error.text);
    }
    int sent = reply_line(hello);
    return status < 0 ? status : sent;
}

int worker_main(int argc, char **argv)
{
    /* SIGINT and its like are blocked: the parent decides what they mean, and its death
     * ends the worker. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc < 3 || strncmp(argv[2], PARENT_OPTION, sizeof PARENT_OPTION - 1) ||
        atoi(argv[2] + sizeof PARENT_OPTION - 1) != getppid())
        return EXIT_USAGE;
    confine(getppid());
    struct service *service = NULL;
    if (greet(argc > 3 ? argv[3] : NULL, argv + 4, argc > 4 ? (size_t)argc - 4 : 0,
              &service) < 0)
        return 1;
    const pid_t self = getpid();
    FILE *input = fdopen(SOCKET_FD, "r");
    FREED_BY(free_memory) char *line = NULL;
    size_t capacity = 0;
    while (input && getline(&line, &capacity, input) > 0) {
        cJSON *request = cJSON_Parse(line);
        const char *verb = message_text(request, "do");
        if (verb && !strcmp(verb, "quit")) {
            cJSON_Delete(request);
            break;
        }
        cJSON *reply = service_handle(service, request);
        if (getpid() != self) /* a kernel forked: its copy of this process is none */
            _exit(1);
        cJSON_AddNumberToObject(reply, "id", message_number(request, "id", 0));
        int status = reply_line(reply);
        cJSON_Delete(request);
        if (status < 0)
            break;
    }
    service_free(service);
    if (input)
        fclose(input);
    return 0;
}
