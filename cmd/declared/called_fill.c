/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of declared functions: the values of an array, by the name of a distribution. */
#include "called_private.h"

#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RUN_LENGTH = 16 };

enum input_kind {
    INPUT_NONE,
    INPUT_ANY, /* integers: all bits */
    INPUT_NORMAL,
    INPUT_UNIFORM,
    INPUT_SORTED,
    INPUT_INDICES,
    INPUT_RUNS,
    INPUT_EDGES,
    INPUT_CONSTANT,
    INPUT_TEXT,
    INPUT_FILE,
    INPUT_VALUES
};

/* One that was read. */
struct input {
    enum input_kind kind;
    bool ranged; /* lo and hi were given */
    double lo, hi;
    struct input_value constant;
    const char *path;
    const char *values; /* with commas */
};

static bool read_bound(const struct declaration *declaration, const char *text,
                       size_t length, const int64_t *dimension, double *number)
{
    struct input_value value;
    const bool read = value_read(declaration, text, length, dimension, &value);
    *number = value.number;
    return read && isfinite(value.number);
}

/* Behind the colon of "uniform:LO..HI". Without dimensions it is only looked whether it
 * can be read. */
static bool read_range(const struct declaration *declaration, const char *text,
                       const int64_t *dimension, struct input *input)
{
    const char *const dots = strstr(text, "..");
    input->ranged = true;
    return dots &&
           read_bound(declaration, text, (size_t)(dots - text), dimension, &input->lo) &&
           read_bound(declaration, dots + 2, strlen(dots + 2), dimension, &input->hi) &&
           (!dimension || input->lo <= input->hi);
}

static int input_read(const struct declaration *declaration, const char *text,
                      const int64_t *dimension, struct input *input)
{
    static const struct {
        const char *name;
        enum input_kind kind;
        bool may_range, must_range;
    } kinds[] = {
        {"normal", INPUT_NORMAL, false, false}, {"uniform", INPUT_UNIFORM, true, false},
        {"sorted", INPUT_SORTED, true, false},  {"indices", INPUT_INDICES, true, true},
        {"runs", INPUT_RUNS, true, false},      {"zero", INPUT_CONSTANT, false, false},
        {"text", INPUT_TEXT, false, false},     {"default", INPUT_NONE, false, false},
        {"edges", INPUT_EDGES, false, false},
    };
    const size_t length = strcspn(text, ":");
    *input = (struct input){.kind = INPUT_NONE};
    if (!strncmp(text, "file:", 5) && text[5]) {
        *input = (struct input){.kind = INPUT_FILE, .path = text + 5};
        return 0;
    }
    if (!strncmp(text, VALUES_INPUT, strlen(VALUES_INPUT))) {
        struct input_value value[VALUES_MAX];
        *input =
            (struct input){.kind = INPUT_VALUES, .values = text + strlen(VALUES_INPUT)};
        return values_read(declaration, input->values, dimension, value) < 0 ? -EINVAL
                                                                             : 0;
    }
    if (!strncmp(text, "constant:", 9)) {
        input->kind = INPUT_CONSTANT;
        return value_read(declaration, text + 9, strlen(text + 9), dimension,
                          &input->constant)
                   ? 0
                   : -EINVAL;
    }
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (strlen(kinds[i].name) != length || memcmp(kinds[i].name, text, length) != 0)
            continue;
        input->kind = kinds[i].kind;
        if (!text[length])
            return kinds[i].must_range ? -EINVAL : 0;
        return kinds[i].may_range &&
                       read_range(declaration, text + length + 1, dimension, input)
                   ? 0
                   : -EINVAL;
    }
    return -EINVAL;
}

int input_check(const struct declaration *declaration, const char *text,
                struct error *error)
{
    struct input input;
    return input_read(declaration, text, NULL, &input) == 0
               ? 0
               : invalid(error, "'%.100s' is no input; known are %s", text,
                         DECLARED_INPUTS);
}

static bool begins(const char *text, const char *const *list)
{
    while (*list && strncmp(text, *list, strlen(*list)) != 0)
        list++;
    return *list;
}

bool input_is_joint(const char *text)
{
    static const char *const joint[] = {"text", VALUES_INPUT, NULL};
    return input_is_ordered(text) || begins(text, joint);
}

bool input_has_form(const char *text)
{
    static const char *const form[] = {"text", "file:", NULL};
    return begins(text, form);
}

/* ---- values ---- */

static double draw_between(const struct input *input, bool whole, uint64_t *random)
{
    const double share = (double)(random_next(random) >> 11) * 0x1p-53;
    if (whole)
        return fmin(input->hi, input->lo + floor(share * (input->hi - input->lo + 1)));
    return input->lo * (1 - share) + input->hi * share;
}

