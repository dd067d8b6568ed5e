/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text is refused as the id of a case, with a reason, or what is written of it is
 * read as the same and written again as it was. With clang: -fsanitize=fuzzer
 * -DSIMDBENCH_LIBFUZZER. Else the program runs a short loop of its own:
 * fuzz_case [ROUNDS [SEED]].
 */
#include "case/case.h"
#include "mutate_text.h"
#include "process/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct case_name name;
    struct error error = {.text = ""};
    char *const text = strndup((const char *)data, size);
    demand(text != NULL, "memory", "");
    if (case_name_parse(text, &name, &error) < 0) {
        demand(error.text[0] && !name.op && !name.settings.input, "refused", text);
        free(text);
        return 0;
    }
    demand(name.op && name.type && name.isa && name.variant && name.shape, "parts", text);
    char *const first = case_name_format(&name);
    case_name_free(&name);
    demand(case_name_parse(first, &name, &error) == 0, "what it writes it reads", first);
    char *const second = case_name_format(&name);
    case_name_free(&name);
    demand(!strcmp(first, second), "writing is stable", first);
    free(second);
    char *const threads = case_id_threads(first, 1);
    demand(threads != NULL, "one thread", first);
    free(threads);
    free(first);
    free(text);
    return 0;
}

#ifndef SIMDBENCH_LIBFUZZER
static const char *const seeds[] = {
    "relu/f32/avx2/max@2048", "gemm/maxplus-f32/avx512/fma@256x256x256;threads=2",
    "openblas,coretype=SkylakeX:gemm/plustimes-f32/lib/sgemm@8x8x8",
    "./mine@2/b.so,a=b:conv/f32/avx2/direct@n1c16h8;cache=cold;pages=2m;align=128",
    "tanh/f32/avx2/auto@64;accuracy-at-most=0.5;input=hard"};
static const char alphabet[] = "/@:;,-=.0123456789ace threadspgilncom\xff";

int main(int argc, char **argv)
{
    return fuzz_texts(argc, argv, seeds, ARRAY_LEN(seeds), alphabet);
}
#endif
