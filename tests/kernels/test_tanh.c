/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels of tanh: every row against the exact value
 * for one in 64 of all f32 (all of them with SIMDBENCH_LONG=1, where the stated errors
 * must be the measured ones) and a dense sample of f64; every row for its shape: sizes,
 * alignment, pages without access on either side.
 */
#include <float.h>

#include "effort.h"
#include "guarded.h"
#include "tanh/tanh_tables.h"
#include "tanh_vectors.h"
#include "unit.h"

enum { BATCH = 4096, ROWS_MAX = 64 };

/* Valgrind is a hundred times slower, and its long double is a double, so that tanhl()
 * itself is off by some ulp of f64. */
static bool under_valgrind(void)
{
    const char *preload = getenv("LD_PRELOAD");
    return preload && strstr(preload, "vgpreload");
}

/* True if fewer cases run, as everything is several times slower. */
static bool is_slow(void)
{
    return effort_divisor() > 1;
}

static bool is_long(void)
{
    const char *value = getenv("SIMDBENCH_LONG");
    return value && strcmp(value, "1") == 0;
}

/* Rows of a type that run on this machine; `auto` runs one of them. */
static size_t rows_of(uint32_t type, const struct simdbench_kernel **rows)
{
    const struct simdbench_kernel *const *kernels = kernel_list();
    size_t n = 0;
    for (size_t i = 0; kernels[i]; i++)
        if (runs_here(kernels[i], "tanh") && kernels[i]->type == type &&
            !kernels[i]->prepare) {
            assert_true(n < ROWS_MAX);
            rows[n++] = kernels[i];
        }
    assert_true(n > 0);
    return n;
}

static bool is_library(const struct simdbench_kernel *row)
{
    return strcmp(row->variant, "libm") == 0;
}

/* ---- errors of the rows ---- */

struct row_error {
    double max, sum, worst; /* in ulp; where max is */
    double absolute;        /* the largest */
};

struct batch {
    const struct simdbench_kernel *rows[ROWS_MAX];
    size_t rows_n;
    struct row_error error[ROWS_MAX];
    uint64_t seen;
    double exact[BATCH], low[BATCH]; /* their sum is the exact value */
    double scale[BATCH], per_ulp;    /* error times both is in ulp: 2^1074 is no double */
    union {
        float f32[BATCH];
        double f64[BATCH];
    } x, y, minus_x, minus_y;
};

/* Runs all rows on n numbers that are not negative, and on their opposites. */
static void batch_check(struct batch *batch, uint32_t type, size_t n)
{
    struct operands v;
    batch->per_ulp = ldexp(1, type == SIMDBENCH_F32 ? FLT_MANT_DIG : DBL_MANT_DIG);
    for (size_t i = 0; i < n; i++) {
        int exponent;
        const long double wide = type == SIMDBENCH_F32
                                     ? (long double)tanh((double)batch->x.f32[i])
                                     : tanhl((long double)batch->x.f64[i]);
        const double least = type == SIMDBENCH_F32 ? FLT_MIN : DBL_MIN;
        batch->exact[i] = (double)wide;
        batch->low[i] = (double)(wide - batch->exact[i]);
        frexp(batch->exact[i] < least ? least : batch->exact[i], &exponent);
        batch->scale[i] = ldexp(1, -exponent);
    }
    for (size_t r = 0; r < batch->rows_n; r++) {
        struct row_error *error = &batch->error[r];
        vectors_bind(&v, type, &batch->x, &batch->y, n);
        batch->rows[r]->run(&v.view, NULL);
        for (size_t i = 0; i < n; i++) {
            const double y =
                type == SIMDBENCH_F32 ? (double)batch->y.f32[i] : batch->y.f64[i];
            const double absolute = fabs((y - batch->exact[i]) - batch->low[i]);
            const double distance = absolute * batch->scale[i] * batch->per_ulp;
            error->sum += distance;
            error->absolute = fmax(error->absolute, absolute);
            if (!(distance <= error->max) || !(y <= 1)) {
                error->max = y <= 1 ? distance : INFINITY;
                error->worst =
                    type == SIMDBENCH_F32 ? (double)batch->x.f32[i] : batch->x.f64[i];
            }
        }
        for (size_t i = 0; i < n; i++) {
            if (type == SIMDBENCH_F32)
                batch->minus_x.f32[i] = -batch->x.f32[i];
            else
                batch->minus_x.f64[i] = -batch->x.f64[i];
        }
        vectors_bind(&v, type, &batch->minus_x, &batch->minus_y, n);
        batch->rows[r]->run(&v.view, NULL);
        for (size_t i = 0; i < n; i++) {
            if (type == SIMDBENCH_F32)
                batch->minus_y.f32[i] = -batch->minus_y.f32[i];
            else
                batch->minus_y.f64[i] = -batch->minus_y.f64[i];
        }
        if (!is_library(batch->rows[r]) &&
            memcmp(&batch->minus_y, &batch->y, n * type_bytes(type)) != 0)
            fail_msg("not odd: %s/%s", batch->rows[r]->isa, batch->rows[r]->variant);
    }
    batch->seen += n;
}

