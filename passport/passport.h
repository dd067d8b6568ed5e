/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an instruction form costs on this core: cycles of one among many that do not wait
 * for each other, and cycles from each operand that it reads to each one that it writes.
 * A form is a mnemonic with the kinds of its operands, such as "vaddps zmm, zmm, m512".
 *
 * In order: passport_form() or passport_forms() make forms, passport_measure() fills a
 * passport for each. Without Zydis there are no forms, and all functions fail with
 * -ENOTSUP.
 */
#pragma once

#include <stddef.h>

#include "error.h"

enum { PASSPORT_NAME = 96, PASSPORT_CODE = 15, PASSPORT_LINKS = 24, PASSPORT_LABEL = 16 };

struct passport_form {
    char name[PASSPORT_NAME];
    const char *isa; /* the set that has it, "AVX512F_512"; static */
    unsigned level;  /* 0: general registers; 128, 256 (VEX), 512 (EVEX and masks) */
    unsigned char code[PASSPORT_CODE]; /* one instruction of that form, */
    uint8_t length;                    /* of so many bytes */
};

/* Cycles from an operand to another one: while few instructions wait, and while so many
 * wait that the scheduler is full. Operands are counted from 0 as Zydis lists them,
 * hidden ones too; the mask k0 is not counted. `address`: from the registers that make
 * the address of operand `from`. */
struct passport_link {
    uint8_t from, to;
    bool address;
    float cycles, full;
};

/* Units of which many cores have only one. Cores differ in the other instructions that
 * such a unit executes. */
enum passport_unit {
    PASSPORT_PRODUCTS = 1, /* of integers */
    PASSPORT_PERMUTES = 2, /* of vectors, across lanes */
    PASSPORT_MASKS = 4,    /* from masks to general registers */
    PASSPORT_UNITS = 3     /* so many */
};

struct passport {
    bool known;
    char reason[96];   /* reason why it is not */
    double throughput; /* cycles */
    unsigned units;    /* the units that it uses: it does not run beside another
                          instruction of the unit, but before or after it */
    double steps; /* bitwise operations of vectors whose places it takes; at least 1 */
    struct passport_link link[PASSPORT_LINKS];
    size_t n_links;
};

/* The form of the instruction at `code`; -EINVAL: it is none. */
int passport_form(const unsigned char *code, size_t n, struct passport_form *form);
/* All forms, sorted by name, but for those of x87, MMX, 3DNow!, XOP, MVEX and AMX. The
 * list is the caller's to free. */
int passport_forms(struct passport_form **forms, size_t *n);
/* Names both ends of a link: "op2", "op3 address", "rax", "flags". */
void passport_label(const struct passport_form *form, const struct passport_link *link,
                    char from[PASSPORT_LABEL], char to[PASSPORT_LABEL]);

/* For tests: all that would be measured takes so many cycles. */
void passport_make_up(const struct passport_form *form, double cycles,
                      struct passport *passport);

/* Measures forms one after the other in child processes on the CPU of this process. A
 * form that cannot be measured has a reason, and costs no other one anything. `done` is
 * told how many forms there are; true ends the work with -EINTR. It may be NULL. */
typedef bool passport_done(void *context, size_t n);
int passport_measure(const struct passport_form *forms, size_t n,
                     struct passport *passports, passport_done *done, void *context,
                     struct error *error);
