/* SPDX-License-Identifier: Apache-2.0 */
/* The files of functions: shared objects, archives and object files; the names there, and
 * the instruction sets that they contain (library.c, library_find.c, library_isa.c, ...,
 * place.c). */
#pragma once

#include <stddef.h>

#include "declare.h"
#include "error.h"

enum function_binding {
    FUNCTION_EXPORTED,
    FUNCTION_HIDDEN,
    FUNCTION_LOCAL,
    FUNCTION_ELSEWHERE /* in another file: this file has a stub that jumps to it, and
                          the whole program uses the address of the stub */
};
struct library_function {
    char *name;      /* the symbol */
    char *demangled; /* "mix(float*, int)"; NULL: no C++ or Rust, or nothing here can tell
                      */
    uint64_t address; /* relative to where the library is loaded */
    uint64_t bytes;   /* of code; 0: unknown */
    enum function_binding binding;
    bool is_data; /* a variable, that place_resolve() may take as a table of functions */
    bool is_chosen; /* STT_GNU_IFUNC: a resolver chooses among functions at load */
    char isa[64];   /* of its own instructions, not of functions that it calls: "scalar",
                       "sse2+ssse3", "avx2", "avx512+vnni"; empty: unknown */
    bool stays;     /* its code was seen, and neither calls nor jumps to any other */
};
struct library {
    char *path;
    struct library_function
        *function; /* by name; of equal names the exported one first */
    size_t n;
    bool is_object;   /* an object file, which must be linked: addresses are of no use */
    bool is_stripped; /* no .symtab: what it does not export has no name */
};
/* Functions and variables of a shared object, a program or an object file, exported ones
 * from .dynsym, the others from .symtab while it is there. Data of the file are never
 * trusted. -ENOEXEC: no such file for this machine. */
int library_read(const char *path, struct library *library, struct error *error);
void library_close(struct library *library);
/* Sets `isa` of each function, or of one of them alone, to the instruction set that it
 * contains, and `stays`; needs Zydis, else nothing is known. */
int library_decode(struct library *library, const struct library_function *one,
                   struct error *error);

/* The same of single instructions, such as executed; {0} has seen none. */
enum { ISA_SETS = 64 };
struct isa_seen {
    bool has[ISA_SETS];
};
/* `code` begins with the instruction. */
void isa_see(struct isa_seen *seen, const unsigned char *code, size_t n);
void isa_tell(const struct isa_seen *seen, char *isa, size_t size);

/* The name in the source, without arguments: "audio::mix" of "_ZN5audio3mixEPf"; free()
 * it. NULL: no C++ or Rust, or nothing here can tell. */
char *symbol_written(const char *symbol);
/* By its symbol, or by its demangled name with or without arguments. Exported ones come
 * first. -ENOENT: the error has near matches; -EEXIST: the name fits several. */
int library_find(const struct library *library, const char *name,
                 const struct library_function **function, struct error *error);

/* Functions that look like one op: mix_c, mix_sse2, mix_avx2. */
struct family {
    char name[DECLARED_NAME]; /* "mix" */
    const struct library_function **member;
    size_t n; /* 2 or more */
};
/* -ENOMEM. */
int library_families(const struct library *library, struct family **family, size_t *n);
void families_free(struct family *family, size_t n);
/* The instruction set that a name tells; NULL: none. */
const char *name_isa(const char *name);

/* The way to a function: "mix_avx2" is itself, "choose()" and "choose(1, 0)" return it,
 * "table[3]" holds it, "context(0)[3]" returns the address of words of which one holds
 * it, "init(&)[3]" writes it to memory that it is given. A further index is one of what
 * the word points to. "choose()" and "choose(0)" are the same call. */
enum { PLACE_GIVEN = 6, PLACE_INDEXES = 4, PLACE_MEMORY = 64 << 10 };
struct place {
    enum place_kind { PLACE_SYMBOL, PLACE_RESOLVER, PLACE_TABLE } kind;
    char text[DECLARED_TEXT], name[DECLARED_TEXT];
    uint32_t n_index, index[PLACE_INDEXES];
    uint32_t n_given;
    struct place_given {
        enum { GIVEN_NUMBER, GIVEN_MEMORY, GIVEN_TEXT } kind;
        int64_t number;
        char text[DECLARED_NAME];
    } given[PLACE_GIVEN];
};
int place_parse(const char *text, struct place *place, struct error *error);
/* Splits "./libmix.so:mix_avx2" at the colon behind the file's name; a C++ name may have
 * colons. `place` is empty if there is none. */
int place_split(const char *text, char *library, size_t size, const char **place,
                struct error *error);
/* Length of the library's name in "libz.so.1:crc32" or "./libmix.so:mix_c"; 0: the text
 * is a place alone. */
size_t place_library(const char *text);
/* The address of a function or a variable in a process that has opened the library
 * (handle of dlopen()). -ENOENT with near matches. */
int symbol_address(void *handle, const struct library *library, const char *name,
                   void **address, struct error *error);
/* The same of a place; resolvers are called. -ENXIO: a resolver or a table gives NULL. */
int place_resolve(void *handle, const struct library *library, const struct place *place,
                  void **address, struct error *error);

/* Path of a library that is named without a slash ("libz.so.1"), as the loader would find
 * it by the usual folders; a path is left as it is. -ENOENT. */
int library_where(const char *name, char *path, size_t size, struct error *error);
/* True for a name that ends in .a or .o. */
bool library_must_link(const char *path);
/* Links an archive or an object file into a temporary shared object with $CC or cc.
 * `command` is what was run, to be shown. Both texts are to be freed; the file is to be
 * removed with unlink(). -ENOEXEC: the linker's first complaint. */
int library_link(const char *path, char **linked, char **command, struct error *error);
/* True of the path of such a file. */
bool library_is_linked(const char *path);
/* `error` names a symbol of such a file that the loader did not find. Adds the remedy:
 * libraries in $LDLIBS, which are linked behind the file. */
void library_explain_load(struct error *error);
