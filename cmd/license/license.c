/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "license/license.h"
#include "license_private.h"
#include "op_row.h"
#include "output/output.h"

#define TIME_PER_CASE_NS 20000000
static const char *const wide_isa = "avx512";

/* The widest instruction set below avx512 that is here. */
static const char *narrow_isa(void)
{
    size_t at = (size_t)isa_find(wide_isa);
    while (at-- > 0)
        if (isa_get(at)->built && isa_available(at, NULL, 0))
            return isa_get(at)->name;
    return NULL;
}

static int choose(const struct op_row *row, const char *narrow, struct request *request,
                  struct error *error)
{
    request_init(request);
    request->op = must_have(strdup(row->op->name));
    const struct {
        struct text_list *list;
        const char *text;
    } words[] = {
        {&request->isas, narrow},
        {&request->isas, wide_isa},
        {&request->types, "f32"},
        {&request->baselines, "none"},
        {&request->semirings, row->license.semiring},
        {&request->variants, row->license.variant},
        {&request->layouts, row->license.layout},
    };
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (words[i].text)
            text_list_add(words[i].list, words[i].text);
    return sizes_expand(row->license.sizes, &request->sizes, error);
}

/* The same plan and run as those of `simdbench OP`. */
static int measure_op(int64_t wait_ns, const struct op_row *row, const char *narrow,
                      struct license_net *net, struct error *error)
{
    FREED_BY(request_free) struct request request = {0};
    struct how how;
    FREED_BY(catalog_free) struct catalog catalog = {.memory_fd = -1};
    FREED_BY(plan_free) struct plan plan = {.n_groups = 0};
    net->run = run_new();
    how_init(&how);
    how.quiet = true;
    how.wait_ns = wait_ns;
    how.time_per_case_ns = TIME_PER_CASE_NS;
    how.seed = (uint64_t)clock_now();
    const int rc = choose(row, narrow, &request, error)
                       ?: plan_prepare(&request, &how, &catalog, &plan, error)
                       ?: run_plan(&how, &catalog, &plan, NULL, net->run, error);
    if (rc == 0)
        license_take_net(wide_isa, narrow, net);
    return rc;
}

static const struct op_row *row_of_turn(int turn)
{
    const struct op_row *const *row = op_rows();
    while (*row && (*row)->license.turn != turn)
        row++;
    return *row;
}

/* Runs each op with avx512 and the widest narrower instruction set that is here; waits
 * for a CPU so long. */
static int license_measure_net(int64_t wait_ns, struct license *license, bool progress,
                               struct error *error)
{
    const char *const narrow = narrow_isa();
    const int wide = isa_find(wide_isa);
    char reason[200] = "this build has no kernels of it (Meson's option isas)";
    if (wide < 0 || !isa_available((size_t)wide, reason, sizeof reason) ||
        !isa_get((size_t)wide)->built) {
        snprintf(license->net_skip, sizeof license->net_skip, "no %s here: %s", wide_isa,
                 wide < 0 ? "another architecture" : reason);
        return 0;
    }
    const struct op_row *row;
    while (license->n_nets < LICENSE_NETS &&
           (row = row_of_turn((int)license->n_nets + 1))) {
        struct license_net *const net = &license->net[license->n_nets++];
        struct error why = {.text = ""};
        net->op = row->op->name;
        if (progress)
            progress_show("%s with %s and %s", net->op, narrow, wide_isa);
        const int rc = measure_op(wait_ns, row, narrow, net, &why);
        if (rc == -ENOMEM || rc == -EINTR || rc == -CPUS_BUSY)
            return error_set(error, rc, "%s: %.400s", net->op, why.text);
        if (rc < 0)
            snprintf(net->skip, sizeof net->skip, "%.255s", why.text);
    }
    return 0;
}

enum { ROUNDS = 40, CHAIN_NS = 200000, CHAINS = 50 };

/* The counters may tell of the core what this thread does not do. */
static void check_counters(const struct license_scope *one,
                           const struct license_counters *counters, char *why,
                           size_t size)
{
    const int level = one->n_classes ? license_level(&one->class[0], one->rounds) : -1;
    const char *const note = counters_note(counters->perf);
    if (level > 0)
        snprintf(why, size, "scalar work itself has licence %d%s%s", level,
                 note ? "; " : "", note ? note : "");
}

