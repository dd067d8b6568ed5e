/* SPDX-License-Identifier: Apache-2.0 */
/* Inside leaf declare: names of functions. */
#pragma once

#include "elf_image.h"
#include "library_files.h"

/* The name that C++ or Rust has for a symbol; free() it. NULL: none. */
char *name_demangle(const char *symbol);
/* Length of a demangled name without the arguments. */
size_t name_length(const char *demangled);
