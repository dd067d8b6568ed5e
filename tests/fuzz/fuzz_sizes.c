/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text given to --sizes is refused with a reason, or expands to shapes that expand to
 * themselves. With clang: -fsanitize=fuzzer -DSIMDBENCH_LIBFUZZER. Else the program runs
 * a short loop of its own: fuzz_sizes [ROUNDS [SEED]].
 */
#include "cli/cli.h"
#include "mutate_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text_list shapes = {0}, again = {0};
    struct error error = {0};
    char *const text = strndup((const char *)data, size);
    demand(text != NULL, "memory", "");

    if (sizes_expand(text, &shapes, &error) != 0) {
        demand(error.text[0] != '\0', "refused without a reason", text);
        demand(shapes.n == 0, "refused, but left shapes", text);
    } else {
        demand(shapes.n >= 1 && shapes.n <= SIZES_MAX, "number of shapes", text);
        for (size_t i = 0; i < shapes.n; i++) {
            demand(sizes_expand(shapes.item[i], &again, &error) == 0, "shape refused",
                   shapes.item[i]);
            demand(again.n == 1 && strcmp(again.item[0], shapes.item[i]) == 0,
                   "shape changed", shapes.item[i]);
            text_list_cut(&again, 0);
        }
    }
    text_list_free(&again);
    text_list_free(&shapes);
    free(text);
    return 0;
}

#ifndef SIMDBENCH_LIBFUZZER
static const char *const seeds[] = {"64..512",
                                    "64..512:64",
                                    "1k..1M*10",
                                    "64,100,128",
                                    "64x32x128",
                                    "1Ki..1Gi*2",
                                    "n16c3h224w224,7",
                                    "0..9223372036854775807:9223372036854775807",
                                    "9223372036854775807..9223372036854775807*2"};
static const char alphabet[] = "0123456789.,:*xkMGi-+ n\xff";

int main(int argc, char **argv)
{
    return fuzz_texts(argc, argv, seeds, ARRAY_LEN(seeds), alphabet);
}
#endif
