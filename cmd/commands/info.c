/* SPDX-License-Identifier: Apache-2.0 */
/* simdbench list: what there is. */

#include "commands/commands.h"
#include "plan/plan.h"
#include "studies/studies.h"

enum { LINE_SIZE = 1024, ID_SIZE = 400 };

/* A listing, and how much of it matched. */
struct listing {
    const struct catalog *catalog; /* empty for topics that need none */
    const struct options *options;
    const char *pattern; /* NULL: all */
    const char *uarch;   /* its groups; NULL: this machine */
    size_t shown;
    int status; /* -errno, with an error */
    struct error *error;
};

static bool matches(struct listing *listing, const char *text)
{
    const char *const pattern = listing->pattern;
    const bool match = !pattern || strcasestr(text, pattern) || text_glob(pattern, text);
    listing->shown += match;
    return match;
}

/* ---- ops ---- */

/* As in "one, two"; frees the list. */
static void join(struct text_list *list, char *out, size_t size)
{
    text_list_join(list, ", ", out, size);
    text_list_free(list);
}

/* Types, semirings and instruction sets that kernels of an op have. */
static void print_kernels_of(const struct catalog *catalog, const char *op)
{
    struct text_list lists[3] = {{0}};
    char types[100], semirings[200], isas[200];
    size_t kernels = 0;
    FOR_EACH (const struct offer, offer, catalog->offers, catalog->n_offers) {
        if (strcmp(offer->op, op) != 0)
            continue;
        kernels++;
        text_list_add_once(&lists[0], type_name(offer->type));
        text_list_add_once(&lists[1], offer->isa);
        if (offer->semiring)
            text_list_add_once(&lists[2], offer->semiring);
    }
    join(&lists[0], types, sizeof types);
    join(&lists[1], isas, sizeof isas);
    join(&lists[2], semirings, sizeof semirings);
    print_line(13, "           %zu kernels; types: %s%s%s; instruction sets: %s", kernels,
               types, semirings[0] ? "; semirings: " : "", semirings, isas);
}

static void print_op(const struct catalog *catalog, const char *op)
{
    static const struct {
        const char *field, *title;
    } texts[] = {
        {"default_shapes", "by default"},
        {"layouts", "--layout"},
        {"inputs", "--input"},
    };
    const struct worker *const owner = catalog_op_owner(catalog, op);
    const char *const summary = catalog_op_text(catalog, op, "summary");
    const char *const help = catalog_op_text(catalog, op, "shape_help");
    const bool own = op_find(op) || !owner;
    struct text_list names = {0};
    struct shape_list list;
    char lists[LINE_SIZE / 2];
    print_line(13, "  %-8s %s%s%s", op, summary ? summary : "",
               own ? "" : "; brought by ", own ? "" : owner->info.name);
    if (help)
        print_line(13, "           a size is %s", help);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        const char *const text = catalog_op_text(catalog, op, texts[i].field);
        if (text)
            print_line(13, "           %s: %s", texts[i].title, text);
    }
    for (size_t at = 0; catalog_next_list(catalog, op, &at, &list);)
        text_list_add_once(&names, list.name);
    join(&names, lists, sizeof lists);
    if (lists[0])
        print_line(13, "           --shapes: %s", lists);
    print_kernels_of(catalog, op);
}

static void list_ops(struct listing *listing)
{
    FREED_BY(text_list_free) struct text_list names = {0};
    catalog_ops(listing->catalog, &names);
    for (size_t i = 0; i < names.n; i++)
        if (matches(listing, names.item[i]))
            print_op(listing->catalog, names.item[i]);
}

/* ---- lists of shapes ---- */

static void print_list(struct listing *listing, const char *op,
                       const struct shape_list *list)
{
    const char *shapes = list->shapes;
    if (!matches(listing, list->name) && !matches(listing, op))
        return;
    print_line(4, "  %s --shapes=%s: %s", op, list->name, list->summary);
    while (*shapes) {
        const int length = (int)strcspn(shapes, " ");
        if (length)
            print_line(6, "      %.*s", length, shapes);
        shapes += length;
        shapes += strspn(shapes, " ");
    }
}

static void list_shapes(struct listing *listing)
{
    FREED_BY(text_list_free) struct text_list names = {0};
    catalog_ops(listing->catalog, &names);
    for (size_t i = 0; i < names.n; i++) {
        struct shape_list list;
        for (size_t at = 0;
             catalog_next_list(listing->catalog, names.item[i], &at, &list);)
            print_list(listing, names.item[i], &list);
    }
    if (!listing->shown && !listing->pattern)
        print_line(4, "  none");
}

/* ---- kernels ---- */

static void kernel_id(const struct offer *offer, char *id, size_t size)
{
    const struct worker_info *const info = &offer->worker->info;
    snprintf(id, size, "%s%s%s/%s%s%s/%s/%s", info->path ? info->name : "",
             info->path ? ":" : "", offer->op, offer->semiring ? offer->semiring : "",
             offer->semiring ? "-" : "", type_name(offer->type), offer->isa,
             offer->variant);
}

