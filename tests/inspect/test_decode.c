/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that an instruction reads and writes, and the chains of loops that never run
 * here. */
#include <unistd.h>

#include "trace/trace.h"
#include "unit.h"

#define BYTES(...) ((const unsigned char[CODE_BYTES_MAX]){__VA_ARGS__})
#define MASK(number) (UINT64_C(1) << (REGISTER_MASK + (number)))
#define VECTOR(number) (UINT64_C(1) << (REGISTER_VECTOR + (number)))
#define MASKS (UINT64_C(0xff) << REGISTER_MASK)

static struct code decoded(const unsigned char *bytes)
{
    struct code code;
    assert_int_equal(code_decode(bytes, CODE_BYTES_MAX, 0, &code), 0);
    return code;
}

/* No mask is written as k0, but is none. */
TEST(test_masks)
{
    /* vaddps zmm0, zmm1, zmm2; the same with {k1}, with {k1}{z} */
    struct code code = decoded(BYTES(0x62, 0xf1, 0x74, 0x48, 0x58, 0xc2));
    assert_int_equal(code.reads, VECTOR(1) | VECTOR(2));
    code = decoded(BYTES(0x62, 0xf1, 0x74, 0x49, 0x58, 0xc2));
    assert_int_equal(code.reads, VECTOR(0) | VECTOR(1) | VECTOR(2) | MASK(1));
    code = decoded(BYTES(0x62, 0xf1, 0x74, 0xc9, 0x58, 0xc2));
    assert_int_equal(code.reads, VECTOR(1) | VECTOR(2) | MASK(1));
    /* vpcmpeqb k0, zmm1, zmm2 */
    code = decoded(BYTES(0x62, 0xf1, 0x75, 0x48, 0x74, 0xc2));
    assert_int_equal(code.reads & MASKS, 0);
    assert_int_equal(code.writes, MASK(0));
    /* kandw k1, k0, k2 */
    code = decoded(BYTES(0xc5, 0xfc, 0x41, 0xca));
    assert_int_equal(code.reads, MASK(0) | MASK(2));
    /* vmovaps zmm0, zmm1; the same with {k1} */
    assert_true(decoded(BYTES(0x62, 0xf1, 0x7c, 0x48, 0x28, 0xc1)).copy);
    assert_false(decoded(BYTES(0x62, 0xf1, 0x7c, 0x49, 0x28, 0xc1)).copy);
    /* vmovups [rsp], zmm0; the same with {k1}; kmovq [rsp], k1; vmaskmovps [rsp], xmm0,
     * xmm1 */
    assert_false(
        decoded(BYTES(0x62, 0xf1, 0x7c, 0x48, 0x11, 0x04, 0x24)).access[0].masked);
    assert_true(
        decoded(BYTES(0x62, 0xf1, 0x7c, 0x49, 0x11, 0x04, 0x24)).access[0].masked);
    assert_false(decoded(BYTES(0xc4, 0xe1, 0xf8, 0x91, 0x0c, 0x24)).access[0].masked);
    assert_true(decoded(BYTES(0xc4, 0xe2, 0x79, 0x2e, 0x0c, 0x24)).access[0].masked);
}

/* Nodes of a loop of these instructions, the last of which jumps back. */
static struct nodes loop_of(const unsigned char *const *bytes, uint32_t n)
{
    struct nodes nodes = {.n = 0};
    uint64_t address = 0x1000;
    for (uint32_t i = 0; i < n; i++) {
        struct code code;
        assert_int_equal(code_decode(bytes[i], CODE_BYTES_MAX, address, &code), 0);
        assert_int_equal(nodes_add(&nodes, &code, 0), i);
        nodes.node[i].executed = 100;
        address += code.length;
    }
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(node_edge(&nodes, i, (i + 1) % n, 99), 0);
    return nodes;
}

static double chain_of(const unsigned char *const *bytes, uint32_t n, bool vectors)
{
    struct nodes nodes = loop_of(bytes, n);
    struct loops loops;
    assert_int_equal(loops_find(&nodes, true, &loops), 0);
    assert_int_equal(loops.n, 1);
    const double chain =
        loop_chain(&nodes, &loops, 0, &(struct inspect_window){.waiting = 0},
                   vectors ? CHAIN_VECTORS : CHAIN_USUAL);
    loops_free(&loops);
    nodes_free(&nodes);
    return chain;
}