static int fill_sorted(const struct simdbench_operand *operand, const struct input *input,
                       uint64_t random)
{
    const bool whole = type_kind(operand->type) != TYPE_FLOAT;
    FREED_BY(free_memory) double *values = malloc((operand->count + 1) * sizeof *values);
    if (!values)
        return -ENOMEM;
    for (uint64_t e = 0; e < operand->count; e++)
        values[e] = draw_between(input, whole, &random);
    qsort(values, operand->count, sizeof *values, by_double);
    for (uint64_t e = 0; e < operand->count; e++)
        operand_set(operand, e, values[e]);
    return 0;
}

/* Words of lower-case letters, and a zero in the end. */
static void fill_text(const struct simdbench_operand *operand, uint64_t random)
{
    for (uint64_t e = 0; e < operand->count; e++) {
        const uint64_t draw = random_next(&random) % 32;
        operand_set(operand, e, draw < 26 ? (double)('a' + draw) : ' ');
    }
    if (operand->count)
        operand_set(operand, operand->count - 1, 0);
}

static void fill_bits(const struct simdbench_operand *operand, uint64_t random)
{
    const size_t bytes = operand_bytes(operand);
    for (size_t at = 0; at < bytes; at += sizeof random) {
        const uint64_t draw = random_next(&random);
        memcpy((char *)operand->data + at, &draw,
               bytes - at < sizeof draw ? bytes - at : sizeof draw);
    }
}

