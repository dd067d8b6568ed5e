/* SPDX-License-Identifier: Apache-2.0 */
/* Prototypes that are refused, and with which words. */
#include "declare.h"
#include "unit.h"

static const struct {
    const char *text, *message;
} refused[] = {
    {"void Filter::run(float y[n], const float x[n], int n) const",
     "a method takes its object first: void *self = from calloc(1, SIZE) then "
     "CLASS::CLASS(self) free free"},
    {"void Filter::run(float y[n], const float x[n], int n) override",
     "a method takes its object first"},
    {"void run() const", "a method takes its object first"},
    {"#define N 4\n#else\n#define N 8\nvoid (u8 x[N])",
     "N is defined twice; leave the line that holds"},
    {"#define N 4\n#undef N\n#define N\nvoid (u8 x[N])", "N is defined twice"},
    {"", "expected a type\n    \n    ^"},
    {"void mix",
     "expected '(' behind the type that is returned\n    void mix\n            ^"},
    {"void (pixel x[n], size_t n)",
     "unknown type; write its type in C, for a structure that of its members, float x[2 "
     "* "
     "n], or 'bytes'; or its header's typedef first: typedef ... pixel;\n    "
     "void (pixel x[n], size_t n)\n          ^~~~~"},
    {"void (float x[m], size_t n)",
     "no argument is called m; if it is a dimension that the function is not told, write "
     "'for m' behind the prototype; a constant of a header is a number, or its "
     "#define or enum stands first\n    "
     "void (float x[m], size_t n)\n                  ^"},
    {"void (struct ctx *x)",
     "how many bytes has x? Write inout bytes x[SIZE], or x[n] and the header's "
     "definition first: typedef struct {...} ctx; or say its value: = NULL, = from "
     "f(...)"},
    {"void (FILE *f)",
     "how many bytes has f? Write inout bytes f[SIZE], or f[n] and the header's "
     "definition first: typedef struct {...} FILE; or say its value: = NULL, = from "
     "fopen(\"/dev/null\", \"r+\") free fclose"},
    {"typedef struct {int a;} P; void (P *x, int m)",
     "how many elements has x? Write x[m]"},
    {"typedef struct {int a, b, c;} P; void (P *x = 0)",
     "write the address of a complex number or a structure as an array: x[1]"},
    {"struct P {int a, b, c;}; void (u8 y[n] length x, struct P *x, int n)",
     "how many elements has x?"},
    {"typedef struct {int a;} P; void (P x)", "a structure cannot be passed by value"},
    {"struct P {int a; int b : 3;}; void (struct P x[2])",
     "how the structure of x lies in memory is not known: a union, bits, a vector, a "
     "type without a "
     "definition, or a macro or an attribute that may move members is here; write bytes "
     "x[SIZE * n], with what sizeof says for SIZE"},
    {"struct P {union u a;}; void (struct P x[2])", "how the structure of x lies"},
    {"struct P {int a[0];}; void (const struct P *x, int n)",
     "how the structure of x lies"},
    {"typedef struct {char t; int v;} __attribute__((packed)) P; void (P x[2])",
     "how the structure of x lies"},
    {"struct P {char t; alignas(16) float v[4];}; void (struct P x[2])",
     "how the structure of x lies"},
    {"typedef alignas(8) int wide; struct P {char t; wide v;}; void (struct P x[2])",
     "how the structure of x lies"},
    {"typedef int wide __attribute__((aligned(8))); struct P {char t; wide v;}; "
     "void (struct P x[2])",
     "how the structure of x lies"},
    {"typedef ALIGN_8 int wide; struct P {char t; wide v;}; void (struct P x[2])",
     "how the structure of x lies"},
    {"[[gnu::ms_abi]] void f()", "gnu::ms_abi changes how a function is called"},
    {"struct [[gnu::packed]] P {char t; int v;}; void (struct P x[2])",
     "how the structure of x lies"},
    {"typedef struct {char t; int v;} PACKED P; void (P x[2])",
     "how the structure of x lies"},
    {"typedef struct P {char t; int v;} PACKED P; void (P x[2])",
     "how the structure of x lies"},
    {"struct P {char t; ALIGN_16 float v[4];}; void (struct P x[2])",
     "how the structure of x lies"},
    {"void (ctx *x = from f(seed) free free)", "no argument is called seed"},
    {"struct P {float a;}; void (struct P x[n] length m, int *m, int n)",
     "a length is said of numbers"},
    {"void (gsl_rng *x)", "how many bytes has x?"},
    {"void (float *x, size_t n)",
     "how many elements has x? Write x[n] without the '*', x[1] for one value; or leave "
     "the '*' and say its value: = 0 for one that begins with it, = NULL, = from "
     "f(...)\n    void (float *x, size_t n)\n                 ^"},
    {"void (const float *x, float *y, unsigned len)",
     "how many elements has x? Write x[len] without the '*', &x for one value; or leave "
     "the '*' and say its value: = NULL, = from f(...)"},
    {"void (void *x, size_t n)",
     "how many elements has x? Write x[n] without the '*', x[1] for one value; or leave "
     "the '*' and say its value: = NULL, = from f(...)"},
    {"void (float *x[n], size_t n)",
     "how many pointers, to how many elements? Write *x[k][n]; for an array of elements "
     "leave the '*' out\n    void (float *x[n], size_t n)\n                  ^"},
    {"void (float ***x[2][n], size_t n)", "pointers to pointers are passed in one way"},
    {"int (float *x[2][n] length return, size_t n)", "a length is said of one array"},
    {"void (unsigned foo x)",
     "foo is no word of a type, or there is a word too many\n    "
     "void (unsigned foo x)\n                   ^~~"},
    {"float complex (int n)",
     "a complex number that is returned cannot be received; write "
     "double: the 8 bytes of both floats are one"},
    {"double complex f()", "a complex number that is returned cannot be received; write "
                           "double: this is its real part"},
    {"void (u8 x[n]) for size_t n", "behind 'for' dimensions have no type: for n"},
    {"void () for float x = 1", "behind 'for' stand dimensions, arrays and objects"},
    {"void (int *e = 0.5)", "expected a whole number"},
    {"void (const int *e = 0)", "a pointer is NULL, a \"text\""},
    {"void (float gain)", "gain needs a value, such as gain = 0.5\n    void (float "
                          "gain)\n                ^~~~"},
    {"void (const float x[n], const int &n, float &sum)",
     "sum needs a value, such as sum = 0.5; a result is written sum[1]"},
    {"void (const Image &in)", "how many bytes has in? Write const bytes in[SIZE], or"},
    {"void (struct Image &out)", "how many bytes has out? Write inout bytes out[SIZE]"},
    {"void (plan_t x = 3)", "unknown type; write the type in C"},
    {"void (const flaot x[n], size_t n)", "unknown type; did you mean float?"},
    {"void (const float4 x[n], size_t n)",
     "unknown type; write its type in C, for a structure that of its members"},
    {"point_t f(int n)",
     "unknown type; write the type in C that it stands for, for an enumeration 'enum' "
     "before it, for a pointer 'void *', for a structure of up to 16 bytes the type of"},
    {"void (struct point x[n], int n)",
     "unknown type; write its type in C, for a structure that of its members, float x[2"},
    {"void (lv_16sc_t x)", "a complex number cannot be passed by value; write int64_t"},
    {"_Float128 f(_Float128 x)", "_Float128 is passed as a vector is"},
    {"void (const unit8_t x[n], size_t n)", "unknown type; did you mean uint8_t?"},
    {"void (intptr n)", "unknown type; did you mean intptr_t?"},
    {"void (const v_int32 x[n], int n)", "unknown type"},
    {"void (const cl_int8 x[n], int n)", "unknown type"},
    {"void (const simd_int8 x[n], int n)", "unknown type"},
    {"void (const cv::v_int32 x[n], int n)", "unknown type"},
    {"DecodeStatus f(int n)", "unknown type"},
    {"wuffs_base__status f(int n)", "unknown type"},
    {"typedef const char *str; void (str names[n], int n)",
     "how many pointers, to how many"},
    {"void (png_bytepp x[n], int n)", "how many pointers, to how many elements?"},
    {"typedef int (*call)(int); void (call x[n], int n)",
     "how many pointers, to how many"},
    {"dobule f(int n)", "unknown type; did you mean double?"},
    {"lnog (int n)", "lnog is no known type; write in C what it stands for"},
    {"void (lnog x[n], int n)", "unknown type; did you mean long?"},
    {"void (plan_t x)", "unknown type"},
    {"float (std::span<const float> x)",
     "a span is passed as two arguments: float x[n], size_t n\n    "
     "float (std::span<const float> x)\n           ^~~~~~~~~"},
    {"size_t (std::string_view x)", "libstdc++ passes it as two arguments: size_t n"},
    {"void (const std::vector<float> &x)",
     "a class cannot be passed; measure a function"},
    {"void (nn::mode m)", "a class cannot be passed; write 'enum' before an enumeration"},
    {"void (Matrix<float> x)", "a class cannot be passed"},
    {"template <class T> void f(T *x, size_t n)", "take one instance of the template"},
    {"void f(const auto &x)", "write the type that stands for auto"},
    {"fn f(x: *const f32, n: usize) -> f32", "write it as C does"},
    {"void (struct s x = NULL)", "a structure cannot be passed by value"},
    {"void (struct s x)",
     "a structure cannot be passed by value; one of up to 16 bytes is an int64_t for "
     "each 8, or a double if these hold floats alone; docs/call.md has larger "
     "ones\n    void (struct s x)\n                 ^"},
    {"struct s f()",
     "a structure that is returned cannot be received; for one of up to 16 bytes write "
     "the type of its first 8, double if they hold floats alone, else int64_t; a larger "
     "one is written to a first argument: bytes result[24]\n    struct s f()\n"
     "           ^"},
    {"struct s (int n)", "a structure that is returned cannot be received"},
    {"long double f()",
     "long double is a number of the x87; it cannot be passed; write a function that "
     "calls this one and takes double\n    long double f()\n    ^~~~"},
    {"void (unsigned __int128, float x[n], size_t n)",
     "__int128 is passed as two integers: int64_t low = 1, int64_t high = 0"},
    {"void (double long = 1)",
     "long double is a number of the x87; it cannot be passed; write a function that "
     "calls this one and takes double\n    void (double long = 1)\n"
     "                 ^~~~"},
    {"PNG_EXPORT(3, int, png_sig_cmp, (const u8 sig[n], int n))",
     "PNG_EXPORT is no known type; write in C what it stands for, or before it what it "
     "returns: int f(...)\n    PNG_EXPORT(3, int, png_sig_cmp, (const u8 sig[n], "
     "int n))\n    ^~~~~~~~~~"},
    {"f(const float x[n], int n)", "f is no known type; write in C what it stands for"},
    {"u_id (const float x[n], int n)",
     "u_id is no known type; write in C what it stands"},
    {"void (float long = 1)", "C has no such type"},
    {"void (__m64 x)", "__m64 is passed as a double is: write double\n    void "
                       "(__m64 x)\n          ^~~~~"},
    {"void (__m256 x[2])", "for an array of vectors write one of their elements"},
    {"void (__m256 x = 1)", "a vector is an input; say its values with --input=x=..."},
    {"void (float a = 1, float b = 1, float c = 1, float d = 1, float e = 1, float f = "
     "1, "
     "float g = 1, float h = 1, __m128 x)",
     "at most 8 floats and vectors are passed in registers"},
    {"void (float _Complex x)",
     "a complex number cannot be passed by value; write __m128, "
     "which begins with both floats"},
    {"void (double _Complex x)", "a complex number cannot be passed by value; write two "
                                 "doubles, re = 1 and im = 2"},
    {"void (u8 x[9] then f(x))",
     "what is only written has no values; write const or inout"},
    {"void (const u8 *x[2][9] then f(x))", "one array is filled so, not several"},
    {"void (inout u8 x[9] then f(&x))", "'&' stands before the object's own name"},
    {"void (inout u8 x[9] then f(y), u8 y[9])", "y is only written by the function"},
    {"void (inout u8 x[9] then f(y), void *y = from g())",
     "arrays are filled before objects are made"},
    {"void (inout u8 x[9] then f(y), const u8 *y[2][3])", "y is several arrays"},
    {"void (void *x = from f(name))",
     "no argument is called name; for a variable of the library write *name, its value, "
     "or &name, its address"},
    {"void (void *x = from f(*))", "expected a name"},
    {"void (uuid_t out)",
     "unknown type; write the type in C that it stands for, for an enumeration 'enum' "
     "before it, for a structure by value int64_t or double for each 8 bytes, for a "
     "pointer '= NULL' or '= from f(...)' behind it, or its header's typedef first: "
     "typedef ... uuid_t;\n    "
     "void (uuid_t out)\n          ^~~~~~"},
    {"void (float complex *x = 0.5)",
     "write the address of a complex number or a structure as an "
     "array: x[1]"},
    {"complex", "unknown type"},
    {"void (u8 x[0x9e3779b97f4a7c15 + 1])", "a number from 2^63 on cannot be a part"},
    {"void (u64 x = 1 + 0x9e3779b97f4a7c15)", "a number from 2^63 on cannot be a part"},
    {"void (u64 x = -0x9e3779b97f4a7c15)", "a number from 2^63 on cannot be a part"},
    {"void (const u8 x[65] = "
     "{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
     "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0})",
     "a list has at most 64 values"},
    {"int printf(const char *f = \"\", ...)",
     "write the arguments that '...' stands for\n    int printf(const char *f = \"\", "
     "...)\n    "
     "                               ^~~"},
    {"void (int (*f)(void))", "which function is f? Write = &name, or = NULL"},
    {"void (int a, int a)",
     "two arguments are called a\n    void (int a, int a)\n                     ^"},
    {"void (int *r)",
     "how many elements has r? Write r[n] without the '*', r[1] for one value; or '= 0'"},
    {"void (u8 x[])", "how many elements? Write an expression, such as [n]"},
    {"void (u8 x[], int len)", "how many elements? Write an expression, such as [len]"},
    {"void (u8 x[2.5])",
     "expected a whole number\n    void (u8 x[2.5])\n               ^~~"},
    {"void (u8 x[n, size_t n)", "expected ']' behind an extent"},
    {"void (u8 x[(2])", "expected ']' behind an extent"},
    {"void (u8 x[(2", "the expression does not end"},
    {"void (u8 x[2 +])", "expected a dimension or a number"},
    {"void (u8 x[99999999999999999999])", "the number is beyond what 64 bits hold"},
    {"void (u8 x[y], u8 y[1])", "y is no integer whose value is known"},
    {"void (u8 x[k], float k = 1)", "k is no integer whose value is known"},
    {"void (int a = b, int b = 2 * c, int c = a)", "the value of a depends on itself"},
    {"void (int a = a)", "the value of a depends on itself"},
    {"void (u8 x[k], int k = 1 1)", "expected ',' or ')' behind the value"},
    {"void (int (*f)(int), int n)", "which function is f? Write = &name, or = NULL"},
    {"void (int (*const f g)(int) = &x)", "expected ')' behind the name"},
    {"void (int (*f)(int; int) = &g)", "expected ')' behind its arguments"},
    {"void (int (*restrict f)[3])",
     "pointers to arrays cannot be passed; write x[h * w]"},
    {"void (int (f)(int) = &g)", "expected '*' of a pointer to a function"},
    {"typedef struct s s_t; void f(s_t x)", "a structure cannot be passed by value"},
    {"typedef struct {int a; s_t; void f()", "its braces do not end"},
    {"typedef gone_t here_t; void f(here_t x)", "unknown type; write the type"},
    {"struct s {int a;} void f()", "expected ';' behind the structure"},
    {"struct s {int a; void f()", "its braces do not end"},
    {"typedef t t; void f(t x)", "a type stands for itself"},
    {"typedef t u; typedef u t; void f(t x)", "a type stands for itself"},
    {"typedef int (f)(int); void g()", "expected '*' of a pointer to a function"},
    {"typedef float; void f()", "expected a name"},
    {"typedef float f32x void f()", "expected ';' behind the typedef"},
    {"void (const u8 x[1] length return)", "a length is said of what is written"},
    {"void (u8 x[1] length return)", "the function returns no integer"},
    {"void (u8 x[1] length k, int k)",
     "a length is in a pointer to an integer, size_t *k"},
    {"void (u8 x[1] length *k, float *k = 0.5)",
     "a length is in a pointer to an integer, size_t *k"},
    {"void (char **x)",
     "a pointer to pointers can be NULL, from f(...) or &name; say which behind '='; if "
     "the function writes a pointer there, '= 0', or 'free NAME' of what frees it; k "
     "pointers to n elements each are written *x[k][n]"},
    {"void (char **x free 3)", "expected a name"},
    {"void (void *x = from f() free g(x))", "expected '&' of the address: free f(&)"},
    {"void (void *x = from f() free g(", "expected '&' of the address: free f(&)"},
    {"void (void *x = from f() free g(&y))", "expected 'x' behind '&'"},
    {"void *f() free g(&x)", "expected ')' behind what is freed"},
    {"int f() free g", "no pointer is returned whose memory could be freed or compared"},
    {"int f() length 3",
     "no pointer is returned whose memory could be freed or compared"},
    {"char **f() length 3",
     "what is returned leads to pointers, which nobody can compare"},
    {"int f(nd **p free free length m, size_t *m)",
     "nobody knows how many bytes an element has: write uint8_t"},
    {"nd *f() length 3", "nobody knows how many bytes an element has: write uint8_t"},
    {"char *f() length strlen free free", "nothing is expected behind the length; 'free"},
    {"long f(char **a free g length return * 2)",
     "nothing is expected behind the length"},
    {"int f(u8 **a length m oops, size_t *m)", "nothing is expected behind the length"},
    {"typedef struct {u8 r, g, b;} rgb; rgb *f() length strlen",
     "elements up to a zero have 1, 2, 4 or 8 bytes"},
    {"void (out int n)", "in, out and inout are said of arrays: n[n] without a"},
    {"void (inout const int n[1])", "what is const cannot be written"},
    {"void (bool b = 2)", "expected true or false"},
    {"void (int n) for n", "n is there already"},
    {"void (int n) for", "expected a name"},
    {"void (int n) for n = 3", "n is there already"},
    {"void (int n) for m = k", "no argument is called k"},
    {"void (int n) for m = 3)", "nothing is expected behind the prototype but"},
    {"void (int n) x",
     "nothing is expected behind the prototype but 'free NAME', 'length', 'for' and "
     "dimensions"},
    {"void (u8 x[n]) for n, int k = 3", "behind 'for' stand dimensions, arrays and obj"},
    {"void (const real &a = 0.5)", "unknown type; write the type"},
    {"void (int n = )", "expected a dimension or a number"},
    {"void (int n = 3 4)", "expected ',' or ')' behind the value"},
    {"void (float x = n)", "expected a number"},
    {"void (float x = 1..2)", "not a number"},
    {"void (float x = 1e999)", "not a finite number"},
    {"void (void *p = 3)", "a pointer is NULL, a \"text\", from f(...), &name, or x + n"},
    {"void (void *p = x, int n)", "no array is called x; a pointer is NULL, a \"text\""},
    {"void (void *p = n + 1, int n)", "no array is called n"},
    {"void (void *p = x, const u8 *x[2][n], int n)", "x is not one array"},
    {"void (void *p = x, __m128 x)", "x is not one array"},
    {"void (u8 *p = x * 2, u8 x[n], int n)", "expected ',' or ')' behind the value"},
    {"void (u8 *p = &x[n, u8 x[n], int n)", "expected ',' or ')' behind"},
    {"void (u8 *p = &x[1] + 1, u8 x[n], int n)", "expected ',' or ')' behind"},
    {"void (u8 **p = x, u8 x[n], int n)", "a pointer is NULL, a \"text\""},
    {"void (u8 y[n] length e, u8 *e = x, u8 x[n], int n)", "a length is in a pointer"},
    {"void (void *p = from f(1 2))", "expected ',' or ')' behind the value"},
    {"void (void *p = from f)", "expected '(' behind the function's name"},
    {"void (int key, void *p = from f(*key))",
     "'*' stands before a variable of the library; an argument"},
    {"void (void *p = from f(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17))",
     "at most 16 arguments"},
    {"void (char *s = \"abc)", "the closing quote is missing"},
    {"void (char *s = \"\\q\")", "of escapes"},
    {"void (char c = 'ab')", "expected one character in quotes"},
    {"void (int a,)", "expected a type"},
    {"void (int a; int b)", "expected ',' or ')' behind the argument"},
    {"void (short long a)", "C has no such type"},
    {"void (void x)", "no value has type void; write an extent: x[n]"},
    {"void @f()", "no prototype has this character"},
    {"void (int a1,int a2,int a3,int a4,int a5,int a6,int a7,int a8,int a9,int b1,int "
     "b2,int "
     "b3,int b4,int b5,int b6,int b7,int b8)",
     "at most 16 dimensions"},
    {"void (u8 a[1],u8 b[1],u8 c[1],u8 d[1],u8 e[1],u8 f[1],u8 g[1],u8 h[1],u8 i[1],u8 "
     "j[1],u8 k[1],u8 l[1],u8 m[1],u8 n[1],u8 o[1],u8 p[1],u8 q[1],u8 r[1],u8 s[1],u8 "
     "t[1],u8 u[1],u8 v[1],u8 w[1],u8 x[1],u8 y[1])",
     "at most 24 arguments"},
    {"void () for a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", "at most 16 dimensions"},
    {"void () for a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p, int q", "at most 16 dimensions"},
    {"__attribute__((ms_abi)) void f()", "ms_abi changes how a function is called"},
    {"int &f()", "a reference is returned; write '*'"},
    {"void (float x[1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1])",
     "an expression has more than 32 numbers and signs"},
};