/* The reference has slack for other libraries: their promises are not ours. */
static void batch_judge(const struct batch *batch, bool all, double allowance)
{
    for (size_t r = 0; all && r < batch->rows_n; r++)
        print_message("%s/%s/%s: max %.4f at %.9g, mean %.5f, absolute %.4g\n",
                      type_name(batch->rows[r]->type), batch->rows[r]->isa,
                      batch->rows[r]->variant, batch->error[r].max, batch->error[r].worst,
                      batch->error[r].sum / (double)batch->seen,
                      batch->error[r].absolute);
    for (size_t r = 0; r < batch->rows_n; r++) {
        const struct simdbench_kernel *row = batch->rows[r];
        const struct row_error *error = &batch->error[r];
        const double mean = error->sum / (double)batch->seen;
        if (is_library(row)) {
            assert_true(error->max <= 4);
            continue;
        }
        if (row->max_error > 0 && !(error->absolute <= row->max_error))
            fail_msg("%s/%s: off by %.4g, stated %.4g", row->isa, row->variant,
                     error->absolute, row->max_error);
        if (!((error->max <= 2 + allowance || row->max_error > 0) &&
              error->max <= row->max_ulp + allowance))
            fail_msg("%s/%s/%s: %.4f ulp at %.17g, stated %.4f", type_name(row->type),
                     row->isa, row->variant, error->max, error->worst, row->max_ulp);
        if (all && row->max_error > 0 && !(error->absolute >= 0.98 * row->max_error))
            fail_msg("%s/%s: off by %.4g alone, stated %.4g", row->isa, row->variant,
                     error->absolute, row->max_error);
        if (all && !(fabs(error->max / row->max_ulp - 1) <= 0.01 &&
                     fabs(mean / row->mean_ulp - 1) <= 0.01))
            fail_msg("%s/%s/%s: measured %.4f and %.5f, stated %.4f and %.5f",
                     type_name(row->type), row->isa, row->variant, error->max, mean,
                     row->max_ulp, row->mean_ulp);
    }
}

TEST(test_errors_f32)
{
    const uint32_t step = is_long()          ? 1
                          : under_valgrind() ? 64 * 1009
                          : is_slow()        ? 16 * 61
                                             : 61;
    struct batch *batch = calloc(1, sizeof *batch);
    uint64_t bits = 0;
    assert_non_null(batch);
    batch->rows_n = rows_of(SIMDBENCH_F32, batch->rows);
    while (bits <= UINT32_C(0x7f800000)) {
        size_t n = 0;
        for (; n < BATCH && bits <= UINT32_C(0x7f800000); n++, bits += step) {
            const uint32_t pattern = (uint32_t)bits;
            memcpy(&batch->x.f32[n], &pattern, sizeof pattern);
        }
        batch_check(batch, SIMDBENCH_F32, n);
    }
    batch_judge(batch, is_long(), 0);
    free(batch);
}

/* Numbers at the ends of a table's intervals, and two on either side. */
static size_t borders(double scale, double offset, double end, int bits, bool single,
                      double *x)
{
    size_t n = 0;
    for (double octave = 0.5; octave < 32; octave *= 2) {
        for (int i = 0; i < 1 << bits; i++) {
            const double at = (octave * (1 + ldexp(i, -bits)) - offset) / scale;
            if (at <= 0 || at > end)
                continue;
            double near = single ? (double)nextafterf(nextafterf((float)at, 0), 0)
                                 : nextafter(nextafter(at, 0), 0);
            for (int k = 0; k < 5; k++) {
                x[n++] = near;
                near = single ? (double)nextafterf((float)near, INFINITY)
                              : nextafter(near, INFINITY);
            }
        }
    }
    return n;
}

TEST(test_borders)
{
    const double special[] = {0,           FLT_TRUE_MIN, FLT_MIN, DBL_TRUE_MIN, DBL_MIN,
                              FLT_MIN / 2, FLT_MAX,      DBL_MAX, INFINITY,     0x1p-12};
    struct batch *batch = calloc(1, sizeof *batch);
    double *x = calloc(BATCH, sizeof *x);
    assert_non_null(batch);
    assert_non_null(x);
    for (uint32_t type = SIMDBENCH_F32; type <= SIMDBENCH_F64; type++) {
        const bool single = type == SIMDBENCH_F32;
        size_t n = 0;
        memset(batch, 0, sizeof *batch);
        batch->rows_n = rows_of(type, batch->rows);
        if (single) {
            n += borders((double)tanh_f32_lane32_scale, (double)tanh_f32_lane32_offset,
                         10, 23 - tanh_f32_lane32_shift, single, x + n);
            n += borders((double)tanh_f32_lane8_scale, (double)tanh_f32_lane8_offset, 10,
                         23 - tanh_f32_lane8_shift, single, x + n);
            n += borders(1, (double)tanh_f32_row_offset, 10, 23 - tanh_f32_row_shift,
                         single, x + n);
        } else {
            n += borders(1, tanh_f64_row_offset, 20, 52 - tanh_f64_row_shift, single,
                         x + n);
        }
        memcpy(x + n, special, sizeof special);
        n += ARRAY_LEN(special);
        assert_true(n > 500 && n <= BATCH);
        for (size_t i = 0; i < n; i++) {
            if (single)
                batch->x.f32[i] = (float)x[i];
            else
                batch->x.f64[i] = x[i];
        }
        batch_check(batch, type, n);
        batch_judge(batch, false, !single && under_valgrind() ? 3 : 0);
    }
    free(x);
    free(batch);
}

