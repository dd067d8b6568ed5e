/* SPDX-License-Identifier: Apache-2.0 */
/* GitHub drops a summary of more than 1 MiB whole. */
#include "sheet.h"

enum { MARKDOWN_MAX = 1000 * 1000 };

void markdown_write(const struct run *run, const struct text_options *options, FILE *file)
{
    char *text = NULL;
    size_t size = 0, lines = 0;
    FILE *const memory = must_have(open_memstream(&text, &size));

    markdown_print(run, options, memory);
    must(ferror(memory) | fclose(memory) ? -ENOMEM : 0);
    size_t kept = size;
    while (kept > MARKDOWN_MAX || (kept < size && text[kept - 1] != '\n'))
        lines += text[--kept] == '\n';
    fwrite(text, 1, kept, file);
    if (kept < size)
        fprintf(file,
                "\n**Cut here: %zu more lines would make this longer than the 1 MiB that "
                "GitHub shows; other formats have them all.**\n",
                lines);
    free(text);
}
