/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Module `sleef`: the vector functions of SLEEF (Debian: libsleef3) as baselines of op
 * tanh, one row for each instruction set: u10 promises 1.0 ulp, u35 3.5.
 */
#include <limits.h>
#include <link.h>
#include <stdlib.h>

#include "library.h"
#include "vector_calls.h"

#define ROWS(ROW)                                              \
    ROW(tanh, f32, sse2, u10, 1, Sleef_tanhf4_u10sse2)         \
    ROW(tanh, f32, avx2, u10, 1, Sleef_tanhf8_u10avx2)         \
    ROW(tanh, f32, avx512, u10, 1, Sleef_tanhf16_u10avx512f)   \
    ROW(tanh, f32, sse2, u35, 3.5, Sleef_tanhf4_u35sse2)       \
    ROW(tanh, f32, avx2, u35, 3.5, Sleef_tanhf8_u35avx2)       \
    ROW(tanh, f32, avx512, u35, 3.5, Sleef_tanhf16_u35avx512f) \
    ROW(tanh, f64, sse2, u10, 1, Sleef_tanhd2_u10sse2)         \
    ROW(tanh, f64, avx2, u10, 1, Sleef_tanhd4_u10avx2)         \
    ROW(tanh, f64, avx512, u10, 1, Sleef_tanhd8_u10avx512f)    \
    ROW(tanh, f64, sse2, u35, 3.5, Sleef_tanhd2_u35sse2)       \
    ROW(tanh, f64, avx2, u35, 3.5, Sleef_tanhd4_u35avx2)       \
    ROW(tanh, f64, avx512, u35, 3.5, Sleef_tanhd8_u35avx512f)

ROWS(VECTOR_ROW)

static const struct simdbench_kernel *const kernels[] = {ROWS(VECTOR_KERNEL) NULL};

static const struct library library = {"libsleef.so.3",
                                       "install SLEEF, e.g. package libsleef3"};
static void *handle;

static int sleef_open(const struct simdbench_option *const *options, size_t n,
                      char *error, size_t error_size)
{
    static const struct symbol symbols[] = {ROWS(VECTOR_SYMBOL)};
    return library_no_options(options, n, error, error_size)
               ?: library_load(&library, &handle, symbols, SYMBOLS(symbols), error,
                               error_size);
}

/* Nothing in the library tells its version but the name of its file. */
static int sleef_describe(struct simdbench_description *description)
{
    static char version[64];
    const struct link_map *map = NULL;
    char path[PATH_MAX];
    const char *digits = NULL;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && realpath(map->l_name, path))
        digits = strstr(path, ".so.");
    snprintf(version, sizeof version, "SLEEF %.40s", digits ? digits + 4 : "3");
    description->version = version;
    return 0;
}

MODULE(.name = "sleef", .kernels = kernels, .open = sleef_open,
       .describe = sleef_describe)