TEST(test_refused)
{
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        struct declaration declaration;
        struct error error = {.text = ""};
        const char *const message = refused[i].message;
        assert_int_equal(declaration_parse(refused[i].text, &declaration, &error),
                         -EINVAL);
        if (strchr(message, '\n'))
            assert_string_equal(error.text, message);
        else if (strncmp(error.text, message, strlen(message)) != 0)
            fail_msg("%s: %s", refused[i].text, error.text);
        const char *const source = strchr(error.text, '\n');
        assert_non_null(source);
        assert_non_null(strchr(source, '^'));
        assert_int_equal(declaration.n, 0);
    }
}

/* The part of a long source around the caret is shown, and nothing that could control a
 * terminal. */
TEST(test_excerpt)
{
    char text[400] = "void (";
    struct declaration declaration;
    struct error error = {.text = ""};
    for (int i = 0; i < 10; i++)
        strcat(text, "const float name[100],\n\t");
    strcat(text, "\x1b[31mint n)");
    assert_int_equal(declaration_parse(text, &declaration, &error), -EINVAL);
    const char *line = strchr(error.text, '\n') + 1, *caret = strchr(line, '\n') + 1;
    const size_t at = strcspn(caret, "^");
    assert_int_equal(line[at], '?');
    assert_true(caret - line <= 80);
    assert_null(strchr(error.text, '\x1b'));
    assert_null(strchr(error.text, '\t'));
    /* The end of a source of any length has a caret. */
    for (size_t length = 11; length < 100; length++) {
        memset(text, ' ', length);
        memcpy(text, "void (int", 9);
        text[length] = '\0';

        text[length - 1] = 'a';
        assert_int_equal(declaration_parse(text, &declaration, &error), -EINVAL);
        line = strchr(error.text, '\n') + 1;
        caret = strchr(line, '\n') + 1;
        assert_int_equal(strcspn(caret, "^"), caret - line - 1);
    }
}