#define CHAIN_OF(vectors, ...)                                                     \
    chain_of((const unsigned char *const[]){__VA_ARGS__},                          \
             sizeof((const unsigned char *const[]){__VA_ARGS__}) / sizeof(char *), \
             vectors)
#define CHAIN(...) CHAIN_OF(false, __VA_ARGS__)

#define VPCMPEQB_K0_LOAD BYTES(0x62, 0xf1, 0x75, 0x48, 0x74, 0x07)
#define KMOVQ_RAX_K0 BYTES(0xc4, 0xe1, 0xfb, 0x93, 0xc0)
#define ADD_RDI_64 BYTES(0x48, 0x83, 0xc7, 0x40)
#define JNE_BACK BYTES(0x75, 0xf0)

/* Elements between vector and general registers, not those of memory. */
TEST(test_crossings)
{
    /* vpextrd eax, xmm0, 1; vpinsrd xmm0, xmm1, eax, 1; vmovd xmm0, eax */
    assert_true(decoded(BYTES(0xc4, 0xe3, 0x79, 0x16, 0xc0, 0x01)).crossing);
    assert_true(decoded(BYTES(0xc4, 0xe3, 0x71, 0x22, 0xc0, 0x01)).crossing);
    assert_true(decoded(BYTES(0xc5, 0xf9, 0x6e, 0xc0)).crossing);
    assert_true(decoded(BYTES(0xc4, 0xe3, 0x79, 0x16, 0x00, 0x01)).crossing);
    /* vmovd xmm0, [rax]; vmovq xmm0, xmm1; vmovdqa xmm0, xmm1 */
    assert_false(decoded(BYTES(0xc5, 0xf9, 0x6e, 0x00)).crossing);
    assert_false(decoded(BYTES(0xc5, 0xfa, 0x7e, 0xc1)).crossing);
    assert_false(decoded(BYTES(0xc5, 0xf9, 0x6f, 0xc1)).crossing);
}

/* Integer units compute no strings and free no frame; vectors do neither division nor
 * anything behind a lock. */
TEST(test_integers)
{
    /* add eax, 1; the same of [rdi] behind a lock; idiv ecx; adcx eax, ecx */
    struct code code = decoded(BYTES(0x83, 0xc0, 0x01));
    assert_true(code.alu && !code.lone);
    code = decoded(BYTES(0xf0, 0x83, 0x07, 0x01));
    assert_true(code.alu && code.lone);
    assert_true(decoded(BYTES(0xf7, 0xf9)).lone);
    assert_true(decoded(BYTES(0x66, 0x0f, 0x38, 0xf6, 0xc1)).lone);
    /* leave; lea rax, [rdi + 4]; repe cmpsb */
    assert_false(decoded(BYTES(0xc9)).alu);
    assert_true(decoded(BYTES(0x48, 0x8d, 0x47, 0x04)).alu);
    code = decoded(BYTES(0xf3, 0xa6));
    assert_true(!code.alu && code.lone);
}

/* The old value of a register with itself does not matter, but flags may. */
TEST(test_idioms)
{
    const bool amd = __builtin_cpu_is("amd");
    /* sbb eax, eax; sbb eax, ecx */
    assert_int_equal(decoded(BYTES(0x19, 0xc0)).reads,
                     UINT64_C(1) << REGISTER_FLAGS | !amd);
    assert_true(decoded(BYTES(0x19, 0xc8)).reads & 1);
    /* vpsubb, vpcmpeqb and vpsubsb xmm0, xmm1, xmm1; subps xmm1, xmm1 */
    const struct code zero = decoded(BYTES(0xc5, 0xf1, 0xf8, 0xc1)),
                      ones = decoded(BYTES(0xc5, 0xf1, 0x74, 0xc1));
    assert_true(!zero.reads && !zero.computes);
    assert_true(!ones.reads && ones.computes);
    assert_int_equal(decoded(BYTES(0xc5, 0xf1, 0xe8, 0xc1)).reads, VECTOR(1));
    assert_int_equal(decoded(BYTES(0x0f, 0x5c, 0xc9)).reads, VECTOR(1));
    /* xor eax, eax; xor al, al */
    assert_false(decoded(BYTES(0x31, 0xc0)).alu);
    const struct code byte = decoded(BYTES(0x30, 0xc0));
    assert_true(byte.alu && byte.reads & 1);
    /* sbb r, r waits for no turn before on AMD, if flags do not. */
    assert_near(CHAIN(BYTES(0x39, 0xd1) /* cmp ecx, edx */, BYTES(0x19, 0xc0),
                      BYTES(0x19, 0xc0), ADD_RDI_64, JNE_BACK),
                amd ? 1 : 2, 1e-9);
}