static void list_kernels(struct listing *listing)
{
    char id[ID_SIZE];
    int width = 0;
    for (size_t i = 0; i < listing->catalog->n_offers; i++) {
        kernel_id(&listing->catalog->offers[i], id, sizeof id);
        if ((int)strlen(id) > width)
            width = (int)strlen(id);
    }
    FOR_EACH (const struct offer, offer, listing->catalog->offers,
              listing->catalog->n_offers) {
        char reason[200] = "";
        kernel_id(offer, id, sizeof id);
        if (!matches(listing, id))
            continue;
        const bool here =
            isa_find(offer->isa) < 0 || isa_runs(offer->isa, reason, sizeof reason);
        char ulp[80] = "";
        if (offer->max_ulp > 0)
            snprintf(ulp, sizeof ulp,
                     offer->mean_ulp > 0 ? "; at most %.4g ulp, mean %.3g"
                                         : "; at most %.4g ulp",
                     offer->max_ulp, offer->mean_ulp);
        print_line(6, "  %-*s  %-12s %s%s%s%s%s%s%s%s%s", width, id,
                   offer->roof      ? offer->roof
                   : offer->is_roof ? "is a roof"
                                    : "no roof",
                   here ? "runs here" : "not here: ", here ? "" : reason,
                   offer->layout ? "; " : "", offer->layout ? offer->layout : "", ulp,
                   offer->flags & SIMDBENCH_ADAPTS ? "; runs one of the others" : "",
                   offer->flags & SIMDBENCH_PATHOLOGY ? "; slow on purpose" : "",
                   offer->flags & SIMDBENCH_STUDY ? "; for studies" : "",
                   offer->flags & SIMDBENCH_PARTIAL ? "; a part of the work" : "");
    }
    for (size_t i = 0; i < listing->catalog->missing.n && !listing->pattern; i++)
        print_line(4, "  %s", listing->catalog->missing.item[i]);
}

/* ---- roofs ---- */

static void list_roofs(struct listing *listing)
{
    static const struct {
        const char *name, *what;
    } roofs[] = {
        {"streams", "memory: each operand is read, written, or both, as its role says; "
                    "of a kernel of a plug-in's own op that names no roof"},
        {"triad", "another name of streams, for a = b + c"},
        {"load", "memory: all that is read, loaded"},
        {"dot", "another name of load, for sums of products"},
        {"read", "memory: all that is read, with one operation for each vector"},
        {"write", "memory: all that is written"},
        {"copy", "memory: the first input to the first output"},
        {"update", "another name of streams, for what works in place"},
        {"write_stream", "memory: as write, past the caches"},
        {"copy_stream", "memory: as copy, past the caches"},
        {"add_max", "registers: an addition and a maximum"},
        {"mul_max", "registers: a multiplication and a maximum"},
        {"fma_max", "registers: a fused multiply-add and a maximum"},
        {"mul_add", "registers: a multiplication and an addition"},
        {"fma", "registers: a fused multiply-add"},
        {"none", "no limit"},
    };
    for (size_t i = 0; i < ARRAY_LEN(roofs); i++)
        if (matches(listing, roofs[i].name))
            print_line(16, "  %-13s %s", roofs[i].name, roofs[i].what);
    if (!listing->pattern)
        print_line(
            4,
            "Mixes that one type or instruction set has: simdbench list kernels 'roof*'");
}

/* ---- instruction sets ---- */

static void list_isas(struct listing *listing)
{
    for (size_t i = 0; i < isa_count(); i++) {
        const struct isa *const isa = isa_get(i);
        char reason[200] = "", bits[16] = "";
        if (!matches(listing, isa->name))
            continue;
        const bool here = isa_available(i, reason, sizeof reason);
        if (isa->bits)
            snprintf(bits, sizeof bits, "%u bit", isa->bits);
        const char *const state = i == isa_best() ? "runs here, the widest"
                                  : here          ? "runs here"
                                                  : "not here: ";
        print_line(11, "  %-8s %-8s %s%s%s", isa->name, bits, state, here ? "" : reason,
                   isa->built ? "" : "; this build has no kernels of its own for it");
        print_line(13, "           %s", isa->summary);
    }
    for (size_t i = 0; i < isa_addition_count(); i++) {
        const char *const name = isa_addition_name(i);
        if (matches(listing, name))
            print_line(4, "  +%-13s adds to %-7s %s", name, isa_addition_to(i)->name,
                       isa_addition_available(i) ? "runs here" : "not here");
    }
}

/* ---- events ---- */

static void print_event(const char *name, const char *description, void *context)
{
    struct listing *const listing = context;
    listing->shown++;
    print_line(4, "  %s", name);
    if (description && description[0])
        print_line(6, "      %s", description);
}

static void list_events(struct listing *listing)
{
    listing->status = event_each(listing->pattern, print_event, listing, listing->error);
}

