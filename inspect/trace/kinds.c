/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of instructions, by their names. */
#include "inspect_private.h"

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool starts_any(const char *text, const char *const *list)
{
    while (*list && !starts(text, *list))
        list++;
    return *list;
}

static bool ends(const char *text, const char *with)
{
    const size_t n = strlen(text), m = strlen(with);
    return n >= m && !strcmp(text + n - m, with);
}

/* A name such as vaddps without the v. */
static const char *plain_name(const char *name, const struct code *code)
{
    const bool prefixed =
        code->encoding == ENCODING_VEX || code->encoding == ENCODING_EVEX;
    return prefixed && *name == 'v' ? name + 1 : name;
}

static bool is_scalar_float(const char *name)
{
    const bool moves = !strcmp(name, "movd") || !strcmp(name, "movq");
    const bool converts =
        starts(name, "cvt") && (strstr(name, "ss2") || strstr(name, "sd2"));
    const bool suffix = ends(name, "ss") || ends(name, "sd") || ends(name, "sh");
    /* Integers of vectors have a p before them: pmaxsd, pdpbusd. */
    return moves || converts || (suffix && *name != 'p' && !starts(name, "broadcast"));
}

static bool is_float_arithmetic(const char *name)
{
    static const char *const stems[] = {
        "add",    "sub",    "mul",    "div",   "max",    "min",    "sqrt",
        "rcp",    "rsqrt",  "hadd",   "hsub",  "dp",     "fmadd",  "fmsub",
        "fnmadd", "fnmsub", "scalef", "fmulc", "fcmulc", "fcmadd", NULL};
    const bool float_type = ends(name, "ps") || ends(name, "pd") || ends(name, "ss") ||
                            ends(name, "sd") || ends(name, "ph") || ends(name, "sh");
    return float_type && starts_any(name, stems);
}

/* Comparisons, roundings and conversions of floats; names with `fp` have no p before. */
static bool looks_at_floats(const char *name)
{
    static const char *const stems[] = {"cmp",    "comis",    "ucomis",   "cvt",
                                        "round",  "rndscale", "reduce",   "range",
                                        "getexp", "getmant",  "fixupimm", NULL};
    return starts_any(name, stems);
}

/* They shuffle, too. */
static bool is_horizontal(const char *name)
{
    return starts(name, "hadd") || starts(name, "hsub") || starts(name, "dpp");
}

/* Arithmetic, comparisons, shifts and ciphers of integers in vectors. Shifts of all bytes
 * are no arithmetic: some cores shuffle them. */
static bool is_integer_arithmetic(const char *name)
{
    static const char *const stems[] = {
        "padd",   "psub", "pcmp", "pmax",  "pmin",   "pmul",   "pmadd",
        "psad",   "pavg", "pabs", "psign", "pdpb",   "pdpw",   "dbpsad",
        "mpsad",  "psl",  "psr",  "prol",  "pror",   "pshld",  "pshrd",
        "pclmul", "aes",  "sha",  "gf2p8", "popcnt", "plzcnt", NULL};
    return starts_any(name, stems) && !starts(name, "pslldq") && !starts(name, "psrldq");
}

/* Scalar code does this with whole registers, too. */
static bool is_logic(const char *name)
{
    static const char *const stems[] = {"and",  "or",    "xor",     "pand", "por",
                                        "pxor", "unpck", "blendvp", NULL};
    return starts_any(name, stems);
}

/* Insertions, extractions and broadcasts are none: cores differ in where these go. Moves
 * of parts are, between registers. */
static bool is_shuffle(const char *name, const struct code *code)
{
    static const char *const stems[] = {"perm",   "shuf", "pshuf",   "unpck",
                                        "punpck", "pack", "palignr", NULL};
    static const char *const parts[] = {"movddup", "movsldup", "movshdup",
                                        "movhlps", "movlhps",  NULL};
    return starts_any(name, stems) || (!code->n_accesses && starts_any(name, parts));
}

/* It needs a whole vector unit for sure: copies are renamed, moves to or from memory have
 * ports of their own, and an extraction reads a half. */
static bool is_computed(const char *name, const struct code *code)
{
    static const char *const moves[] = {"mov",     "lddqu",   "maskmov", "pmaskmov",
                                        "gather",  "pgather", "scatter", "pscatter",
                                        "extract", "pextr",   NULL};
    return !starts_any(name, moves) && !(code->n_accesses && strstr(name, "broadcast"));
}

/* Nothing but arithmetic, copies and logic of registers leaves a vector with one element
 * as it is. */
static unsigned lane_bits(const char *name, const struct code *code)
{
    static const char *const of_parts[] = {"unpck", "pmadd", "pdp", NULL};
    /* Some widen elements of 32 bits. */
    const bool widens = strstr(name, "ps2pd") || strstr(name, "dq2pd");
    const bool doubles = (ends(name, "q") || ends(name, "pd")) && !widens;
    if (code->n_accesses || starts_any(name, of_parts))
        return 0;
    if (code->copy || is_logic(name) || (code->needed && doubles))
        return 64;
    return code->needed && (ends(name, "d") || ends(name, "ps")) ? 32 : 0;
}