TEST(test_too_much)
{
    char text[6000] = "void (u8 x[";
    struct declaration declaration;
    struct error error;
    /* 32 parentheses are read, and so are as many signs. */
    for (int deep = 31; deep <= 33; deep++) {
        for (int sign = 0; sign < 2; sign++) {
            char *at = text + strlen("void (u8 x[");
            memset(at, sign ? '-' : '(', (size_t)deep);
            at[deep] = '1';
            memset(at + deep + 1, ')', sign ? 0 : (size_t)deep);
            memcpy(at + deep + 1 + (sign ? 0 : deep), "])", 3);
            const int status = declaration_parse(text, &declaration, &error);
            assert_int_equal(status, deep < 32 ? 0 : -EINVAL);
            if (status < 0)
                assert_non_null(strstr(error.text, "more than 32 "));
        }
    }
    memset(text, ' ', 4097);
    text[4097] = '\0';
    assert_int_equal(declaration_parse(text, &declaration, &error), -EINVAL);
    assert_string_equal(error.text, "a prototype has more than 4096 characters");
    memset(text, '(', 1024);
    text[1024] = '\0';
    assert_int_equal(declaration_parse(text, &declaration, &error), -EINVAL);
    assert_non_null(strstr(error.text, "a prototype has more than 1023 words\n"));
}