/* Signed integers are no doubles. */
TEST(test_integer_vectors)
{
    /* vpdpbusd zmm0, zmm1, zmm2; vpmaxsd ymm0, ymm1, ymm2; pminsd xmm0, xmm1; vaddsd of
     * xmm */
    const struct code product = decoded(BYTES(0x62, 0xf2, 0x75, 0x48, 0x50, 0xc2));
    assert_true(product.vector && !product.scalar_float);
    assert_int_equal(product.bits, 512);
    assert_int_equal(decoded(BYTES(0xc4, 0xe2, 0x75, 0x3d, 0xc2)).bits, 256);
    assert_int_equal(decoded(BYTES(0x66, 0x0f, 0x38, 0x39, 0xc1)).bits, 128);
    assert_true(decoded(BYTES(0xc5, 0xf3, 0x58, 0xc2)).scalar_float);
}

/* Widening leaves two elements of 32 bits what they were: two. */
TEST(test_lanes)
{
    assert_int_equal(decoded(BYTES(0x0f, 0x5a, 0xc0)).lane_bits, 32);       /* cvtps2pd */
    assert_int_equal(decoded(BYTES(0xf3, 0x0f, 0xe6, 0xc0)).lane_bits, 32); /* cvtdq2pd */
    assert_int_equal(decoded(BYTES(0x66, 0x0f, 0x58, 0xc8)).lane_bits, 64); /* addpd */
    assert_int_equal(decoded(BYTES(0x66, 0x0f, 0xfe, 0xc1)).lane_bits, 32); /* paddd */
    assert_int_equal(decoded(BYTES(0x0f, 0x14, 0xc1)).lane_bits, 0);        /* unpcklps */
}

/* Products of narrow floats are arithmetic, vdpps shuffles beside that; so are shifts of
 * elements, and those of all bytes are none. */
TEST(test_arithmetic)
{
    /* vdpbf16ps, vfmulcph, vfcmaddcph of zmm; vdpps of xmm */
    assert_true(decoded(BYTES(0x62, 0xf2, 0x76, 0x48, 0x52, 0xc2)).needed);
    assert_true(decoded(BYTES(0x62, 0xf6, 0x76, 0x48, 0xd6, 0xc2)).needed);
    assert_true(decoded(BYTES(0x62, 0xf6, 0x77, 0x48, 0x56, 0xc2)).needed);
    const struct code dot = decoded(BYTES(0xc4, 0xe3, 0x71, 0x40, 0xc2, 0xff));
    assert_true(dot.float_arithmetic && !dot.needed);
    /* vprold zmm0, zmm1, 7; vpclmulqdq xmm0, xmm1, xmm2, 0; vpslldq xmm0, xmm1, 4 */
    assert_true(decoded(BYTES(0x62, 0xf1, 0x7d, 0x48, 0x72, 0xc9, 0x07)).needed);
    assert_true(decoded(BYTES(0xc4, 0xe3, 0x71, 0x44, 0xc2, 0x00)).needed);
    assert_false(decoded(BYTES(0xc5, 0xf9, 0x73, 0xf9, 0x04)).needed);
    /* vmovshdup ymm0, ymm1 and [rdi], which is a load; movhlps xmm0, xmm1 */
    const struct code odd = decoded(BYTES(0xc5, 0xfe, 0x16, 0xc1));
    assert_true(odd.shuffle && odd.computes);
    const struct code load = decoded(BYTES(0xc5, 0xfe, 0x16, 0x07));
    assert_false(load.shuffle || load.computes);
    /* vmovdqu8 zmm0, zmm1, and with {k1} {z} a blend; the same of [rdi], which is a load
     */
    assert_false(decoded(BYTES(0x62, 0xf1, 0x7f, 0x48, 0x6f, 0xc1)).computes);
    assert_true(decoded(BYTES(0x62, 0xf1, 0x7f, 0xc9, 0x6f, 0xc1)).computes);
    assert_false(decoded(BYTES(0x62, 0xf1, 0x7f, 0xc9, 0x6f, 0x07)).computes);
    assert_true(decoded(BYTES(0x0f, 0x12, 0xc1)).shuffle);
}

