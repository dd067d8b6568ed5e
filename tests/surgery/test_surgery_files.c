/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of functions of several files. */
#include "built.h"
#include "surgeon.h"

/* The distance of a copy from its original, apart from multiples of 2 MB. */
static unsigned shift_in(struct surgery_variant *variant, uint64_t original)
{
    enum { STRIDES = 850, STRIDE = 2 << 20, PAGE = 4096 };
    for (int64_t k = -STRIDES; k <= STRIDES; k++)
        for (unsigned shift = 0; shift < PAGE; shift += 4)
            if (k && surgery_origin(variant, original + (uint64_t)(k * STRIDE) + shift) ==
                         original)
                return shift;
    return PAGE;
}

/* Functions of other files do not keep their place in a line beside the function. */
TEST(test_other_files)
{
    struct surgery *surgery = NULL;
    struct surgery_variant *variant = NULL;
    struct error error = {.text = ""};
    void *const library = build_operated("cc", "");
    if (!library)
        return;
    struct patient patient = {
        .function = (patient_function *)(uintptr_t)dlsym(library, "linked")};
    const uint64_t own = (uint64_t)(uintptr_t)patient.function;
    const struct surgery_subject subject = {.run = (surgery_function *)patient.function};
    const uint64_t executed[] = {own, (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "atoi")};
    assert_int_equal(surgery_open(&subject, executed, 2, &surgery, &error), 0);
    for (unsigned line = 0; line < 64; line += 9) {
        assert_int_equal(surgery_copy(surgery, line * 64 + 8, &variant, &error), 0);
        assert_int_equal(shift_in(variant, own), line * 64 + 8);
        assert_int_equal(shift_in(variant, executed[1]),
                         (line * 64 + 8 + 4 * (line % 16)) % 4096);
        surgery_drop(variant);
    }
    surgery_close(surgery);
}

TESTS_BETWEEN(NULL, forget_built)
TESTS_SKIPPED_IF(cannot_trace)