static void choose_cpus(const struct options *options, struct license *license)
{
    struct license_scope *const one = &license->scope[0], *const all = &license->scope[1];
    one->name = "one core";
    all->name = "all cores";
    for (size_t i = 0; i < options->how.n_cpu && i < CPUS_MAX; i++)
        all->cpu[all->n_cpu++] = options->how.cpu[i];
    if (!all->n_cpu)
        all->n_cpu = cpus_cores(all->cpu, cpus_allowed(all->cpu, CPUS_MAX));
    one->n_cpu = 1;
    one->cpu[0] = all->n_cpu ? all->cpu[all->n_cpu - 1] : 0;
    if (all->n_cpu < 2)
        snprintf(all->skip, sizeof all->skip, "there is one core only");
}

/* The best of a few: whatever disturbs one makes it look slower. */
static double best_ghz(double (*probe)(int64_t ns))
{
    double best = 0;
    for (size_t i = 0; i < CHAINS; i++)
        best = fmax(best, probe(CHAIN_NS));
    return best;
}

/* The clocks of one core and of all. */
static int measure_clocks(const struct options *options, bool progress,
                          struct license *license, struct error *error)
{
    const size_t rounds = options->how.rounds ? options->how.rounds : ROUNDS;
    FREED_BY(license_counters_close) struct license_counters counters = {.n = 0};
    license->ghz_add = best_ghz(clock_ghz);
    license->ghz_imul = best_ghz(clock_ghz_imul);
    int rc = license_counters_open(uarch_host(), &perf_system_linux, &counters,
                                   license->counters, sizeof license->counters, error);
    if (rc != 0)
        return error_set(error, rc, "licence counters: %s", strerror(-rc));
    for (size_t i = 0; i < LICENSE_SCOPES && rc == 0; i++) {
        struct license_scope *const scope = &license->scope[i];
        if (scope->skip[0])
            continue;
        if (progress)
            progress_show("the clock of %s", scope->name);
        rc = license_probe(scope, rounds, (uint64_t)clock_now(), i ? NULL : &counters,
                           error);
        if (rc == 0)
            license_summarise(scope);
    }
    snprintf(license->top, sizeof license->top, "%s", counters.top);
    if (rc == 0 && counters.perf)
        check_counters(&license->scope[0], &counters, license->counters,
                       sizeof license->counters);
    return rc;
}

static int measure(const struct options *options, bool progress, struct license *license,
                   struct error *error)
{
    struct cpu_lock *lock = NULL;
    struct host host;
    host_read(&host, "");
    license->tool_version = simdbench_version.number;
    snprintf(license->cpu, sizeof license->cpu, "%s", host.cpu);
    snprintf(license->virtualisation, sizeof license->virtualisation, "%s",
             host.virtualisation);
    snprintf(license->fingerprint, sizeof license->fingerprint, "%s", host.fingerprint);
    choose_cpus(options, license);
    struct license_scope *const all = &license->scope[LICENSE_SCOPES - 1];
    int rc = cpu_lock_take(all->cpu, all->n_cpu, all->n_cpu, options->how.wait_ns,
                           options->quiet, &lock, error)
                 ?: measure_clocks(options, progress, license, error);
    /* The runs of the net effect lock for themselves. */
    cpu_lock_free(lock);
    if (rc != 0)
        return rc;
    license_judge(license->scope, LICENSE_SCOPES, &license->verdict);
    if (options->quick)
        snprintf(license->net_skip, sizeof license->net_skip, "--quick leaves it out");
    else
        rc = license_measure_net(options->how.wait_ns, license, progress, error);
    progress_end();
    return rc;
}

static int write_as(const void *context, enum format format, FILE *file,
                    struct error *error)
{
    const struct license *const license = context;
    struct json json = {.root = NULL};
    if (format == FORMAT_JSON || format == FORMAT_HTML) {
        license_json(license, &json);
        return page_or_json_write(&json, format, file, error);
    }
    const struct text_page page = page_of(file, format);
    license_write(license, &page);
    return 0;
}

int command_license(struct options *options)
{
    struct error error = {.text = ""};
    FREED_BY(free_memory) struct license *license = must_have(calloc(1, sizeof *license));
    const int rc = outputs_check(options, &error)
                       ?: measure(options, !options->quiet, license, &error)
                       ?: document_write(options, write_as, license, &error);
    for (size_t i = 0; i < LICENSE_SCOPES; i++)
        license_scope_free(&license->scope[i]);
    for (size_t i = 0; i < license->n_nets; i++)
        run_free(license->net[i].run);
    return exit_status_of(rc, &error);
}
