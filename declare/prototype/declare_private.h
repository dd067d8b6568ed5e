/* SPDX-License-Identifier: Apache-2.0 */
/* Inside leaf declare: a prototype as tokens, and a reader that goes through them. */
#pragma once

#include "declare.h"

/* True of the name of an argument or a dimension (declaration.c). */
bool declaration_knows(const struct declaration *declaration, const char *name);

/* ---- declare_lexer.c ---- */

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_INTEGER,
    TOKEN_REAL,
    TOKEN_TEXT, /* with its quotes */
    TOKEN_SIGN  /* one character, or "..." */
};
struct token {
    enum token_kind kind;
    const char *at;
    size_t n;
    int64_t integer;
    double number;
    bool single; /* REAL: written with f */
    bool moved;  /* an attribute before it says where members lie */
};
enum { SOURCE_MAX = 4096, TOKENS_MAX = 1024, TYPEDEFS_MAX = 32, VECTORS_PASSED = 8 };
/* A type as it stands before a name. */
struct specifier {
    enum ctype type;
    enum argument_role role; /* 0: not said */
    bool is_const, is_unknown, is_structure;
    bool moved; /* a macro or an attribute of the type may say where members lie */
    uint32_t
        each; /* such numbers of an element, of a pair or a structure; 0: it is one */
    unsigned pointers;
    unsigned named_pointers; /* those that the type's name stands for */
    bool reference;
    uint32_t vector;                 /* bytes of a register of such elements; 0: none */
    const struct token *word, *star; /* for messages */
    const struct structure *known;   /* its members stand there */
    const struct named_type
        *named; /* a name of an array that the type was written with */
    unsigned n_names;
};
/* Places of what is read when all names are known; 0: there is none. */
struct later {
    size_t extents, value, values, length, name, type;
    struct specifier specifier;
};
/* "typedef unsigned char uuid_t[16];" before the prototype: places of its words */
struct named_type {
    struct token word;
    size_t first, n;
    size_t extents, n_extents; /* [16] */
    bool moved;                /* as in a specifier */
};
/* Changes of the text that would let the reader go on from where it failed. */
struct mends {
    const struct library *makers; /* its functions make objects; NULL: none */
    bool due;                     /* the failure that they belong to comes next */
    unsigned n;
    struct mend {
        const char *at; /* in the text */
        size_t dropped;
        char text[3 * DECLARED_NAME];
    } mend[3]; /* in the order of places */
};
struct reader {
    const char *text;
    struct mends *mends;            /* NULL: nobody asks for them */
    struct token token[TOKENS_MAX]; /* the last one is END */
    size_t n, at;
    struct declaration *declaration;
    struct later later[DECLARED_MAX]; /* of each argument */
    size_t returned_content;          /* place of its length; 0: nobody says it */
    uint32_t values; /* a bit for each argument whose value is being read */
    struct named_type named[TYPEDEFS_MAX];
    size_t n_named;
    /* "struct state {...}" */
    struct structure {
        struct token word;
        struct token odd; /* the place from where nobody knows how members lie */
        enum ctype type;  /* of all members, or BYTES; VOID: it is not known */
        uint32_t each, align, bytes;
        bool has_bool, has_pointer;
        /* Numbers and pointers, those of arrays and structures inside too, as far as
         * there is room. */
        struct member {
            uint32_t offset;
            enum ctype type; /* POINTER, too */
        } member[MADE_MAX];
        uint32_t n_members;
    } structure[TYPEDEFS_MAX];
    size_t n_structures;
    struct error *error;
};
int reader_begin(struct reader *reader, const char *text, struct error *error);
const struct token *reader_token(const struct reader *reader);
const struct token *reader_next(struct reader *reader); /* the one that is left behind */
bool token_is(const struct token *token, const char *text);
/* The name of a constant of an enumeration, which has become a number. */
bool token_is_constant(const struct token *token);
/* Writes it as it stands, and a constant as a number; `behind`: the blank before it, too.
 * As snprintf(). */
