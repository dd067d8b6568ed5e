/* SPDX-License-Identifier: Apache-2.0 */
#include "figure.h"

#include "export.h"

enum { WIDTH = 480, HEIGHT = 380 };

void figure_quoted(struct figure *figure, const char *text)
{
    buffer_clear(&figure->scratch);
    buffer_plain(&figure->scratch, text);
    fputc('\'', figure->file);
    for (const char *c = buffer_text(&figure->scratch); *c; c++) {
        fputc(*c, figure->file);
        if (*c == '\'')
            fputc('\'', figure->file);
    }
    fputc('\'', figure->file);
}

/* Okabe and Ito, "Color Universal Design", without yellow, which is faint on white. */
const char *figure_colour(size_t series)
{
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                          "#e69f00", "#56b4e9", "#000000"};
    return colours[series % ARRAY_LEN(colours)];
}

void figure_panels(struct figure *figure, size_t panels)
{
    const size_t columns = panels > 1 ? 2 : 1, rows = (panels + 1) / 2;

    fprintf(figure->file,
            "set terminal svg size %zu,%zu noenhanced font 'Helvetica,12' background "
            "'#ffffff'\n"
            "set encoding utf8\n"
            "set border 3 lc rgb '#555555'\n"
            "set tics nomirror\n"
            "set grid lc rgb '#dddddd' lw 0.5 lt 1\n"
            "set multiplot layout %zu,%zu\n",
            (columns > 1 ? columns * WIDTH : WIDTH * 3 / 2), rows * HEIGHT, rows,
            columns);
}

void gnuplot_write(const struct run *run, FILE *file)
{
    struct figure figure = {.run = run, .file = file};

    if (figure_has_roofs(run))
        figure_roofline(&figure);
    else
        figure_speed(&figure);
    fprintf(file, "unset multiplot\n");
    buffer_free(&figure.scratch);
}
