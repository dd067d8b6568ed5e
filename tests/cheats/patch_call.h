/* SPDX-License-Identifier: Apache-2.0 */
/* Other functions for the program that loaded this library, such as a clock. The file
 * that includes it defines _GNU_SOURCE. */
#pragma once

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

struct patch {
    const char *name;
    void *function;
};

/* Callback of dl_iterate_phdr(): the program that loaded this library calls the function
 * of a `struct patch` in place of that of its name. */
static int patch_call(struct dl_phdr_info *info, size_t size, void *context)
{
    const struct patch *const patch = context;
    const Elf64_Dyn *dynamic = NULL;
    const char *names = NULL;
    const Elf64_Sym *symbols = NULL;
    const Elf64_Rela *tables[2] = {NULL, NULL};
    size_t bytes[2] = {0, 0};
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        const void *const at = (const void *)dynamic->d_un.d_ptr;
        switch (dynamic->d_tag) {
        case DT_STRTAB:
            names = at;
            break;
        case DT_SYMTAB:
            symbols = at;
            break;
        case DT_JMPREL:
            tables[0] = at;
            break;
        case DT_PLTRELSZ:
            bytes[0] = dynamic->d_un.d_val;
            break;
        case DT_RELA:
            tables[1] = at;
            break;
        case DT_RELASZ:
            bytes[1] = dynamic->d_un.d_val;
            break;
        default:
            break;
        }
    }
    for (int t = 0; t < 2 && names && symbols; t++)
        for (size_t i = 0; tables[t] && i < bytes[t] / sizeof *tables[t]; i++) {
            const Elf64_Rela *const entry = &tables[t][i];
            const char *const name = names + symbols[ELF64_R_SYM(entry->r_info)].st_name;
            const uintptr_t at = info->dlpi_addr + entry->r_offset;
            if (strcmp(name, patch->name) != 0)
                continue;
            mprotect((void *)(at & ~(uintptr_t)4095), 4096, PROT_READ | PROT_WRITE);
            *(uintptr_t *)at = (uintptr_t)patch->function;
        }
    return 1; /* the program comes first */
}
