/* SPDX-License-Identifier: Apache-2.0 */
/* Forms of instructions, the sequences that measure them, and their arithmetic on a clock
 * that is made up. No test runs or times a sequence. */
#include "effort.h"
#include "turn_counts.h"

static struct passport_form *forms;
static size_t n_forms;

static int begin(void **state)
{
    return passport_forms(&forms, &n_forms);
}

static int end(void **state)
{
    free(forms);
    return 0;
}

static const struct passport_form *form_of(const char *name)
{
    for (size_t i = 0; i < n_forms; i++)
        if (!strcmp(forms[i].name, name))
            return &forms[i];
    fail_msg("no form %s", name);
    return NULL;
}

TEST(test_list)
{
    assert_true(n_forms > 10000);
    for (size_t i = 1; i < n_forms; i++)
        assert_true(strcmp(forms[i - 1].name, forms[i].name) < 0);
    assert_int_equal(form_of("add r64, r64")->level, 0);
    assert_int_equal(form_of("addps xmm, xmm")->level, 128);
    assert_int_equal(form_of("vaddps ymm, ymm, ymm")->level, 256);
    assert_int_equal(form_of("vaddps zmm{k}{z}, zmm, m32{1to16}")->level, 512);
    assert_int_equal(form_of("kandw k, k, k")->level, 512);
    assert_string_equal(form_of("vpcompressb m512{k}, zmm")->isa, "AVX512_VBMI2_512");
    form_of("vpgatherdd zmm{k}, m32[zmm]");
    form_of("vpgatherdd ymm, m32[ymm], ymm");
    form_of("vaddps zmm, zmm, zmm{er}");
    form_of("shl r64, cl");
    form_of("shl r64, 1");
    form_of("shl r64, i8");
    form_of("cmpxchg16b m128");
}

TEST(test_names)
{
    static const struct {
        unsigned char code[PASSPORT_CODE];
        const char *name;
    } cases[] = {
        {{0x62, 0xf1, 0x74, 0x48, 0x58, 0xc2}, "vaddps zmm, zmm, zmm"},
        /* Without a mask, EVEX is the same as VEX. */
        {{0x62, 0xf1, 0x74, 0x28, 0x58, 0xc2}, "vaddps ymm, ymm, ymm"},
        {{0xc5, 0xf4, 0x58, 0xc2}, "vaddps ymm, ymm, ymm"},
        {{0x62, 0xf2, 0x7d, 0x49, 0x63, 0x00}, "vpcompressb m512{k}, zmm"},
        {{0xf0, 0x48, 0x01, 0x03}, "lock add m64, r64"},
        {{0xf3, 0xa4}, "rep movsb"},
        {{0x48, 0x8d, 0x04, 0x0b}, "lea r64, address"},
    };
    struct passport_form form;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_int_equal(passport_form(cases[i].code, PASSPORT_CODE, &form), 0);
        assert_string_equal(form.name, cases[i].name);
    }
    assert_int_equal(passport_form((const unsigned char[]){0x06}, 1, &form), -EINVAL);
}

/* Registers that no other operand of the form has. */
static void choose_any(const struct decoded *decoded, struct choice *choice)
{
    choice->place = DATA_PLACES;
    for (unsigned i = 0; i < decoded->n; i++)
        choice->number[i] = 3 + (int)i;
}

static bool is_same_operand(const ZydisDecodedOperand *a, const ZydisDecodedOperand *b)
{
    return a->type == b->type && a->size == b->size && a->actions == b->actions &&
           operand_kind(a) == operand_kind(b);
}

/* Each form that may run encodes, with other registers than it was found with, and is
 * then the same mnemonic with the same kinds of operands. */
TEST(test_encodings)
{
    size_t encoded = 0;
    for (size_t i = 0; i < n_forms; i += effort_step()) {
        struct decoded from, to;
        struct choice choice;
        ZydisEncoderRequest request;
        unsigned char code[ZYDIS_MAX_INSTRUCTION_LENGTH];
        ZyanUSize n = sizeof code;
        assert_int_equal(decoded_read(forms[i].code, forms[i].length, &from), 0);
        if (decoded_refusal(&from))
            continue;
        choose_any(&from, &choice);
        if (choice_request(&from, &choice, &request) < 0 ||
            !ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(&request, code, &n)) ||
            !request_is(&request, forms[i].name)) {
            print_message("%s does not encode\n", forms[i].name);
            continue;
        }
        encoded++;
        assert_int_equal(decoded_read(code, n, &to), 0);
        assert_int_equal(from.instruction.mnemonic, to.instruction.mnemonic);
        assert_int_equal(from.n, to.n);
        for (unsigned k = 0; k < from.n; k++) {
            assert_true(is_same_operand(&from.operand[k], &to.operand[k]));
            const enum kind kind = operand_kind(&to.operand[k]);
            if (operand_is_free(&to.operand[k]) && kind != KIND_MEMORY &&
                kind != KIND_NONE && kind != KIND_FLAGS)
                assert_int_equal(register_number(to.operand[k].reg.value),
                                 choice.number[k]);
        }
    }
    assert_true(encoded > 13000 / effort_step());
}

