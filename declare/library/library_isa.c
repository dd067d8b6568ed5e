/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction sets that the code of a function belongs to. */
#include "library_private.h"

#ifdef HAVE_ZYDIS
#include <Zydis/Zydis.h>

enum bundle { SCALAR, SSE2, AVX2, AVX512, NO_BUNDLE };
static const char *const bundles[] = {"scalar", "sse2", "avx2", "avx512"};

/* Sets of Zydis by the beginning of their names, of those that begin alike the longest
 * first. A set needs a bundle at least; unless `inside` or a wider bundle is needed
 * anyway, the CPU must have `name` too. Sets that are missing here are of no account. */
static const struct set {
    const char *prefix, *name;
    enum bundle bundle, inside;
} sets[] = {
    {"AVX512_VNNI", "vnni", AVX512, NO_BUNDLE},
    {"AVX512_VBMI2", "vbmi2", AVX512, NO_BUNDLE},
    {"AVX512_VBMI", "vbmi", AVX512, NO_BUNDLE},
    {"AVX512_BITALG", "bitalg", AVX512, NO_BUNDLE},
    {"AVX512_VPOPCNTDQ", "vpopcntdq", AVX512, NO_BUNDLE},
    {"AVX512_IFMA", "ifma", AVX512, NO_BUNDLE},
    {"AVX512_VP2INTERSECT", "vp2intersect", AVX512, NO_BUNDLE},
    {"AVX512_FP16", "fp16", AVX512, NO_BUNDLE},
    {"AVX512_BF16", "bf16", AVX512, NO_BUNDLE},
    {"AVX512_GFNI", "gfni", AVX512, NO_BUNDLE},
    {"AVX512_VAES", "vaes", AVX512, NO_BUNDLE},
    {"AVX512_VPCLMULQDQ", "vpclmulqdq", AVX512, NO_BUNDLE},
    {"AVX512", "", AVX512, AVX512},
    {"AVX_VNNI", "avxvnni", AVX2, NO_BUNDLE},
    {"AVX_GFNI", "gfni", AVX2, NO_BUNDLE},
    {"AVXAES", "aes", AVX2, NO_BUNDLE},
    {"VAES", "vaes", AVX2, NO_BUNDLE},
    {"VPCLMULQDQ", "vpclmulqdq", AVX2, NO_BUNDLE},
    {"AVX2", "", AVX2, AVX2},
    {"AVX", "avx", SSE2, AVX2},
    {"FMA4", "fma4", SSE2, NO_BUNDLE},
    {"FMA", "fma", SSE2, AVX2},
    {"F16C", "f16c", SSE2, AVX2},
    {"BMI1", "bmi1", SCALAR, AVX2},
    {"BMI2", "bmi2", SCALAR, AVX2},
    {"LZCNT", "lzcnt", SCALAR, AVX2},
    {"MOVBE", "movbe", SCALAR, AVX2},
    {"POPCNT", "popcnt", SCALAR, AVX2},
    {"ADOX_ADCX", "adx", SCALAR, NO_BUNDLE},
    {"SSE4A", "sse4a", SSE2, NO_BUNDLE},
    {"SSE42", "sse42", SSE2, AVX2},
    {"SSE4", "sse41", SSE2, AVX2},
    {"SSSE3", "ssse3", SSE2, AVX2},
    {"SSE3X87", "sse3", SCALAR, AVX2},
    {"SSE3", "sse3", SSE2, AVX2},
    {"SSE2", "", SSE2, SSE2},
    {"SSE_PREFETCH", "", SCALAR, SCALAR},
    {"SSEMXCSR", "", SCALAR, SCALAR},
    {"SSE", "", SSE2, SSE2},
    {"PCLMULQDQ", "pclmul", SSE2, NO_BUNDLE},
    {"AES", "aes", SSE2, NO_BUNDLE},
    {"SHA", "sha", SSE2, NO_BUNDLE},
    {"GFNI", "gfni", SSE2, NO_BUNDLE},
};

static int set_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(sets); i++)
        if (!strncmp(name, sets[i].prefix, strlen(sets[i].prefix)))
            return (int)i;
    return -1;
}

/* Floats one at a time are plain C on this machine. Compilers write tzcnt for any CPU, as
 * older ones run it as bsf. */
