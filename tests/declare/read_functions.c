/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file of declarations from standard input: exit status 1 and a message if it is
 * refused. */
#include "declare.h"

int main(void)
{
    static char bytes[DECLARED_SIZE_MAX + 1];
    struct declared_file file;
    struct error error = {.text = ""};
    const size_t size = fread(bytes, 1, sizeof bytes, stdin);
    if (declared_read("stdin", bytes, size, &file, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    declared_free(&file);
    return 0;
}