/* ---- groups ---- */

static void list_groups(struct listing *listing)
{
    listing->shown += groups_print(listing->uarch, listing->pattern);
}

/* ---- modules ---- */

static void print_module(const char *name, const char *path, void *context)
{
    if (matches(context, name))
        print_line(19, "  %-16s %s", name, path);
}

static void list_modules(struct listing *listing)
{
    module_each(print_module, listing);
    if (!listing->shown && !listing->pattern)
        print_line(4, "  none; name folders with modules in SIMDBENCH_MODULES");
}

/* ---- studies ---- */

static void print_study(const char *name, const char *title, void *context)
{
    if (matches(context, name))
        print_line(19, "  %-16s %s", name, title ? title : "");
}

static void list_studies(struct listing *listing)
{
    studies_each(print_study, listing);
}

/* ---- settings ---- */

static void list_settings(struct listing *listing)
{
    listing->shown += settings_print(listing->options, listing->pattern);
}

/* ---- topics ---- */

struct topic {
    const char *name;
    const char *title;
    bool needs_catalog;
    void (*list)(struct listing *listing);
};

static const struct topic topics[] = {
    {"ops", "Ops", true, list_ops},
    {"kernels", "Kernels: id, what limits it, whether it runs here", true, list_kernels},
    {"isas", "Instruction sets", false, list_isas},
    {"modules", "Modules that --baseline finds by name", false, list_modules},
    {"shapes", "Lists of shapes for --shapes", true, list_shapes},
    {"events", "Events for --events", false, list_events},
    {"roofs", "Roofs: what limits a kernel, for the field `roof` of a plug-in", false,
     list_roofs},
    {"groups", "Groups for --counters", false, list_groups},
    {"studies", "Studies of reports", false, list_studies},
    {"settings", "Settings and where they come from", false, list_settings},
};
enum { LONG_TOPICS = 6 }; /* the last ones are listed only by name */

void list_topics(struct text_list *names)
{
    for (size_t i = 0; i < ARRAY_LEN(topics); i++)
        text_list_add(names, topics[i].name);
}

static int find_topic(const char *name, struct error *error)
{
    FREED_BY(text_list_free) struct text_list names = {0};
    char hint[120];
    list_topics(&names);
    size_t found = 0;
    while (found < names.n && strcmp(topics[found].name, name) != 0)
        found++;
    text_list_hint(&names, name, hint, sizeof hint);
    if (found < ARRAY_LEN(topics))
        return (int)found;
    if (op_find(name))
        return invalid(error, "no topic '%s'; write simdbench list kernels %s", name,
                       name);
    if (!strcmp(name, "baselines") || !strcmp(name, "libraries"))
        return invalid(error, "no topic '%s'; write simdbench list modules", name);
    return invalid(error,
                   "no topic '%.60s'%s (there are ops, kernels, isas, modules, shapes, "
                   "events, roofs, groups, studies, settings)",
                   name, hint);
}

static int list_topic(const struct topic *topic, const struct options *options,
                      const struct catalog *catalog, struct error *error)
{
    struct listing listing = {
        .catalog = catalog,
        .pattern = options->files.n > 1 ? options->files.item[1] : NULL,
        .options = options,
        .uarch = options->uarch,
        .error = error,
    };
    topic->list(&listing);
    if (listing.status == 0 && listing.pattern && !listing.shown)
        return error_set(error, -ENOENT,
                         "no %s match '%.80s'; simdbench list %s shows all", topic->name,
                         listing.pattern, topic->name);
    return listing.status;
}

static int list_all(const struct options *options, const struct catalog *catalog,
                    struct error *error)
{
    int rc = 0;
    for (size_t i = 0; i < ARRAY_LEN(topics) - LONG_TOPICS && rc == 0; i++) {
        if (i)
            print_line(0, "%s", "");
        print_line(4, "%s", topics[i].title);
        rc = list_topic(&topics[i], options, catalog, error);
    }
    print_line(0, "%s", "");
    print_line(4, "More is listed by: simdbench list "
                  "shapes|events|roofs|groups|studies|settings [PATTERN]");
    print_line(4, "Next: `simdbench gemm --sizes=64..512`, or `simdbench call LIB.so` "
                  "for a library of yours");
    return rc;
}

int command_list(struct options *options)
{
    FREED_BY(catalog_free) struct catalog catalog = {.memory_fd = -1};
    struct error error = {0};
    const bool all = !options->files.n;
    const int topic = all ? 0 : find_topic(options->files.item[0], &error);
    int rc = topic < 0 ? topic : 0;

    if (rc == 0 && topics[topic].needs_catalog)
        rc = catalog_make(&options->request, &options->how, &catalog, &error);
    if (rc == 0)
        rc = all ? list_all(options, &catalog, &error)
                 : list_topic(&topics[topic], options, &catalog, &error);
    if (rc != 0)
        complain("%s", error.text);
    return rc ? EXIT_USAGE : EXIT_OK;
}