size_t token_write(const struct token *token, bool behind, char *text, size_t size);
/* One of the words between which blanks stand. */
bool token_among(const struct token *token, const char *words);
/* Goes behind it if it is next. */
bool reader_take(struct reader *reader, const char *text);
int reader_expect(struct reader *reader, const char *text, const char *where);
/* Sets the error: the sentence, the source around the token, the caret. -EINVAL. */
__attribute__((format(printf, 3, 4))) int reader_fail(const struct reader *reader,
                                                      const struct token *token,
                                                      const char *format, ...);
/* The word, cut to fit; for messages without what could control a terminal. */
struct word {
    char text[DECLARED_NAME];
};
struct word token_word(const struct token *token);
int token_name(const struct reader *reader, const struct token *token,
               char name[DECLARED_NAME]);
/* Bytes of a text in quotes; -EINVAL if they do not fit. */
int token_text(const struct reader *reader, const struct token *token, char *text,
               size_t size, size_t *n);

/* ---- declare_expression.c ---- */

int expression_read(struct reader *reader, struct extent *extent);
/* The text behind a skipped value must be the same when the value is read. */
int value_end(const struct reader *reader);
/* The value of an INTEGER argument, wherever it stands. */
int expression_value(struct reader *reader, uint32_t i);
/* T *end = x + n, T *p = x, T *p = &x[k] */
bool place_is_next(const struct reader *reader, const struct specifier *specifier);
/* Before arguments are finished: the address of a number that begins with `x` is a place
 * in array x. */
void place_settle(struct reader *reader, uint32_t i);
int place_finish(struct reader *reader, uint32_t i);
/* So many times as much. */
int expression_times(struct reader *reader, struct extent *extent, uint32_t n);
/* Skips an expression, to read it later: it may use names that follow it. */
int expression_skip(struct reader *reader);
int number_read(struct reader *reader, double *number, bool *single);
/* = {w, 0, 0}: an input's values. They are read again by values_check(). */
int values_parse(struct reader *reader, struct declared_argument *argument,
                 struct later *later);
/* Reads "w, 0.5}" behind that place. */
int values_check(struct reader *reader, size_t at);
/* The name of the next integer without a value, which often counts the elements of the
 * arrays before it; "n" if there is none. */
struct word dimension_near(const struct token *token);
/* Goes behind "(const void *, size_t)", which are a function's own business. */
int parameters_skip(struct reader *reader);

/* ---- declare_type.c ---- */

int specifier_read(struct reader *reader, struct specifier *specifier);
/* Takes const, restrict and words that say nothing of a type; `is_const` becomes true of
 * the first of these. */
bool qualifier_take(struct reader *reader, bool *is_const);
/* The error of a type that nobody knows: it says what to write. */
int type_unknown(const struct reader *reader, const struct specifier *specifier);
/* A word that a type consists of, `const` and roles too. */
bool token_is_type(const struct reader *reader, const struct token *token);

/* ---- declare_words.c ---- */

/* The type that one word means; false: none, or a vector. */
bool word_type(const struct token *token, enum ctype *type);
/* True if the name stands for a pointer type, such as png_bytep. Writes that type to
 * `specifier`, unless it is NULL. */
bool pointer_type(const struct token *token, struct specifier *specifier);
/* An error if a known type has nearly that name, or 0. */
int type_misspelt(const struct reader *reader, const struct token *token);

/* ---- declare_typedef.c ---- */

/* All that stand before the prototype. */
int typedefs_read(struct reader *reader);
/* NULL: it is no such name. */
const struct named_type *typedef_find(const struct reader *reader,
                                      const struct token *token);
/* The structure of that name, whose members may be not known; or NULL. */
const struct structure *structure_find(const struct reader *reader,
                                       const struct token *token);
/* The error of one whose size nobody knows although its members stand there, or 0. */
int structure_unknown(const struct reader *reader, const struct specifier *specifier,
                      const char *name);
/* Puts the words of the type in the place of its name. 0: none is next. */
int typedef_expand(struct reader *reader, struct specifier *specifier);
/* Puts the extents of such a type behind a name and its own ones, x[n][16]. */
int typedef_extents(struct reader *reader, const struct specifier *specifier);

/* ---- declare_macro.c ---- */

