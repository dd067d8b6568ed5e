/* SPDX-License-Identifier: Apache-2.0 */
/* Private to room commands: what `simdbench call LIB` lists (call_list.c). */
#pragma once

/* Functions of a library, those whose names match (NULL: all); the exit status. */
int call_list(const char *library, const char *pattern);