/* Upper halves that instructions of SSE must keep are those of the lower 16 registers. */
TEST(test_dirty)
{
    /* vmovdqu64 zmm0 and zmm16, [rdi] */
    assert_true(decoded(BYTES(0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x07)).dirties);
    assert_false(decoded(BYTES(0x62, 0xe1, 0xfe, 0x48, 0x6f, 0x07)).dirties);
}

/* Scalar code masks and blends with whole registers. */
TEST(test_no_width)
{
    /* vblendvps xmm0, xmm1, xmm2, xmm3; the same of ymm; vpblendvb of xmm */
    assert_int_equal(decoded(BYTES(0xc4, 0xe3, 0x71, 0x4a, 0xc2, 0x30)).bits, 0);
    assert_int_equal(decoded(BYTES(0xc4, 0xe3, 0x75, 0x4a, 0xc2, 0x30)).bits, 256);
    assert_int_equal(decoded(BYTES(0xc4, 0xe3, 0x71, 0x4c, 0xc2, 0x30)).bits, 128);
}

/* Comparisons into k0 do not wait for those of the turn before. */
TEST(test_chains)
{
    assert_near(CHAIN(VPCMPEQB_K0_LOAD, KMOVQ_RAX_K0, VPCMPEQB_K0_LOAD, KMOVQ_RAX_K0,
                      ADD_RDI_64, JNE_BACK),
                1, 1e-9);
}

/* Nobody waits for the stack pointer, whatever is loaded with it. */
TEST(test_stack)
{
    assert_near(CHAIN(BYTES(0x58) /* pop rax */, ADD_RDI_64, JNE_BACK), 1, 1e-9);
}

#define MOVSS_XMM0_RDX BYTES(0xf3, 0x0f, 0x10, 0x02)
#define MOVSS_XMM0_RDI BYTES(0xf3, 0x0f, 0x10, 0x07)
#define ADDSS_XMM0_XMM1 BYTES(0xf3, 0x0f, 0x58, 0xc1)
#define MOVSS_RDX_XMM0 BYTES(0xf3, 0x0f, 0x11, 0x02)
#define MOVSS_RDI_XMM0 BYTES(0xf3, 0x0f, 0x11, 0x07)
#define ADD_RAX_RAX BYTES(0x48, 0x01, 0xc0)

/* A sum in memory is handed on there, if its place stays the same. */
TEST(test_chains_through_memory)
{
    assert_true(
        CHAIN(MOVSS_XMM0_RDX, ADDSS_XMM0_XMM1, MOVSS_RDX_XMM0, ADD_RDI_64, JNE_BACK) > 6);
    assert_near(
        CHAIN(MOVSS_XMM0_RDI, ADDSS_XMM0_XMM1, MOVSS_RDI_XMM0, ADD_RDI_64, JNE_BACK), 1,
        1e-9);
    /* The same by rbp, which may be a pointer, or hold the frame of a function: add rbp,
     * 64; push rbp; mov rbp, rsp; pop rbp. */
    const unsigned char *const load = BYTES(0xf3, 0x0f, 0x10, 0x45, 0x00),
                               *const store = BYTES(0xf3, 0x0f, 0x11, 0x45, 0x00);
    assert_near(
        CHAIN(load, ADDSS_XMM0_XMM1, store, BYTES(0x48, 0x83, 0xc5, 0x40), JNE_BACK), 1,
        1e-9);
    assert_true(CHAIN(load, ADDSS_XMM0_XMM1, store, BYTES(0x55), BYTES(0x48, 0x89, 0xe5),
                      BYTES(0x5d), ADD_RDI_64, JNE_BACK) > 6);
}

/* A place with an index has no name, though the index stays the same; a global one has
 * none of a register. */
TEST(test_pass_by_index)
{
    /* mov edx, [rdi + 4 rax]; add edx, ecx; mov [rdi + 4 rax], edx; the same of [rdi];
     * and of a place 64 bytes behind the first instruction */
    const struct {
        const unsigned char *code[4];
        double cycles;
    } cases[] = {
        {{BYTES(0x8b, 0x14, 0x87), BYTES(0x01, 0xca), BYTES(0x89, 0x14, 0x87), JNE_BACK},
         22},
        {{BYTES(0x8b, 0x17), BYTES(0x01, 0xca), BYTES(0x89, 0x17), JNE_BACK}, 3},
        {{BYTES(0x8b, 0x15, 58, 0, 0, 0), BYTES(0x01, 0xca),
          BYTES(0x89, 0x15, 50, 0, 0, 0), JNE_BACK},
         12}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct inspect_window window = {
            .pass = 20, .pass_named = 1, .pass_global = 10};
        struct nodes nodes = loop_of(cases[i].code, 4);
        struct loops loops;
        assert_int_equal(loops_find(&nodes, true, &loops), 0);
        assert_near(loop_chain(&nodes, &loops, 0, &window, CHAIN_USUAL), cases[i].cycles,
                    1e-9);
        loops_free(&loops);
        nodes_free(&nodes);
    }
}