/* Takes attributes out. -EINVAL: one changes how the function is called. */
int attributes_drop(struct reader *reader);
/* A macro is next, and what follows it belongs to a type or a name. */
bool macro_before_type(const struct reader *reader);
bool macro_behind_type(const struct reader *reader);
/* Goes behind macros that stand behind a prototype. */
void macros_skip(struct reader *reader);
/* LZO_EXTERN(int) becomes int. */
bool macro_of_type(struct reader *reader);

/* ---- declare_maker.c ---- */

/* then init(x) then set(x, 3): what functions write into an array. */
int fillers_parse(struct reader *reader, struct declared_argument *argument,
                  bool of_pointers);
/* from make(...), and {x, n} for the address of a structure that is known. */
bool maker_is_next(const struct reader *reader, const struct specifier *specifier);
int maker_parse(struct reader *reader, struct declared_argument *argument,
                const struct specifier *specifier);
/* free NAME or free NAME(&x) of a thing that may be called x, if it is next. */
int freer_parse(struct reader *reader, const char *freed, char name[DECLARED_NAME],
                bool *by_address);
/* T **p = 0 free NAME, T **p free NAME, and the length of what is there then */
int written_pointer_parse(struct reader *reader, struct declared_argument *argument,
                          struct later *later);
/* length 4 * n, length written, length return, length strlen: goes behind it, and tells
 * the place; 0: it is not next. */
int content_parse(struct reader *reader, const struct specifier *specifier,
                  struct declared_content *content, size_t *place);
int content_finish(struct reader *reader, struct declared_content *content, size_t place);
int maker_finish(struct reader *reader, uint32_t i);
/* Puts them in the order that they need, behind the last maker_finish(). */
int makers_order(struct reader *reader);

/* ---- declare_guess.c ---- */

/* One of the parts is in the name; parts that begin with '^' are its begin, '=' all of
 * it. */
bool name_has(const char *name, const char *parts);
/* It is probably a number of elements; or no number of them. */
bool name_counts(const char *name);
bool name_chooses(const char *name);
/* The extent that an array of that name, before that token, probably has: of an image its
 * height times what lies between rows; else a number of like name, one that counts, or
 * the next one. False: n, which is no argument. */
bool extent_near(const struct reader *reader, size_t at, const char *name,
                 struct word *extent);
/* "size_t *written" behind that comma: the count of the elements before it. NULL: it is
 * something else. */
const struct token *count_behind(const struct token *comma);
/* The functions of the library that make and free an object, which share the begin of
 * their names with its type, or else with the function that takes it: enc_new() of
 * enc_encode(). NULL: there is none. */
const char *maker_near(const struct reader *reader, const char *type, const char **freer);

/* ---- declare_mend.c ---- */

/* Adds a change that the next failure asks for; there may be three. */
__attribute__((format(printf, 4, 5))) void reader_mend(const struct reader *reader,
                                                       const char *at, size_t dropped,
                                                       const char *format, ...);
/* Arguments whose type and name are known. */
void mend_pointer(const struct reader *reader, uint32_t i);
void mend_value(const struct reader *reader, uint32_t i);
/* float (*x)[3], of which the reader is behind ')'. */
void mend_rows(const struct reader *reader, uint32_t i);
/* A pointer to an integer of which nobody says whether it is one or many. */
void mend_integers(const struct reader *reader, uint32_t i);
/* True of a type that is not known, but by its name a float or a double. */
bool mend_real(const struct reader *reader, const struct token *word);
/* A type that cannot be returned, whose words begin there. */
void mend_result(const struct reader *reader, const struct specifier *specifier,
                 const char *begin);
/* A dimension that the function is not told. */
void mend_dimension(const struct reader *reader, const struct token *name);
/* A word that stands for another one. */
void mend_word(const struct reader *reader, const struct token *token, const char *word);

/* ---- declaration.c ---- */

/* Reads the text; `mends`, if it is not NULL, has what the failure needs. */
int prototype_read(struct reader *reader, const char *text, struct mends *mends,
                   struct declaration *declaration, struct error *error);

/* ---- declare_argument.c ---- */

int argument_parse(struct reader *reader, uint32_t i, struct later *later);
int argument_finish(struct reader *reader, uint32_t i, const struct later *later);
