/* SPDX-License-Identifier: Apache-2.0 */
/* Files of our own, in a folder that is removed at the end. */
#pragma once

#include <stddef.h>

#include "error.h"

/* Makes a folder in $TMPDIR or /tmp, and writes its path and a descriptor that locks it,
 * or -errno where that cannot be. Removes the folders of processes that are gone. */
int private_folder(char *folder, size_t size, int *lock, struct error *error);
/* Copies a file, with its name and mode, into a folder `name` of that folder; writes the
 * copy's path. With `siblings` it finds beside itself what the original does, for files
 * whose run path says $ORIGIN. */
int private_copy(const char *folder, const char *name, const char *path, bool siblings,
                 char *copy, size_t size, struct error *error);
/* Removes a folder with all files, then gives its lock back; an empty text: no folder. */
void private_remove(const char *folder, int lock);
