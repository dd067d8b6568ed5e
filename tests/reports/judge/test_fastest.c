/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that an answer calls the fastest. */
#include "sample_run.h"
#include "unit.h"

/* Times that lie to both sides of the median, up to twice `noise` of it away. */
static void add_kernel(struct run *run, const char *id, size_t group, double ns,
                       double noise)
{
    enum { ROUNDS = 24 };
    struct result *const result = run_add_result(run);
    string_set(&result->id, id);
    string_set(&result->type, "f32");
    result->group = group;
    result->status = STATUS_OK;
    result->samples.iterations = 1;
    result->summary.median_ns = ns;
    for (uint32_t i = 0; i < ROUNDS; i++)
        need(!result_add_sample(
            result, i,
            ns * (1 + noise * ((int)(i * (run->n_results % 2 ? 7 : 11) % 5) - 2))));
}

/* A kernel that is level at each size is not called the fastest of half of them. */
TEST(level_kernels)
{
    struct run *const run = run_new();
    add_kernel(run, "mix/f32/lib/mix@64", 0, 1010, 0.04);
    add_kernel(run, "mix/f32/avx2/mix_avx2@64", 0, 1000, 0.04);
    add_kernel(run, "mix/f32/scalar/mix_c@64", 0, 3000, 0.04);
    add_kernel(run, "mix/f32/lib/mix@128", 1, 2000, 0.04);
    add_kernel(run, "mix/f32/avx2/mix_avx2@128", 1, 2010, 0.04);
    add_kernel(run, "mix/f32/scalar/mix_c@128", 1, 6000, 0.04);
    assert_true(says(run, "avx2/mix_avx2 is level with another one as the fastest of 3 "
                          "kernels at both sizes"));
    add_kernel(run, "mix/f32/avx2/mix_avx2@256", 2, 4000, 0.04);
    add_kernel(run, "mix/f32/lib/mix@256", 2, 8000, 0.04);
    assert_true(says(run,
                     "avx2/mix_avx2 is the fastest of 3 kernels at all 3 sizes, level "
                     "with another one at 2 of them"));
    const bool expected[] = {true, true, false, true, true, false, true, false};
    bool fastest[ARRAY_LEN(expected)] = {false};
    run_fastest(run, NULL, fastest);
    assert_memory_equal(fastest, expected, sizeof fastest);
    run_free(run);
}

/* A kernel whose times scatter is not level with the fastest; the kernel with the least
 * times is named if two are. */
TEST(noisy_kernels)
{
    struct run *const run = run_new();
    add_kernel(run, "mix/f32/scalar/max@64", 0, 990, 0.04);
    add_kernel(run, "mix/f32/sse2/max@64", 0, 1000, 0.04);
    add_kernel(run, "mix/f32/scalar/max@128", 1, 1010, 0.04);
    add_kernel(run, "mix/f32/sse2/max@128", 1, 1000, 0.04);
    add_kernel(run, "mix/f32/scalar/max@256", 2, 1010, 0.04);
    add_kernel(run, "mix/f32/sse2/max@256", 2, 1000, 0.04);
    assert_true(says(run, "sse2/max is level with another one as the fastest of 2 "));
    run_free(run);

    struct run *const noisy = run_new();
    add_kernel(noisy, "mix/f32/scalar/max@64", 0, 990, 0.04);
    add_kernel(noisy, "mix/f32/sse2/max@64", 0, 1000, 0.04);
    add_kernel(noisy, "mix/f32/scalar/max@128", 1, 1400, 0.35);
    add_kernel(noisy, "mix/f32/sse2/max@128", 1, 1000, 0.002);
    assert_true(says(noisy, "sse2/max is the fastest of 2 kernels at both sizes, level "
                            "with another one at 1 of them"));
    run_free(noisy);

    struct run *const least = run_new();
    add_kernel(least, "mix/f32/scalar/max@64", 0, 900, 0.35);
    least->results[0].summary.ci_ns.hi = 1200;
    add_kernel(least, "mix/f32/sse2/max@64", 0, 1000, 0.002);
    assert_true(says(least, "scalar/max is level with another one as the fastest of 2 "));
    run_free(least);
}

