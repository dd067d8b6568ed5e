// SPDX-License-Identifier: Apache-2.0
// Marks the edges of code that processes take, in a file that those of one program share.
// tests/cli/edges.py links it with programs whose code tells them.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EDGES = 1 << 20 };

void __sanitizer_cov_trace_pc_guard_init(uint32_t *begin, uint32_t *end);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end);

static unsigned char *taken;

// Edges have the same numbers in each process, as the program's are the first ones to be
// counted. Those of libraries that are opened later have none.
void __sanitizer_cov_trace_pc_guard_init(uint32_t *begin, uint32_t *end)
{
    const char *folder = getenv("SIMDBENCH_TEST_EDGES");
    char path[4096], program[4096] = "";
    uint32_t next = 0;

    if (taken || begin == end || !folder ||
        readlink("/proc/self/exe", program, sizeof program - 1) < 0) {
        return;
    }
    const char *name = program;
    for (const char *at = program; *at; at++) {
        name = *at == '/' ? at + 1 : name;
    }
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        return;
    }
    if (ftruncate(file, EDGES) == 0) {
        void *shared = mmap(NULL, EDGES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        taken = shared == MAP_FAILED ? NULL : shared;
    }
    close(file);
    for (; taken && begin < end && next + 1 < EDGES; begin++) {
        *begin = ++next;
    }
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    if (*guard && !taken[*guard]) {
        taken[*guard] = 1;
    }
}

// The table of places is read from the program's file.
void __sanitizer_cov_pcs_init(const uintptr_t *begin, const uintptr_t *end)
{
    (void)begin;
    (void)end;
}