/* The file's bytes, again and again. A relative name begins in the folder of `beside`. */
static int fill_file(const char *beside, const struct simdbench_operand *operand,
                     const char *name)
{
    const size_t bytes = operand_bytes(operand);
    const char *const slash = strrchr(beside, '/');
    char path[8192];
    struct stat facts;
    snprintf(path, sizeof path, "%.*s%s",
             name[0] != '/' && slash ? (int)(slash + 1 - beside) : 0, beside, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool good =
        fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0;
    const size_t size = good ? (size_t)facts.st_size : 0;
    void *const from =
        good ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    if (from == MAP_FAILED)
        return -ENOENT;
    for (size_t at = 0; at < bytes; at += size)
        memcpy((char *)operand->data + at, from, bytes - at < size ? bytes - at : size);
    munmap(from, size);
    return 0;
}

/* Half of them are values that code forgets. */
static double draw_edge(uint32_t type, const struct input *input, uint64_t *random)
{
    const bool real = type_kind(type) == TYPE_FLOAT;
    const double least = type_ulp(type, 0), normal = ldexp(least, (int)type_digits(type));
    const double of_reals[] = {NAN,  INFINITY, -INFINITY,      0,
                               -0.0, least,    normal - least, 1};
    const double of_integers[] = {
        input->lo, input->lo + 1, input->hi - 1, input->hi, 0, 1, 2, 7};
    const uint64_t i = random_next(random) % (2 * ARRAY_LEN(of_reals));
    if (i < ARRAY_LEN(of_reals))
        return real ? of_reals[i] : of_integers[i];
    return real ? normal_next(random) : draw_between(input, true, random);
}

static double draw(uint32_t type, const struct input *input, uint64_t *random)
{
    const bool whole = type_kind(type) != TYPE_FLOAT;
    switch (input->kind) {
    case INPUT_EDGES:
        return draw_edge(type, input, random);
    case INPUT_NORMAL:
        return whole ? round(16 * normal_next(random)) : normal_next(random);
    case INPUT_INDICES:
        return fmax(input->lo, fmin(draw_between(input, true, random), input->hi - 1));
    default:
        return draw_between(input, whole, random);
    }
}

static void fill_drawn(const struct simdbench_operand *operand, const struct input *input,
                       uint64_t random)
{
    double value = 0;
    uint64_t left = 0;
    for (uint64_t e = 0; e < operand->count; e++) {
        if (input->kind != INPUT_RUNS || left == 0) {
            value = draw(operand->type, input, &random);
            left = 1 + random_next(&random) % (2 * RUN_LENGTH - 1);
        }
        left -= input->kind == INPUT_RUNS;
        operand_set(operand, e, value);
    }
}

/* The range of a type, or -1 to 1. */
static void set_range(uint32_t type, struct input *input)
{
    const int bits = (int)type_bytes(type) * 8;
    if (input->ranged)
        return;
    input->lo = -1;
    input->hi = 1;
    if (type_kind(type) == TYPE_UNSIGNED || type_kind(type) == TYPE_SIGNED) {
        const bool negative = type_kind(type) == TYPE_SIGNED;
        input->lo = negative ? -ldexp(1, bits - 1) : 0;
        input->hi = ldexp(1, negative ? bits - 1 : bits) - 1;
    }
}

static int fill_operand(const struct declared_slot *slot,
                        const struct simdbench_operands *operands,
                        const struct simdbench_operand *operand, const char *own,
                        const char *asked, uint64_t random)
{
    struct input input = {.kind = INPUT_NONE};
    const char *const text = own ?: asked;
    if (text &&
        input_read(&slot->from->declaration, text, operands->shape->dim, &input) < 0)
        return -EINVAL;
    const bool real = type_kind(operand->type) == TYPE_FLOAT;
    if (input.kind == INPUT_NONE)
        input.kind = real ? INPUT_NORMAL : INPUT_ANY;
    if (input.kind == INPUT_UNIFORM && !real && !input.ranged)
        input.kind = INPUT_ANY;
    set_range(operand->type, &input);
    switch (input.kind) {
    case INPUT_ANY:
        fill_bits(operand, random);
        return 0;
    case INPUT_TEXT:
        fill_text(operand, random);
        return 0;
    case INPUT_SORTED:
        return fill_sorted(operand, &input, random);
    case INPUT_FILE:
        return fill_file(own ? slot->declared->path : "", operand, input.path);
    case INPUT_VALUES:
        values_fill(slot, operands->shape->dim, operand, input.values);
        return 0;
    case INPUT_CONSTANT:
        for (uint64_t e = 0; e < operand->count; e++)
            value_set(operand, e, &input.constant);
        return 0;
    default:
        fill_drawn(operand, &input, random);
        return 0;
    }
}

/* The declaration's word on an argument. */
static const char *input_of(const struct declared_slot *slot, int argument)
{
    const char *const name = slot->from->declaration.argument[argument].name;
    for (size_t i = 0; i < slot->from->n_inputs; i++)
        if (!strcmp(slot->from->input[i].name, name))
            return slot->from->input[i].text;
    return NULL;
}

/* Functions that cannot run are the slot's trouble. */
static int run_fillers(struct declared_slot *slot,
                       const struct simdbench_operands *operands, uint64_t seed)
{
    struct error error = {.text = ""};
    const int status = slot_run_fillers(slot, operands, seed, &error);
    snprintf(slot->trouble, sizeof slot->trouble, "%.250s", error.text);
    return status;
}

/* Bytes at random are no structure with a bool, and those of a program none with a
 * pointer. */
static int check_structure(struct declared_slot *slot,
                           const struct declared_argument *argument, const char *input)
{
    static const char *const filled[] = {"zero", VALUES_INPUT, NULL};
    const bool of_program =
        input ? !strncmp(input, "file:", 5) : slot->calls.n && slot->from->calls;
    if ((!argument->has_pointer && (!argument->has_bool || of_program)) ||
        argument->n_steps || (input && begins(input, filled)))
        return 0;
    snprintf(
        slot->trouble, sizeof slot->trouble,
        "%.40s: a %s is in its structure, which bytes %s are not; write * and = {values "
        "of its members}, * and = from f(...), [1] then f(...), [1] = {0}%s, or out "
        "before its type",
        argument->name, argument->has_pointer ? "pointer" : "bool",
        of_program ? "of a file" : "at random",
        argument->has_pointer ? "" : ", --input=NAME=file:PATH");
    return -EINVAL;
}

int slot_fill(struct declared_slot *slot, const struct simdbench_operands *operands,
              uint64_t seed, const char *input)
{
    struct error error;
    slot->trouble[0] = '\0';
    if (input && input_check(&slot->from->declaration, input, &error) < 0)
        return -EINVAL;
    struct declared_sizes sizes;
    int status = slot_measure(slot, operands->shape, &sizes, &error);
    for (uint32_t i = 0; i < operands->count && status == 0; i++) {
        const int argument = slot->operand[i].argument;
        uint64_t random = random_next(&seed);
        if (operands->operand[i]->role != SIMDBENCH_IN)
            continue;
        const char *const own = input_of(slot, argument);
        status = check_structure(slot, &slot->from->declaration.argument[argument],
                                 own ?: input);
        if (status < 0 ||
            (!input && !own &&
             slot_fill_kept(slot, operands->shape->dim, argument, operands->operand[i])))
            continue;
        struct simdbench_operand plane = *operands->operand[i];
        plane.count = sizes.plane[argument];
        for (uint64_t p = 0; p < sizes.planes[argument] && status == 0; p++) {
            status = fill_operand(slot, operands, &plane, own, input, random);
            plane.data =
                (char *)plane.data + sizes.stride[argument] * type_bytes(plane.type);
            random = random_next(&random);
        }
    }
    return status == 0 && slot_has_fillers(slot) ? run_fillers(slot, operands, seed)
                                                 : status;
}