/* A byte that is written waits for the rest of its register. */
TEST(test_chains_of_bytes)
{
    /* mov r10b, [rdi]; xor r10b, [rsi]; mov r10d, [rdi]; xor r10d, [rsi] */
    assert_near(
        CHAIN(BYTES(0x44, 0x8a, 0x17), BYTES(0x44, 0x32, 0x16), ADD_RDI_64, JNE_BACK), 2,
        1e-9);
    assert_near(
        CHAIN(BYTES(0x44, 0x8b, 0x17), BYTES(0x44, 0x33, 0x16), ADD_RDI_64, JNE_BACK), 1,
        1e-9);
}

TEST(test_chains_of_vectors)
{
    const double sum = CHAIN(ADDSS_XMM0_XMM1, ADD_RDI_64, JNE_BACK);
    assert_true(sum > 1);
    assert_near(CHAIN_OF(true, ADDSS_XMM0_XMM1, ADD_RDI_64, JNE_BACK), sum, 1e-9);
    assert_near(CHAIN(ADD_RAX_RAX, ADD_RAX_RAX, ADD_RDI_64, JNE_BACK), 2, 1e-9);
    assert_near(CHAIN_OF(true, ADD_RAX_RAX, ADD_RAX_RAX, ADD_RDI_64, JNE_BACK), 0, 1e-9);
    assert_near(CHAIN_OF(true, MOVSS_XMM0_RDX, ADDSS_XMM0_XMM1, MOVSS_RDX_XMM0,
                         ADD_RDI_64, JNE_BACK),
                0, 1e-9);
}

/* vpaddd zmm0{k1}, zmm1, zmm2: the old value, the mask, and each source have a latency of
 * their own; k0 is not counted. */
TEST(test_costs)
{
    static const struct inspect_cost cost = {
        .known = true,
        .throughput = 0.5,
        .n_links = 4,
        .link = {{.from = 0, .to = 0, .cycles = 1, .full = 2},
                 {.from = 1, .to = 0, .cycles = 6, .full = 7},
                 {.from = 2, .to = 0, .cycles = 3, .full = 3},
                 {.from = 9, .to = 0, .cycles = 99, .full = 99}}};
    const unsigned char *const masked[] = {BYTES(0x62, 0xf1, 0x75, 0x49, 0xfe, 0xc2),
                                           JNE_BACK};
    struct code_cost taken = {.throughput = cost.throughput};
    struct loops loops;
    code_cost_registers(masked[0], CODE_BYTES_MAX, &cost, &taken);
    assert_int_equal(taken.n_links, 3); /* it has no tenth operand */
    assert_int_equal(taken.link[0].from, VECTOR(0));
    assert_int_equal(taken.link[1].from, MASK(1));
    assert_int_equal(taken.link[2].from, VECTOR(1));
    assert_int_equal(taken.link[2].to, VECTOR(0));
    struct nodes nodes = loop_of(masked, 2);
    nodes.node[0].code.cost = &taken;
    assert_int_equal(loops_find(&nodes, true, &loops), 0);
    const struct inspect_window any = {.waiting = 0};
    assert_near(loop_chain(&nodes, &loops, 0, &any, false), 1, 1e-9);
    assert_near(loop_chain(&nodes, &loops, 0, &any, true), 2, 1e-9);
    loops_free(&loops);
    nodes_free(&nodes);
    /* vpxor xmm0, xmm0, xmm0 waits for nothing, whatever its links are. */
    static const struct inspect_cost zero = {
        .n_links = 2,
        .link = {{.from = 1, .to = 0, .cycles = 5, .full = 5},
                 {.from = 2, .to = 0, .cycles = 5, .full = 5}}};
    const unsigned char *const zeroed[] = {BYTES(0xc5, 0xf9, 0xef, 0xc0), JNE_BACK};
    taken = (struct code_cost){.throughput = 1};
    code_cost_registers(zeroed[0], CODE_BYTES_MAX, &zero, &taken);
    nodes = loop_of(zeroed, 2);
    nodes.node[0].code.cost = &taken;
    assert_int_equal(loops_find(&nodes, true, &loops), 0);
    assert_near(loop_chain(&nodes, &loops, 0, &any, false), 0, 1e-9);
    loops_free(&loops);
    nodes_free(&nodes);
    /* The address of a load is that of its memory operand. */
    static const struct inspect_cost load = {
        .n_links = 1, .link = {{.from = 2, .to = 0, .address = true, .cycles = 7}}};
    taken = (struct code_cost){.throughput = 1};
    /* vaddps zmm0, zmm1, [rdi] */
    code_cost_registers(BYTES(0x62, 0xf1, 0x74, 0x48, 0x58, 0x07), CODE_BYTES_MAX, &load,
                        &taken);
    assert_int_equal(taken.n_links, 1);
    assert_int_equal(taken.link[0].from, UINT64_C(1) << 7);
}