/* A kernel that is too short to be timed is faster than those that have a time. */
TEST(too_short)
{
    bool fastest[4] = {false};
    struct run *const run = run_new();
    add_kernel(run, "mix/f32/scalar/c@1", 0, 3, 0.002);
    add_kernel(run, "mix/f32/sse2/max@1", 0, 100, 0.002);
    add_kernel(run, "mix/f32/scalar/c@64", 1, 300, 0.002);
    add_kernel(run, "mix/f32/sse2/max@64", 1, 100, 0.002);
    run->results[0].status = STATUS_SHORT;
    assert_true(says(run, "sse2/max is the fastest of 2 kernels at one size"));
    run_fastest(run, NULL, fastest);
    assert_false(fastest[1] || fastest[2]);
    assert_true(fastest[3]);
    run->results[2].status = STATUS_SHORT;
    assert_false(says(run, "mix/f32: "));
    run_free(run);
}

/* The gain by vectors is paired by round; a neighbour on the core makes it unknown. */
TEST(scalar_code)
{
    struct run *const run = run_new();
    add_kernel(run, "mix/f32/scalar/c@64", 0, 3000, 0.002);
    add_kernel(run, "mix/f32/scalar/slow@64", 0, 9000, 0.002);
    add_kernel(run, "mix/f32/sse2/max@64", 0, 1000, 0.002);
    add_kernel(run, "mix/f32/scalar/c@128", 1, 2000, 0.002);
    add_kernel(run, "mix/f32/sse2/max@128", 1, 1000, 0.002);
    assert_false(says(run, "scalar code"));
    for (size_t i = 0; i < run->n_results; i++)
        string_set(&run->results[i].isa, i % 3 == 2 || i == 4 ? "sse2" : "scalar");
    assert_true(says(run, "; 2.00 to 3.00 times as fast as scalar code"));
    assert_false(says(run, "scalar code at"));
    run->results[4].samples.shared = true;
    assert_true(says(run, "; 3.00 times as fast as scalar code at 1 of 2 sizes"));
    run->results[4].samples.shared = false;
    add_kernel(run, "mix/f32/scalar/c@256", 2, 1000, 0.002);
    add_kernel(run, "mix/f32/sse2/max@256", 2, 2000, 0.002);
    string_set(&run->results[5].isa, "scalar");
    string_set(&run->results[6].isa, "sse2");
    assert_true(says(run, "; 2.00 to 3.00 times as fast as scalar code at 2 of 3 sizes"));
    assert_true(says(
        run, "sse2/max is the fastest of 3 kernels at 2 of 3 sizes (scalar/c at 1)"));
    run->results[4].samples.shared = true;
    run->results[0].samples.shared = true;
    assert_false(says(run, "scalar code"));
    run_free(run);
}

/* A copy is no faster load: the highest rate of each level stands, and none is the
 * fastest kernel. */
TEST(roofs)
{
    static const struct {
        const char *id, *level;
        double gbps;
    } rows[] = {{"roof/f32/avx2/load@64", "L1", 180},
                {"roof/f32/avx2/copy@64", "L1", 320},
                {"roof/f32/avx2/load@128", "L2", 86}};
    bool fastest[ARRAY_LEN(rows)] = {false};
    struct run *const run = run_new();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        add_kernel(run, rows[i].id, i / 2, 100 + (double)i, 0.01);
        string_set(&run->results[i].op, "roof");
        string_set(&run->results[i].work.level, rows[i].level);
        run->results[i].summary.gbps = rows[i].gbps;
    }
    assert_true(says(run, "roof/f32: at most 320 GB/s in L1 (avx2/copy), 86 GB/s in L2 "
                          "(avx2/load)"));
    run_fastest(run, NULL, fastest);
    assert_false(fastest[0] || fastest[1] || fastest[2]);
    run_free(run);
}
