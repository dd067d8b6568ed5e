/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of functions of several files. */
#include "built.h"
#include "hash.h"
#include "sections.h"
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

/* The innermost one, by looking at all. */
static struct symbol find_symbol(const struct object *object, uint64_t address)
{
    struct symbol best = {.lo = 0};
    const ElfW(Shdr) * table;
    for (size_t s = 0; (table = section(object, s)); s++) {
        size_t n;
        const ElfW(Sym) *const symbol = symbols_in(object, table, &n);
        for (size_t i = 0; i < n; i++) {
            const unsigned type = ELF64_ST_TYPE(symbol[i].st_info);
            const uint64_t lo = object->bias + symbol[i].st_value;
            if (address >= lo && address - lo < symbol[i].st_size && lo >= best.lo &&
                (type == STT_FUNC || type == STT_OBJECT) &&
                symbol[i].st_shndx != SHN_UNDEF)
                best = (struct symbol){.lo = lo, .hi = lo + symbol[i].st_size};
        }
    }
    return best;
}

/* This program and libc have symbols that lie in each other and side by side. */
TEST(test_symbols)
{
    struct objects objects = {.n = 0};
    assert_int_equal(objects_open(&objects), 0);
    size_t found = 0;
    for (int k = 0; k < 2; k++) {
        void *const inside = k ? dlsym(RTLD_DEFAULT, "atoi") : (void *)find_symbol;
        const struct object *const object =
            object_at(&objects, (uint64_t)(uintptr_t)inside);
        assert_non_null(object);
        uint64_t address = object->lo;
        for (int i = 0; i < 2000; i++) {
            struct symbol symbol, begin;
            assert_int_equal(symbol_at(object, address, &symbol),
                             find_symbol(object, address).lo != 0);
            assert_int_equal(symbol.lo, find_symbol(object, address).lo);
            /* Its ends, and then a place anywhere. */
            if (symbol.lo) {
                assert_true(symbol_at(object, symbol.hi - 1, &begin));
                assert_int_equal(begin.lo, find_symbol(object, symbol.hi - 1).lo);
                found++;
            }
            address = object->lo +
                      hash_bytes(HASH_FIRST, &i, sizeof i) % (object->hi - object->lo);
        }
    }
    assert_true(found > 100);
    objects_close(&objects);
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