static void decode_form(const char *name, struct decoded *decoded)
{
    const struct passport_form *const form = form_of(name);
    assert_int_equal(decoded_read(form->code, form->length, decoded), 0);
}

static const char *refusal_of(const char *name)
{
    struct decoded decoded;
    decode_form(name, &decoded);
    return decoded_refusal(&decoded);
}

TEST(test_refusals)
{
    assert_string_equal(refusal_of("hlt"), "it is privileged");
    assert_string_equal(refusal_of("jmp r64"), "it leaves the sequence");
    assert_string_equal(refusal_of("syscall"), "it enters or steers the system");
    assert_string_equal(refusal_of("wrfsbase r64"),
                        "it changes the state of the process");
    assert_string_equal(refusal_of("push r64"), "it moves the stack");
    assert_null(refusal_of("vpcompressb m512{k}, zmm"));
    assert_null(refusal_of("div r64"));
}

/* ---- links ---- */

/* "op2>op1 op3>op1" */
static void links_text(const char *name, char *text, size_t size)
{
    const struct passport_form *const form = form_of(name);
    struct passport passport;
    size_t used = 0;
    text[0] = '\0';
    passport_make_up(form, 5, &passport);
    assert_true(passport.known);
    for (size_t i = 0; i < passport.n_links; i++) {
        char from[PASSPORT_LABEL], to[PASSPORT_LABEL];
        passport_label(form, &passport.link[i], from, to);
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s>%s", i ? " " : "", from, to);
    }
}

TEST(test_links)
{
    static const struct {
        const char *form, *links;
    } cases[] = {
        {"vaddps zmm, zmm, zmm", "op2>op1 op3>op1"},
        {"vaddps zmm{k}, zmm, zmm", "op1>op1 mask>op1 op2>op1 op3>op1"},
        {"vaddps zmm{k}{z}, zmm, zmm", "mask>op1 op2>op1 op3>op1"},
        {"vfmadd231ps ymm, ymm, m256", "op1>op1 op2>op1 op3 address>op1"},
        {"mov m64, r64", "op2>op1"},
        {"add m64, r64", "op1>op1 op2>op1"},
        {"vpcompressb m512{k}, zmm", "mask>op1 op2>op1"},
        {"vpgatherdd zmm{k}, m32[zmm]", "op2 address>op1"},
        {"vpscatterdd m32[zmm]{k}, zmm", ""},
        {"cmp r64, r64", "op1>flags op2>flags"},
        {"cmovb r64, r64", "op1>op1 op2>op1 flags>op1"},
        {"mul r64", "op1>rax rax>rax op1>rdx rax>rdx"},
        {"lea r64, address", "op2 address>op1"},
    };
    char text[256];
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        links_text(cases[i].form, text, sizeof text);
        assert_string_equal(text, cases[i].links);
    }
    struct passport passport;
    passport_make_up(form_of("vaddps zmm, zmm, zmm"), 5, &passport);
    assert_true(passport.throughput == 5 && passport.n_links == 2);
    assert_true(passport.link[0].cycles == 5 && passport.link[1].cycles == 5);
    passport_make_up(form_of("hlt"), 5, &passport);
    assert_false(passport.known);
    assert_int_equal(passport.n_links, 0);
}

