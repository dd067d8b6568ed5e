// SPDX-License-Identifier: Apache-2.0
// Marks the edges of code that processes take, in a file that they share.
// tests/cli/edges.py links it with a simdbench whose code tells them.
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EDGES = 1 << 20 };

void __sanitizer_cov_trace_pc_guard_init(uint32_t *begin, uint32_t *end);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);

static unsigned char *taken;

// Edges have the same numbers in each process, as the program's are the first ones to be
// counted. Those of libraries that are opened later have none.
void __sanitizer_cov_trace_pc_guard_init(uint32_t *begin, uint32_t *end)
{
    const char *path = getenv("SIMDBENCH_TEST_EDGES");
    uint32_t next = 1;

    if (taken || begin == end || !path) {
        return;
    }
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        return;
    }
    if (ftruncate(file, EDGES) == 0) {
        void *shared = mmap(NULL, EDGES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        taken = shared == MAP_FAILED ? NULL : shared;
    }
    close(file);
    for (; taken && begin < end && next < EDGES; begin++) {
        *begin = next++;
    }
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    if (*guard && !taken[*guard]) {
        taken[*guard] = 1;
    }
}