TEST(test_errors_f64)
{
    const int batches = is_long() ? 5000 : under_valgrind() ? 3 : is_slow() ? 20 : 400;
    struct batch *batch = calloc(1, sizeof *batch);
    uint64_t seed = 5;
    assert_non_null(batch);
    batch->rows_n = rows_of(SIMDBENCH_F64, batch->rows);
    for (int b = 0; b < batches; b++) {
        for (size_t i = 0; i < BATCH; i++) {
            const double u = fabs(random_uniform(&seed));
            batch->x.f64[i] = b % 3 == 0   ? u * 20
                              : b % 3 == 1 ? exp2(u * 8 - 7)
                                           : exp2(u * 1079 - 1074);
        }
        batch_check(batch, SIMDBENCH_F64, BATCH);
    }
    batch_judge(batch, is_long(), under_valgrind() ? 3 : 0);
    free(batch);
}

/* ---- sizes and places ---- */

/* NaNs and all sizes at both ends of a page: whatever is beside an element, before or
 * after, its result is the one that it has alone. */
TEST(test_places)
{
    enum { MOST = 300, REGION = 2 * PAGE };
    char *region[2];
    for (int i = 0; i < 2; i++)
        region[i] = guarded_new(REGION);
    for (uint32_t type = SIMDBENCH_F32; type <= SIMDBENCH_F64; type++) {
        const struct simdbench_kernel *rows[ROWS_MAX];
        const size_t size = type_bytes(type), rows_n = rows_of(type, rows);
        char x[MOST * sizeof(double)], alone[sizeof x];
        struct operands v;

        vectors_bind(&v, type, x, alone, MOST);
        assert_int_equal(op_find("tanh")->fill(&v.view, 3, "special"), 0);
        for (size_t r = 0; r < rows_n; r++) {
            for (size_t i = 0; i < MOST; i++) {
                vectors_bind(&v, type, x + i * size, alone + i * size, 1);
                rows[r]->run(&v.view, NULL);
            }
            for (size_t n = 0; n <= MOST; n += n < 130 ? 1 : 17) {
                for (size_t place = 0; place < 3; place++) {
                    const size_t at = place == 0   ? 0
                                      : place == 1 ? REGION - n * size
                                                   : 128 + size * (1 + n % 15);
                    memset(region[1], 0x5a, REGION);
                    memcpy(region[0] + at, x, n * size);
                    vectors_bind(&v, type, region[0] + at, region[1] + at, n);
                    rows[r]->run(&v.view, NULL);
                    bool right = memcmp(region[1] + at, alone, n * size) == 0;
                    for (size_t i = 0; i < REGION; i++)
                        right = right &&
                                (region[1][i] == 0x5a || (i >= at && i < at + n * size));
                    if (!right)
                        fail_msg("%s/%s/%s with %zu elements at %zu", type_name(type),
                                 rows[r]->isa, rows[r]->variant, n, at);
                }
            }
        }
    }
    for (int i = 0; i < 2; i++)
        guarded_free(region[i], REGION);
}

/* A NaN gives a NaN, in each lane. */
TEST(test_nan)
{
    for (uint32_t type = SIMDBENCH_F32; type <= SIMDBENCH_F64; type++) {
        const struct simdbench_kernel *rows[ROWS_MAX];
        const size_t rows_n = rows_of(type, rows);
        union {
            float f32[32];
            double f64[32];
        } x, y;
        struct operands v;

        for (size_t r = 0; r < rows_n; r++) {
            for (size_t at = 0; at < 32; at++) {
                memset(&x, 0, sizeof x);
                if (type == SIMDBENCH_F32)
                    x.f32[at] = at % 2 ? -NAN : NAN;
                else
                    x.f64[at] = at % 2 ? -NAN : NAN;
                vectors_bind(&v, type, &x, &y, 32);
                rows[r]->run(&v.view, NULL);
                for (size_t i = 0; i < 32; i++) {
                    const double value =
                        type == SIMDBENCH_F32 ? (double)y.f32[i] : y.f64[i];
                    assert_true(i == at ? isnan(value) : value == 0);
                }
            }
        }
    }
}