static bool is_plain(const ZydisDecodedInstruction *instruction)
{
    const char *const name = ZydisMnemonicGetString(instruction->mnemonic);
    const size_t n = name ? strlen(name) : 0;
    return instruction->mnemonic == ZYDIS_MNEMONIC_TZCNT ||
           (instruction->encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY && n > 2 &&
            (!strcmp(name + n - 2, "ss") || !strcmp(name + n - 2, "sd")));
}

static void write_isa(const bool *has, char *isa, size_t size)
{
    enum bundle bundle = SCALAR;
    bool named[ARRAY_LEN(sets)] = {false};
    for (size_t i = 0; i < ARRAY_LEN(sets); i++)
        if (has[i] && sets[i].bundle > bundle)
            bundle = sets[i].bundle;
    snprintf(isa, size, "%s", bundles[bundle]);
    for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
        const size_t n = strlen(isa);
        bool again = !has[i] || !sets[i].name[0] || bundle >= sets[i].inside;
        for (size_t k = 0; k < i; k++)
            again |= named[k] && !strcmp(sets[k].name, sets[i].name);
        if (again || n + strlen(sets[i].name) + 2 > size)
            continue;
        named[i] = true;
        snprintf(isa + n, size - n, "+%s", sets[i].name);
    }
}

_Static_assert(ARRAY_LEN(sets) <= ISA_SETS, "there are more sets");

/* Takes the first instruction; false: it is none, and one byte is passed over. */
static bool see(const ZydisDecoder *decoder, const unsigned char *code, uint64_t n,
                bool *has, ZydisDecodedInstruction *instruction)
{
    if (!ZYAN_SUCCESS(
            ZydisDecoderDecodeInstruction(decoder, NULL, code, n, instruction))) {
        instruction->length = 1;
        return false;
    }
    const int set = set_of(ZydisISASetGetString(instruction->meta.isa_set));
    if (set >= 0 && !is_plain(instruction))
        has[set] = true;
    return true;
}

/* True of a call, of a jump beyond the n bytes of a function, and of one whose target a
 * register or memory has. */
static bool leaves(const ZydisDecodedInstruction *instruction, uint64_t at, uint64_t n)
{
    switch (instruction->meta.category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_INTERRUPT:
        return true;
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_COND_BR:
        return !instruction->raw.imm[0].is_relative ||
               at + instruction->length + (uint64_t)instruction->raw.imm[0].value.s >= n;
    default:
        return false;
    }
}

static void decode(const ZydisDecoder *decoder, const unsigned char *code,
                   struct library_function *function)
{
    bool has[ARRAY_LEN(sets)] = {false};
    ZydisDecodedInstruction instruction;
    function->stays = !function->is_chosen;
    for (uint64_t at = 0; at < function->bytes; at += instruction.length)
        function->stays &=
            see(decoder, code + at, function->bytes - at, has, &instruction) &&
            !leaves(&instruction, at, function->bytes);
    write_isa(has, function->isa, sizeof function->isa);
}

void isa_see(struct isa_seen *seen, const unsigned char *code, size_t n)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction instruction;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    see(&decoder, code, n, seen->has, &instruction);
}

void isa_tell(const struct isa_seen *seen, char *isa, size_t size)
{
    write_isa(seen->has, isa, size);
}

int library_decode(struct library *library, const struct library_function *one,
                   struct error *error)
{
    struct image image;
    ZydisDecoder decoder;
    if (library->is_object)
        return 0;
    const int status = image_open(library->path, &image, error);
    if (status < 0)
        return status;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    FOR_EACH (struct library_function, function, library->function, library->n) {
        const unsigned char *const code =
            function->bytes && !function->is_data && (!one || one == function)
                ? image_loaded(&image, function->address, function->bytes)
                : NULL;
        if (code)
            decode(&decoder, code, function);
    }
    image_close(&image);
    return 0;
}

#else

void isa_see(struct isa_seen *seen, const unsigned char *code, size_t n)
{
}

void isa_tell(const struct isa_seen *seen, char *isa, size_t size)
{
    snprintf(isa, size, "%s", "");
}

int library_decode(struct library *library, const struct library_function *one,
                   struct error *error)
{
    return 0;
}
#endif
