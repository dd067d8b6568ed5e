/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles from operands to result, rounded, of two families of cores. */
#include "inspect_private.h"

#include <string.h>

/* By the beginning of a name without its v; the first row that fits counts. */
static const struct {
    const char *name;
    bool is_vector; /* of vector registers, scalar floats too */
    unsigned char amd, intel;
} latencies[] = {
    {"fmadd", true, 4, 4},    {"fmsub", true, 4, 4},    {"fnm", true, 4, 4},
    {"divpd", true, 13, 14},  {"divsd", true, 13, 14},  {"div", true, 10, 11},
    {"sqrtpd", true, 20, 18}, {"sqrtsd", true, 20, 18}, {"sqrt", true, 14, 12},
    {"rcp", true, 3, 4},      {"rsqrt", true, 3, 4},    {"round", true, 3, 8},
    {"hadd", true, 7, 6},     {"addsub", true, 3, 4},   {"add", true, 3, 4},
    {"sub", true, 3, 4},      {"mul", true, 3, 4},      {"max", true, 1, 4},
    {"min", true, 1, 4},      {"cmp", true, 1, 4},      {"ucomi", true, 4, 3},
    {"comi", true, 4, 3},     {"cvt", true, 4, 5},      {"pmull", true, 3, 8},
    {"pmul", true, 3, 5},     {"pmadd", true, 3, 5},    {"pdp", true, 3, 5},
    {"perm2", true, 4, 3},    {"perm", true, 4, 3},     {"broadcast", true, 3, 3},
    {"insertf", true, 2, 3},  {"extractf", true, 4, 3}, {"movmsk", true, 5, 3},
    {"gather", true, 20, 20}, {"blendv", true, 1, 2},   {"movdq", true, 1, 1},
    {"movd", true, 3, 2},     {"mov", true, 1, 1},      {"imul", false, 3, 3},
    {"mul", false, 3, 4},     {"idiv", false, 12, 15},  {"div", false, 12, 15},
    {"popcnt", false, 1, 3},  {"tzcnt", false, 2, 3},   {"lzcnt", false, 1, 3},
    {"lea", false, 1, 1}};

unsigned latency_of(const char *name, const struct code *code)
{
    const bool is_vector = code->encoding != ENCODING_NONE;
    if (code->copy)
        return 0; /* cores rename the register */
    __builtin_cpu_init();
    for (size_t i = 0; i < ARRAY_LEN(latencies); i++)
        if (latencies[i].is_vector == is_vector &&
            !strncmp(name, latencies[i].name, strlen(latencies[i].name)))
            return __builtin_cpu_is("intel") ? latencies[i].intel : latencies[i].amd;
    return 1;
}