/* Elements of one such as gatherqps: `data` bits in all, of 32 or 64 bits each. */
static unsigned gather_elements(const char *name, unsigned data)
{
    return data / (ends(name, "pd") || ends(name, "q") ? 64 : 32);
}

static unsigned scalar_bits(const char *name)
{
    return ends(name, "sd") || ends(name, "movq") || strstr(name, "sd2") ? 64 : 32;
}

static void take_x87(const char *name, struct code *code)
{
    static const char *const arithmetic[] = {"fadd", "fmul", "fsub", "fdiv", NULL};
    code->scalar_float = true;
    code->bits = 64;
    code->float_arithmetic = starts_any(name, arithmetic);
}

static bool is_crossing(const char *name, const struct code *code)
{
    static const char *const moves[] = {"pextr", "pinsr", NULL};
    static const char *const parts[] = {"pextr", "extractps", NULL};
    const uint64_t general = (UINT64_C(1) << GPR_COUNT) - 1;
    if (code->n_accesses && code->access[0].write)
        return starts_any(name, parts);
    return !code->n_accesses && (code->reads | code->writes) & general &&
           (starts_any(name, moves) || !strcmp(name, "movd") || !strcmp(name, "movq"));
}

static void take_vector(const char *name, unsigned widest, struct code *code)
{
    static const char *const fma[] = {"fmadd", "fmsub", "fnmadd", "fnmsub", NULL};
    static const char *const copies[] = {"mova", "movu", "movdq", NULL};
    const bool masked = code->reads >> REGISTER_MASK & 0xff;
    code->scalar_float = is_scalar_float(name);
    code->vector = !code->scalar_float;
    code->bits = (uint16_t)(code->scalar_float ? scalar_bits(name) : widest);
    code->unit_bits = (uint16_t)widest;
    code->float_arithmetic = is_float_arithmetic(name);
    code->floats = code->float_arithmetic || looks_at_floats(name);
    code->needed = (code->floats && !is_horizontal(name)) || is_integer_arithmetic(name);
    code->fma = starts_any(name, fma);
    code->multiply = code->fma || (code->float_arithmetic && starts(name, "mul"));
    code->divide = starts(name, "div") || starts(name, "sqrt");
    code->divide_f64 = code->divide && (ends(name, "pd") || ends(name, "sd"));
    if (strstr(name, "gather"))
        code->gathered = (uint8_t)gather_elements(name, widest);
    if (strstr(name, "scatter"))
        code->scattered = (uint8_t)gather_elements(name, widest);
    code->copy = code->vector && !code->n_accesses && !masked && starts_any(name, copies);
    code->crossing = is_crossing(name, code);
    code->shuffle = code->vector && is_shuffle(name, code);
    code->permute = code->shuffle && (starts(name, "permi2") || starts(name, "permt2"));
    /* Under a mask a copy is a blend. */
    code->computes = code->shuffle || is_computed(name, code) ||
                     (masked && !code->n_accesses && starts_any(name, copies));
    code->lane_bits = (uint8_t)(code->vector ? lane_bits(name, code) : 0);
    if (code->vector && widest == 128 && (code->copy || is_logic(name)))
        code->bits = 0;
}

/* Instructions of integer units on any core: no moves, no branches. */
static bool is_alu(const char *name)
{
    static const char *const stems[] = {
        "add",  "adc",    "sub",   "sbb",   "and",  "or",  "xor",   "not",
        "neg",  "inc",    "dec",   "cmp",   "test", "sh",  "sa",    "ro",
        "lea",  "cmov",   "set",   "bt",    "bs",   "bl",  "bzhi",  "pdep",
        "pext", "popcnt", "lzcnt", "tzcnt", "imul", "mul", "crc32", NULL};
    return starts_any(name, stems);
}

/* It has no vector form: on large numbers, on whole words, or from memory to memory. */
static bool is_lone(const char *name)
{
    static const char *const stems[] = {"pdep", "pext", "crc32", "adc",  "sbb",
                                        "adox", "mul",  "div",   "idiv", "bt",
                                        "rdra", "xadd", "xchg",  "cmpx", NULL};
    return starts_any(name, stems);
}

void code_take_kind(const char *full, bool x87, unsigned widest, struct code *code)
{
    static const char *const divides[] = {"div", "idiv", "fdiv", "fsqrt", NULL};
    code->cleans = starts(full, "vzero");
    code->divide = starts_any(full, divides);
    code->cpuid = !strcmp(full, "cpuid");
    if (code->cleans || !widest)
        code->encoding = ENCODING_NONE;
    const char *const name = plain_name(full, code);
    if (x87)
        take_x87(name, code);
    else if (code->encoding != ENCODING_NONE)
        take_vector(name, widest, code);
    else
        code->alu = is_alu(full) && !code->repeats && strcmp(full, "leave") != 0;
    code->lone = code->encoding == ENCODING_NONE && !x87 &&
                 (is_lone(full) || code->repeats || code->locks);
    code->latency = (uint8_t)latency_of(code);
}
