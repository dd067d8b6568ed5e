/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings by libpfm4 of event names of other CPUs: needs its tables for x86. */
#include <linux/perf_event.h>

#include "event_refused.h"
#include "perfctr.h"
#include "unit.h"

static const struct {
    const char *name;
    uint64_t config, config1;
} rows[] = {
    {"skx::CORE_POWER.LVL0_TURBO_LICENSE", 0x0728, 0},
    {"skx::CORE_POWER.LVL1_TURBO_LICENSE", 0x1828, 0},
    {"skx::core_power.lvl2_turbo_license", 0x2028, 0},
    {"icx::CORE_POWER:LVL2_TURBO_LICENSE", 0x2028, 0},
    {"skx::UNHALTED_CORE_CYCLES", 0x3c, 0},
    {"spr::INSTRUCTIONS_RETIRED", 0xc0, 0},
    {"skx::L1D:REPLACEMENT", 0x151, 0},
    {"icx::MEM_LOAD_RETIRED.L3_MISS", 0x20d1, 0},
    {"skx::L2_LINES_IN.ALL", 0x1ff1, 0},
    {"spr::L2_LINES_IN.ALL", 0x1f25, 0},
    {"skx::DTLB_LOAD_MISSES.WALK_COMPLETED", 0xe08, 0},
    {"spr::DTLB_LOAD_MISSES.WALK_COMPLETED", 0xe12, 0},
    {"icx::CYCLE_ACTIVITY.STALLS_TOTAL", 0x40004a3, 0},
    {"skx::FP_ARITH_INST_RETIRED.512B_PACKED_SINGLE", 0x80c7, 0},
    {"spr::FP_ARITH_INST_RETIRED.256B_PACKED_DOUBLE", 0x10c7, 0},
    {"skx::UOPS_ISSUED.ANY", 0x10e, 0},
    {"spr::UOPS_ISSUED.ANY", 0x1ae, 0},
    {"icx::OCR.READS_TO_CORE_DRAM", 0x1b7, 0x73c000477},
    {"amd64_fam19h_zen4::CYCLES_NOT_IN_HALT", 0x76, 0},
    {"amd64_fam19h_zen4::RETIRED_INSTRUCTIONS", 0xc0, 0},
    {"amd64_fam19h_zen4::P0_FREQ_CYCLES_NOT_IN_HALT.P0_FREQ_CYCLES", 0x100000120, 0},
    {"amd64_fam19h_zen4::RETIRED_SSE_AVX_FLOPS.ANY", 0x1f03, 0},
    {"amd64_fam19h_zen4::RETIRED_FP_OPS_BY_WIDTH.PACK512_UOPS_RETIRED", 0x2008, 0},
    {"amd64_fam19h_zen4::DISPATCH_STALLS_1.BE_STALLS", 0x100001ea0, 0},
    {"amd64_fam19h_zen4::ANY_DATA_CACHE_FILLS_FROM_SYSTEM.DRAM_IO_NEAR:DRAM_IO_FAR",
     0x4844, 0}};

TEST(test_rows)
{
    for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
        struct event event;
        struct error error = {.text = ""};
        if (event_encode(rows[k].name, &event, &error) != 0)
            fail_msg("%s", error.text);
        if (event.config != rows[k].config || event.config1 != rows[k].config1)
            fail_msg("%s: config %#llx, config1 %#llx", rows[k].name,
                     (unsigned long long)event.config, (unsigned long long)event.config1);
        assert_int_equal(event.type, PERF_TYPE_RAW);
    }
}

TEST(test_string)
{
    struct event event;
    assert_int_equal(event_encode("skx::core_power.lvl1_turbo_license", &event, NULL), 0);
    assert_string_equal(event.string, "skx::CORE_POWER:LVL1_TURBO_LICENSE:u");
    assert_string_equal(event.name, "skx::core_power.lvl1_turbo_license");
    assert_int_equal(event_encode("skx::UOPS_ISSUED.ANY:c=2", &event, NULL), 0);
    assert_string_equal(event.string, "skx::UOPS_ISSUED:ANY:c=2:u");
    assert_int_equal(event.config, 0x200010e);
}

TEST(test_near)
{
    expect_error("skx::CORE_POWER", "skx::CORE_POWER:LVL2_TURBO_LICENSE");
    expect_error("skx::CORE_POWER", "unit mask");
    expect_error("skx::core_power.lvl2_turbo_licence",
                 "skx::CORE_POWER:LVL2_TURBO_LICENSE");
    /* Sapphire Rapids has no licences. */
    expect_error("spr::CORE_POWER.LVL2_TURBO_LICENSE", "no such event");
    expect_error("nocpu::CORE_POWER.LVL2_TURBO_LICENSE", "no such event");
}

/* libpfm4 reads it when it is first used. */
static int encode_inactive(void **state)
{
    return setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
}

TESTS_BETWEEN(encode_inactive, NULL)