TEST(test_kept)
{
    static const struct {
        const char *form;
        bool may_keep;
    } cases[] = {
        {"vpexpandb zmm{k}{z}, zmm", true},
        {"vaddps zmm{k}{z}, zmm, zmm", true},
        {"popcnt r64, r64", true},
        {"vpexpandb zmm{k}, zmm", false},
        {"vpermps ymm, ymm, ymm", true},
        {"vpcompressb m512{k}, zmm", false},
        {"sqrtss xmm, xmm", true},
        {"vfmadd231ps ymm, ymm, ymm", false},
        {"cmp r64, r64", false},
        {"mul r64", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct decoded decoded;
        struct passport_link link = {.from = 9};
        decode_form(cases[i].form, &decoded);
        assert_int_equal(chain_may_keep(&decoded, &link), cases[i].may_keep);
        assert_true(link.from == 0 && link.to == 0);
    }
}

/* ---- sequences ---- */

static unsigned char data_room[DATA_BYTES];

/* True if an instruction of the sequence reads what the one before it wrote, but for the
 * flags and what is loaded anew: `link` NULL: none may. */
static unsigned waits(const struct block *block, size_t from)
{
    uint64_t written = 0;
    unsigned n = 0;
    for (size_t at = from; at < block->n;) {
        struct decoded decoded;
        uint64_t reads = 0, writes = 0;
        assert_int_equal(decoded_read(block->code + at, block->n - at, &decoded), 0);
        for (unsigned i = 0; i < decoded.n; i++) {
            const enum kind kind = operand_kind(&decoded.operand[i]);
            if (kind != KIND_GENERAL && kind != KIND_VECTOR)
                continue;
            const uint64_t bit = UINT64_C(1)
                                 << (register_number(decoded.operand[i].reg.value) +
                                     (kind == KIND_VECTOR ? 32 : 0));
            reads |= operand_reads(&decoded.operand[i]) ? bit : 0;
            writes |= operand_writes(&decoded.operand[i]) ? bit : 0;
        }
        n += (reads & written) != 0;
        written = writes;
        at += decoded.instruction.length;
    }
    return n;
}

static double linked(struct block *block, const struct decoded *decoded,
                     struct passport_link link)
{
    static const struct helpers helpers = {0.25, 1, 1, 4, 3, 4, 1};
    double help;
    block->n = 0;
    assert_true(chain_link(block, decoded, &link, 8, &helpers, &help));
    return help;
}

TEST(test_sequences)
{
    struct block block = {.code = code_room[0]};
    struct decoded decoded;
    decode_form("vaddps ymm, ymm, ymm", &decoded);
    chain_none(&block, &decoded, 24,
               &(struct apart){.registers = chain_registers(&decoded)});
    assert_false(block.failed);
    assert_int_equal(waits(&block, 0), 0);
    /* One that overwrites its operand takes registers in turns. */
    block.n = 0;
    decode_form("vfmadd231ps ymm, ymm, ymm", &decoded);
    chain_none(&block, &decoded, 24,
               &(struct apart){.registers = chain_registers(&decoded)});
    assert_int_equal(waits(&block, 0), 0);
    assert_true(linked(&block, &decoded, (struct passport_link){.from = 0}) == 0);
    assert_int_equal(waits(&block, 0), 7);
    /* A result in another kind of register comes back through a helper. */
    decode_form("vmovq r64, xmm", &decoded);
    assert_true(linked(&block, &decoded, (struct passport_link){.from = 1}) == 0.25 + 3);
    assert_int_equal(waits(&block, 0), 8 * 3 - 1);
    /* Flags are made in each turn, before they are read. */
    decode_form("cmovb r64, r64", &decoded);
    linked(&block, &decoded, (struct passport_link){.from = 2});
    assert_int_equal(decoded_read(block.code, block.n, &decoded), 0);
    assert_int_equal(decoded.instruction.mnemonic, ZYDIS_MNEMONIC_CMP);
    decode_form("mov r64, m64", &decoded);
    assert_true(linked(&block, &decoded,
                       (struct passport_link){.from = 1, .address = true}) == 0.25 + 2);
}

/* Bytes between the places of the first two instructions of a sequence. */
static int64_t step_of(const char *name, bool near)
{
    struct block block = {.code = code_room[0]};
    struct decoded decoded, first, second;
    decode_form(name, &decoded);
    chain_none(&block, &decoded, 2, &(struct apart){.registers = 8, .near = near});
    assert_int_equal(decoded_read(block.code, block.n, &first), 0);
    const size_t n = first.instruction.length;
    assert_int_equal(decoded_read(block.code + n, block.n - n, &second), 0);
    return second.operand[0].mem.disp.value - first.operand[0].mem.disp.value;
}

/* Cores may take several stores to a line at once, or places of one bank in turns. */
TEST(test_places)
{
    assert_int_equal(step_of("vmovups m256, ymm", true), 32);
    assert_int_equal(step_of("vmovups m256, ymm", false), 96);
    assert_int_equal(step_of("mov m32, r32", true), 8);
    assert_int_equal(step_of("mov m32, r32", false), 72);
}

/* ---- the clock ---- */

struct made_up {
    double each, around; /* of an instruction, of a call */
    unsigned calls;
    bool disturbed;     /* all calls but every fifth one take longer */
    double products;    /* cycles of one, beside which it does not run; 0: none */
    bool legacy, moves; /* no VEX; moves go to the unit of permutes */
    bool shared;        /* permutes follow the instruction, and do not run beside it */
    double steps;       /* of the instruction, if each unit takes a bitwise operation */
    double width;       /* number of these units */
    bool stuck[2];      /* a shorter, a longer loop takes longer than it must */
};

/* Multiplications of the clock take three units. */
static double made_up_time(void *context, unsigned char *code, uint64_t turns)
{
    struct made_up *const made_up = context;
    const unsigned *const of = count_turn(code);
    const unsigned n = of[ZYDIS_MNEMONIC_VADDPS] + of[ZYDIS_MNEMONIC_ADDPS];
    const double beside =
        of[made_up->legacy ? ZYDIS_MNEMONIC_MOVD : ZYDIS_MNEMONIC_VPERMD];
    const double bitwise = of[ZYDIS_MNEMONIC_VPAND];
    double units =
        3 * of[ZYDIS_MNEMONIC_IMUL] + of[ZYDIS_MNEMONIC_ADD] + made_up->each * n;
    units = fmax(units, bitwise ? (made_up->steps * n + bitwise) / made_up->width : 0);
    units = made_up->shared ? units + beside : fmax(units, beside);
    made_up->calls++;
    units *= n && made_up->stuck[n > 60] ? 1.6 : 1;
    const double time = made_up->around + units * 1.75 * (double)turns;
    return made_up->disturbed && made_up->calls % 5 ? time * (2 + made_up->calls % 3)
                                                    : time;
}

static struct passport passport_of(struct made_up *made_up)
{
    struct session session = {
        .timer = {made_up_time, made_up},
        .data = data_room,
        .unit = {made_up->products, 1, 0, made_up->steps ? 1 / made_up->width : 0},
        .sse_permute = made_up->moves};
    struct passport passport;
    for (unsigned i = 0; i < 2; i++) {
        session.block[i].code = code_room[i];
        session.clock[i].code = code_room[2 + i];
    }
    session_prepare(&session, false);
    const char *const form = made_up->legacy ? "addps xmm, xmm" : "vaddps ymm, ymm, ymm";
    session_measure(&session, form_of(form), true, &passport);
    assert_true(passport.known);
    return passport;
}

static double throughput_of(struct made_up *made_up)
{
    return passport_of(made_up).throughput;
}

/* It shares a unit if both follow each other; fast and slow forms show none, nor does one
 * that runs beside nothing. */
TEST(test_shared_unit)
{
    static const struct {
        double each, products;
        unsigned units;
        bool shared, legacy, moves;
    } cases[] = {{1, 0, 2, 1, 0, 0},   {2, 0, 2, 1, 0, 0},  {1, 0, 0, 0, 0, 0},
                 {0.5, 0, 0, 1, 0, 0}, {70, 0, 0, 1, 0, 0}, {1, 1, 1, 0, 0, 0},
                 {1, 1, 0, 1, 0, 0},   {1, 1, 1, 0, 1, 0},  {2, 1, 0, 0, 1, 0},
                 {2, 1, 1, 0, 1, 1},   {1, 0, 2, 1, 1, 1},  {1, 0, 0, 1, 1, 0},
                 {1, 0, 0, 0, 1, 1}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct made_up made_up = {.each = cases[i].each,
                                  .shared = cases[i].shared,
                                  .products = cases[i].products};
        made_up.legacy = cases[i].legacy, made_up.moves = cases[i].moves;
        assert_int_equal(passport_of(&made_up).units, cases[i].units);
    }
}

/* Bitwise operations fill what its units leave: each step of it takes the place of one,
 * however few units can take it. One that takes as long as an operation is one. */
TEST(test_steps)
{
    static const struct {
        double each, steps, found, width;
    } cases[] = {{1, 3, 3, 3},   {1, 1, 1, 3},   {1, 1.6, 1, 3}, {2, 4, 4, 3},
                 {1, 2.8, 3, 3}, {0.4, 1, 1, 3}, {70, 9, 1, 3},  {5, 1, 1, 4}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct made_up made_up = {
            .each = cases[i].each, .steps = cases[i].steps, .width = cases[i].width};
        assert_near(passport_of(&made_up).steps, cases[i].found, 0);
    }
    assert_near(passport_of(&(struct made_up){.each = 1}).steps, 1, 0);
}

/* Code around the instructions is no part of their cycles, nor is a disturbance, nor the
 * unit of the clock. */
TEST(test_arithmetic)
{
    assert_near(throughput_of(&(struct made_up){.each = 0.5}), 0.5, 1e-6);
    assert_near(throughput_of(&(struct made_up){.each = 0.5, .around = 1e4}), 0.5, 1e-6);
    assert_near(throughput_of(&(struct made_up){.each = 70, .around = 300}), 70, 1e-6);
    assert_near(throughput_of(&(struct made_up){.each = 4, .disturbed = true}), 4, 1e-6);
    /* One of two loops that contradict each other is right. */
    assert_near(throughput_of(&(struct made_up){.each = 1, .stuck = {true}}), 1, 1e-6);
    assert_near(throughput_of(&(struct made_up){.each = 0.5, .stuck = {false, true}}),
                0.5, 1e-6);
}

TESTS_BETWEEN(begin, end)
