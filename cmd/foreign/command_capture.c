/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench capture --function=GLOB -- COMMAND`: what a program asks of a function. */
#include "foreign_private.h"
#include "output/output.h"

static int write_as(const void *context, enum format format, FILE *file,
                    struct error *error)
{
    const struct foreign *const foreign = context;
    if (format == FORMAT_JSON)
        return capture_write_json(foreign, file, error);
    capture_write(foreign, file);
    return 0;
}

/* Operands first: a declaration that is there has them. */
static int save(const struct foreign *foreign, struct error *error)
{
    const struct options *const options = foreign->options;
    const struct target *const target = capture_main(foreign);
    int status = 0;
    if (!options->call.save || !target)
        return 0;
    if (capture_kept(target)) {
        FREED_BY(free_memory) char *path = capture_calls_file(options->call.save);
        status = file_save(path, capture_write_calls, target, error);
    }
    return status ?: file_save(options->call.save, capture_declare, foreign, error);
}

static int write_all(const struct foreign *foreign, struct error *error)
{
    const struct options *const options = foreign->options;
    const int status =
        document_save(options, write_as, foreign, error) ?: save(foreign, error);
    return status || (options->quiet && options->format != FORMAT_JSON)
               ? status
               : write_as(foreign, options->format, foreign_stream(foreign), error);
}

static int read_prototype(const struct options *options, struct declaration *declaration,
                          struct error *error)
{
    if (options->prove.replay && !options->call.save)
        return invalid(error, "--replay keeps operands beside a declaration: "
                              "--save=FILE.json has to say where");
    if (options->prove.prototype)
        return declaration_parse(options->prove.prototype, declaration, error);
    return options->call.save
               ? invalid(error, "--save writes a declaration: --prototype='C PROTOTYPE' "
                                "has to say what its arguments are (docs/prototypes.md)")
               : 0;
}

int command_capture(struct options *options)
{
    const int apart = foreign_apart(options);
    if (apart >= 0)
        return apart;
    static struct declaration declaration; /* it is large */
    struct error error = {.text = ""};
    struct foreign foreign = {.options = options, .status = -1, .capturing = true};
    if (options->prove.prototype)
        foreign.declaration = &declaration;
    int status = read_prototype(options, &declaration, &error)
                     ?: foreign_read(&foreign, &error)
                     ?: foreign_run(&foreign, &error)
                     ?: targets_check(&foreign, &error)
                     ?: write_all(&foreign, &error);
    if (status == 0)
        status = capture_main(&foreign) ? foreign_status(&foreign) : EXIT_NOTHING;
    foreign_free(&foreign);
    return exit_status_of(status, &error);
}