/* vpexpandb zmm0{k1}{z}, zmm1 needs no old value, but some cores wait for it. */
TEST(test_kept)
{
    const unsigned char *const expand[] = {BYTES(0x62, 0xf2, 0x7d, 0xc9, 0x62, 0xc1),
                                           JNE_BACK};
    const struct inspect_window any = {.waiting = 0};
    for (int kept = 0; kept <= 1; kept++) {
        const struct inspect_cost cost = {
            .n_links = 1 + (size_t)kept,
            .link = {{.from = 2, .to = 0, .cycles = 5, .full = 5},
                     {.from = 0, .to = 0, .cycles = 5, .full = 5}}};
        struct code_cost taken = {.throughput = 1};
        struct loops loops;
        code_cost_registers(expand[0], CODE_BYTES_MAX, &cost, &taken);
        struct nodes nodes = loop_of(expand, 2);
        nodes.node[0].code.cost = &taken;
        assert_int_equal(loops_find(&nodes, true, &loops), 0);
        assert_near(loop_chain(&nodes, &loops, 0, &any, CHAIN_USUAL), kept ? 5 : 0, 1e-9);
        /* No edit of chains changes that. */
        assert_near(loop_chain(&nodes, &loops, 0, &any, CHAIN_VECTORS), 0, 1e-9);
        assert_near(loop_chain(&nodes, &loops, 0, &any, CHAIN_OTHERS), 0, 1e-9);
        loops_free(&loops);
        nodes_free(&nodes);
    }
}

/* Four windows that saw 100 turns: as many each, or one of them all. */
static double error_of(const unsigned *turns)
{
    const unsigned char *const code[] = {ADD_RDI_64, JNE_BACK};
    struct tracer tracer = {.child = {.pid = getpid()}, .nodes = loop_of(code, 2)};
    struct inspect_census census = {.windows = 4};
    struct error error = {.text = ""};
    uint64_t executed = 0;
    tracer.error = &error;
    tracer.instructions = 200;
    for (unsigned w = 0; w < census.windows; w++) {
        executed += turns[w];
        for (uint32_t i = 0; i < 2; i++)
            tracer.nodes.node[i].executed = executed;
        assert_int_equal(nodes_end_window(&tracer.nodes, w, census.windows), 0);
    }
    assert_int_equal(census_make(&tracer, &(struct inspect_options){.seed = 0}, &census),
                     0);
    const double found = census.loop[0].error;
    inspect_census_free(&census);
    nodes_free(&tracer.nodes);
    return found;
}

TEST(test_windows_that_differ)
{
    assert_near(error_of((const unsigned[]){25, 25, 25, 25}), 0, 1e-9);
    assert_near(error_of((const unsigned[]){20, 30, 20, 30}), 0.4 / sqrt(12), 1e-9);
    assert_near(error_of((const unsigned[]){0, 0, 100, 0}), 1, 1e-9);
}

/* The first access in a window is on no new page, wherever the last window ended. */
TEST(test_pages_of_windows)
{
    const unsigned char *const code[] = {MOVSS_RDI_XMM0};
    struct tracer tracer = {.nodes = loop_of(code, 1)};
    struct node *const node = &tracer.nodes.node[0];
    for (uint64_t page = 1; page <= 3; page++) {
        if (page < 3)
            tracer_forget(&tracer);
        memory_access(&tracer.memory, &tracer.nodes, node, 0, page << 20);
        assert_int_equal(node->counts.page_changes, page == 3);
    }
    nodes_free(&tracer.nodes);
}
