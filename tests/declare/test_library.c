/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a library: found, told apart, called. */
#include <dlfcn.h>

#include "find_mix.h"

static const char *library_path;

static int open_library(void **state)
{
    static struct library library;
    struct error error = {.text = ""};
    library_path = unit_argument(1);
    if (!library_path || library_read(library_path, &library, &error) < 0)
        fail_msg("%s", error.text);
    *state = &library;
    return 0;
}

static int close_library(void **state)
{
    library_close(*state);
    return 0;
}

/* ---- tables of symbols ---- */

TEST(test_bindings)
{
    const struct library *library = *state;
    assert_false(library->is_object);
    assert_int_equal(found(library, "mix_c")->binding, FUNCTION_EXPORTED);
    assert_true(found(library, "mix_c")->bytes > 0);
    assert_true(found(library, "mix_c")->address > 0);
    assert_int_not_equal(found(library, "mix_hidden_avx")->binding, FUNCTION_EXPORTED);
    assert_int_equal(found(library, "mix_local")->binding, FUNCTION_LOCAL);
    assert_int_equal(found(library, "from_assembly")->binding, FUNCTION_EXPORTED);
    assert_int_equal(found(library, "from_assembly")->bytes, 5);
    assert_true(found(library, "mix")->is_chosen);
    assert_true(found(library, "mix_table")->is_data);
    assert_false(found(library, "mix_c")->is_data);
    for (size_t i = 0; i < library->n; i++) {
        const struct library_function *const function = &library->function[i];
        assert_true(strcmp(function->name, "_init") != 0);
        if (i) /* sorted, and nothing twice */
            assert_true(strcmp(function[-1].name, function->name) < 0 ||
                        function[-1].address != function->address);
    }
}

TEST(test_names)
{
    const struct library *library = *state;
    const struct library_function *function;
    struct error error;
    if (!found(library, "_ZN5audio8add_avx2Eii")->demangled)
        skip();
    char *const written = symbol_written("_ZN5audio8add_avx2Eii");
    assert_string_equal(written, "audio::add_avx2");
    free(written);
    assert_null(symbol_written("add_avx2"));
    assert_string_equal(found(library, "_ZN5audio8add_avx2Eii")->demangled,
                        "audio::add_avx2(int, int)");
    assert_string_equal(found(library, "audio::add_avx2(float,float)")->name,
                        "_ZN5audio8add_avx2Eff");
    assert_string_equal(found(library, " audio::add_avx2( int , int )")->name,
                        "_ZN5audio8add_avx2Eii");
    assert_string_equal(found(library, "audio::quote(int)")->name,
                        "_ZN5audio5quoteB5cxx11Ei");
    assert_string_equal(found(library, "mix::add")->name,
                        "_ZN3mix3add17h0123456789abcdefE");
    assert_string_equal(found(library, "add")->name, "_ZN3mix3add17h0123456789abcdefE");
    /* "double audio::half<double>(double)" */
    assert_string_equal(found(library, "half")->name, "_ZN5audio4halfIdEET_S1_");
    assert_string_equal(found(library, "audio::half")->name, "_ZN5audio4halfIdEET_S1_");
    assert_string_equal(found(library, "audio::half< double>")->name,
                        "_ZN5audio4halfIdEET_S1_");
    assert_int_equal(
        library_find(library, "doubleaudio::half<double>", &function, &error), -ENOENT);
    assert_int_equal(library_find(library, "ha lf<double>", &function, &error), -ENOENT);
    assert_int_equal(library_find(library, "audio::add_avx2", &function, &error),
                     -EEXIST);
    assert_non_null(
        strstr(error.text, "audio::add_avx2(float, float), audio::add_avx2(int, int)"));
}

TEST(test_near)
{
    const struct library_function *function;
    struct error error;
    assert_int_equal(library_find(*state, "mix_avx", &function, &error), -ENOENT);
    assert_null(function);
    assert_non_null(
        strstr(error.text, "has no function mix_avx; did you mean mix_avx2, "));
    assert_int_equal(library_find(*state, "ix_avx", &function, &error), -ENOENT);
    assert_non_null(strstr(error.text, "did you mean mix_avx"));
    const bool is_written = found(*state, "_ZN5audio4halfIdEET_S1_")->demangled;
    static const char *const parts[] = {"alf",      "vec::alf",    "vec.alf",
                                        "vec::Alf", "audio::helf", "audio::hulf<float>"};
    for (size_t i = 0; i < ARRAY_LEN(parts) - (is_written ? 0 : 2); i++) {
        assert_int_equal(library_find(*state, parts[i], &function, &error), -ENOENT);
        assert_non_null(strstr(error.text, is_written ? "mean audio::half<double>"
                                                      : "_ZN5audio4halfIdEET_S1_, "));
    }
    assert_int_equal(library_find(*state, "zzzz", &function, &error), -ENOENT);
    assert_null(strstr(error.text, "did you mean"));
    assert_int_equal(library_find(*state, "", &function, &error), -ENOENT);
    assert_null(strstr(error.text, "did you mean"));
}

/* A hint is a name that can be written, of the symbol too where that is alike. */
TEST(test_hints)
{
    static const struct {
        const char *symbol, *demangled, *name, *hint;
    } rows[] = {{"_Z1a", "void Filter<unsigned int>::run(int)",
                 "Filter<unsigned int>::ran", "mean Filter<unsigned int>::run?"},
                {"_Z1b", "(anonymous namespace)::mix_avx2(float*)",
                 "(anonymous namespace)::mix_avx",
                 "mean (anonymous namespace)::mix_avx2?"},
                {"_Z1c", "int std::map<int, float>::find(int)",
                 "std::map<int, float>::fined", "mean std::map<int, float>::find?"},
                {"_Z1d", "Vec::operator float() const", "Vec::operator floats",
                 "mean Vec::operator float?"},
                {"_Z1e", "V<int> ns::operator+ <int>(V<int>)", "ns::operator-",
                 "mean ns::operator+ <int>?"},
                {"_Z1f", "int mixed(operator_t)", "mixes", "mean mixed?"},
                {"_ZN5audio4halfEd", "audio::half(double)", "_ZN5audio4halfEf",
                 "mean audio::half?"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char path[] = "lib.so";
        struct library_function one = {.name = (char *)(uintptr_t)rows[i].symbol,
                                       .demangled = (char *)(uintptr_t)rows[i].demangled};
        const struct library library = {.path = path, .function = &one, .n = 1};
        const struct library_function *function;
        struct error error;
        assert_int_equal(library_find(&library, rows[i].name, &function, &error),
                         -ENOENT);
        if (!strstr(error.text, rows[i].hint))
            fail_msg("%s: %s", rows[i].name, error.text);
    }
}

/* ---- instruction sets ---- */

TEST(test_isas)
{
    struct library *const library = *state;
    struct error error = {.text = ""};
    assert_int_equal(library_decode(library, NULL, &error), 0);
    if (!found(library, "mix_c")->isa[0])
        skip();
    assert_string_equal(found(library, "mix_c")->isa, "scalar");
    assert_string_equal(found(library, "mix_sse2")->isa, "sse2");
    assert_int_equal(strncmp(found(library, "mix_avx2")->isa, "avx2", 4), 0);
    assert_int_equal(strncmp(found(library, "mix_avx512")->isa, "avx512", 6), 0);
    assert_string_equal(found(library, "from_assembly")->isa, "avx2");
    assert_string_equal(found(library, "mix_table")->isa, "");
}

TEST(test_families)
{
    struct family *family;
    size_t n;
    assert_int_equal(library_families(*state, &family, &n), 0);
    const struct family *mix = NULL, *sum = NULL;
    for (size_t i = 0; i < n; i++) {
        mix = !strcmp(family[i].name, "mix") ? &family[i] : mix;
        sum = !strcmp(family[i].name, "sum") ? &family[i] : sum;
    }
    assert_non_null(mix);
    if (found(*state, "_ZN4avx23sumEi")->demangled) { /* avx2::sum, scalar::sum */
        assert_non_null(sum);
        assert_int_equal(sum->n, 2);
    }
    assert_int_equal(mix->n, 5);
    static const char *const names[] = {"mix", "mix_avx2", "mix_avx512", "mix_c",
                                        "mix_sse2"};
    for (size_t i = 0; i < mix->n; i++)
        assert_string_equal(mix->member[i]->name, names[i]);
    families_free(family, n);
}

/* Families as "name name", '|' between two. One name with other arguments is another op.
 * The code of sum_fma is that of the first. */
TEST(test_family_names)
{
    static const struct {
        const char *symbols, *families;
    } rows[] = {
        {"dot_AVX2 dot_AVX512F dot_C", "dot_AVX2 dot_AVX512F dot_C"},
        {"dot_AVX512F dot_AVX512VNNI dot_vnni", "dot_AVX512F dot_AVX512VNNI dot_vnni"},
        {"mixAVX512Fast mixFast", "mixAVX512Fast mixFast"},
        {"c_add c_mul sse2_add", "c_add sse2_add"},
        {"avx2::sum(float*) avx2::sum(int*) c::sum(float*) c::sum(int*)",
         "avx2::sum(float*) c::sum(float*)|avx2::sum(int*) c::sum(int*)"},
        {"avx2::g(avx2::V,char) sse2::g(sse2::V,char) c::g(fast::V)",
         "avx2::g(avx2::V,char) sse2::g(sse2::V,char)"},
        {"sum_avx2 c::sum(float*) other(int)", "sum_avx2 c::sum(float*)"},
        {"sum_avx2 sum_c sum_fma", "sum_avx2 sum_c"},
        {"_mix_avx2 _mix_c mix", "mix _mix_avx2 _mix_c"},
        {"_mix _mix_avx2 mix", "_mix _mix_avx2"},
        {"_mix_avx2 mix mix_avx2 mix_c", "mix mix_avx2 mix_c"},
        {"Mix Mix_avx2 _Mix_avx2", "Mix Mix_avx2"},
        {"_ZGVdN4v_sin _ZGVdN4v_sin_avx2", "_ZGVdN4v_sin _ZGVdN4v_sin_avx2"},
        {"cpu_has_avx cpu_has_avx2 cpu_has_sse2 supportsAVX supportsSSE2", ""},
        {"FirSSE2::~FirSSE2() FirSSE2::~FirSSE2()", ""},
    };
    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        char text[100], list[200] = "";
        struct library_function functions[8] = {{.name = NULL}};
        struct library library = {.function = functions};
        struct family *family;
        size_t n;
        strcpy(text, rows[r].symbols);
        for (char *at = text, *name; (name = strsep(&at, " ")); library.n++)
            functions[library.n] = (struct library_function){
                .name = name,
                .demangled = strchr(name, '(') ? name : NULL,
                .address = strcmp(name, "sum_fma") ? library.n : 0};
        assert_int_equal(library_families(&library, &family, &n), 0);
        for (size_t f = 0; f < n; f++)
            for (size_t i = 0; i < family[f].n; i++) {
                strcat(list, i ? " " : f ? "|" : "");
                strcat(list, family[f].member[i]->name);
            }
        assert_string_equal(list, rows[r].families);
        families_free(family, n);
    }
}

/* Clones of a function have other arguments than it, and parts of it have none. */
TEST(test_clones_are_in_no_family)
{
    static const struct {
        const char *suffix;
        bool is_clone;
    } rows[] = {
        {"", false},          {".isra.0", true},      {".part.12", true},
        {".cold", true},      {".cold.1", true},      {".constprop.0.isra.0", true},
        {".partly", false},   {".cold.path", false},  {".llvm.17", false},
        {".constprop", true}, {".part.0.cold", true}, {".0", false}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char names[2][40];
        struct library_function functions[2];
        const struct library library = {.function = functions, .n = 2};
        struct family *family;
        size_t n;
        for (int k = 0; k < 2; k++) {
            snprintf(names[k], sizeof names[k], "mix_%s%s", k ? "c" : "avx2",
                     rows[i].suffix);
            functions[k] = (struct library_function){
                .name = names[k], .address = (uint64_t)k, .binding = FUNCTION_LOCAL};
        }
        assert_int_equal(library_families(&library, &family, &n), 0);
        if (n != !rows[i].is_clone)
            fail_msg("%s is in %zu families", names[0], n);
        families_free(family, n);
    }
}

TEST(test_words)
{
    static const struct {
        const char *name, *isa;
    } all[] = {{"mix_c", "scalar"},
               {"crc32_sse4_2", "sse2"},
               {"__memcpy_avx_unaligned_erms", "avx2"},
               {"mixAVX2", "avx2"},
               {"mixAVX2Fast", "avx2"},
               {"mixAVX2fast", NULL},
               {"dot_avx2_fma", "avx2"},
               {"dot_avx512_ssse3", "avx512"},
               {"dot_fma_scalar", "avx2"},
               {"put_8tap_avx512icl", "avx512"},
               {"f.avx512f", "avx512"},
               {"mul_AVX512VNNI", "avx512"},
               {"crc32_avx512_vpclmulqdq", "avx512"},
               {"crc32_vpclmulqdq_avx2", "avx2"},
               {"dot_vnni", NULL},
               {"dot_avx2_vnni", "avx2"},
               {"crc32_pclmulqdq", "sse2"},
               {"dot_f32_genoa", "avx512"},
               {"dot_f32_serial", "scalar"},
               {"westmere::count", "sse2"},
               {"haswell::sum", "avx2"},
               {"avx2::sum", "avx2"},
               {"ff_sad_ssse3", "sse2"},
               {"XXH3_generic", "scalar"},
               {"sgemm", NULL},
               {"avxify", NULL},
               {"ns::c_add", NULL},
               {"C_mulx", NULL},
               {"cJSON_Parse", NULL},
               {"c", "scalar"},
               {"refine", NULL},
               {"", NULL}};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        const char *const isa = name_isa(all[i].name);
        if (!all[i].isa)
            assert_null(isa);
        else
            assert_string_equal(isa ? isa : "nothing", all[i].isa);
    }
}

/* ---- places ---- */

TEST(test_places)
{
    static const struct {
        const char *text;
        enum place_kind kind;
        const char *name;
        uint32_t given, n_index, index;
    } all[] = {
        {"mix_avx2", PLACE_SYMBOL, "mix_avx2", 0, 0, 0},
        {"choose()", PLACE_RESOLVER, "choose", 0, 0, 0},
        {"choose(7)", PLACE_RESOLVER, "choose", 1, 0, 0},
        {"choose( -1, NULL, 0x10 )", PLACE_RESOLVER, "choose", 3, 0, 0},
        {"find(\"a, (b\")", PLACE_SYMBOL, "find(\"a, (b\")", 0, 0, 0},
        {"find(\"avx2\")[1]", PLACE_RESOLVER, "find", 1, 1, 1},
        {"init(&)[0][7]", PLACE_RESOLVER, "init", 1, 2, 0},
        {"table[12]", PLACE_TABLE, "table", 0, 1, 12},
        {"table[3][1][0]", PLACE_TABLE, "table", 0, 3, 3},
        {"operator()()", PLACE_RESOLVER, "operator()", 0, 0, 0},
        {"x::operator()", PLACE_SYMBOL, "x::operator()", 0, 0, 0},
        {"(anonymous namespace)::f()", PLACE_RESOLVER, "(anonymous namespace)::f", 0, 0,
         0},
        {"f(void (*)())", PLACE_SYMBOL, "f(void (*)())", 0, 0, 0},
        {"audio::mix(float*, int)", PLACE_SYMBOL, "audio::mix(float*, int)", 0, 0, 0}};
    static const char *const bad[] = {
        "",      "[1]", "t[]",   "t[-1]",  "t[4294967296]",
        "t[1 ]", "]",   "t[1]]", "t[1][]", "t[1][2][3][4][5]"};
    struct place place;
    struct error error;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        assert_int_equal(place_parse(all[i].text, &place, &error), 0);
        assert_true(place.name[0]);
        assert_int_equal(place.kind, all[i].kind);
        assert_string_equal(place.name, all[i].name);
        assert_int_equal(place.n_index, all[i].n_index);
        assert_int_equal(place.index[0], all[i].index);
        if (place.kind == PLACE_RESOLVER)
            assert_int_equal(place.n_given, all[i].given);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_int_equal(place_parse(bad[i], &place, &error), -EINVAL);
}

TEST(test_split)
{
    static const struct {
        const char *text, *library, *place;
    } all[] = {{"./libmix.so:mix_avx2", "./libmix.so", "mix_avx2"},
               {"libz.so.1", "libz.so.1", ""},
               {"a:b/c.so:f", "a:b/c.so", "f"},
               {"x.so:audio::mix(int)", "x.so", "audio::mix(int)"},
               {"/a/b.so:audio::mix", "/a/b.so", "audio::mix"}};
    char library[32];
    const char *place;
    struct error error;
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        assert_int_equal(
            place_split(all[i].text, library, sizeof library, &place, &error), 0);
        assert_string_equal(library, (all + i)->library);
        assert_string_equal(place, all[i].place);
    }
    assert_int_equal(place_split(":f", library, sizeof library, &place, &error), -EINVAL);
    assert_int_equal(place_split("", library, sizeof library, &place, &error), -EINVAL);
    assert_int_equal(place_library("libz.so.1:crc32"), 9);
    assert_int_equal(place_library("./a:b/mix.o:mix_c"), 11);
    assert_int_equal(place_library("./libmix.so:audio::mix"), 11);
    static const char *const alone[] = {
        "mix_c",      "audio::mix", "choose()",     "table[3]", "libz.so.1",
        "libz.so.1:", "a.so::mix",  "x::operator/", "./mix.o"};
    for (size_t i = 0; i < ARRAY_LEN(alone); i++)
        assert_int_equal(place_library(alone[i]), 0);
}

TEST(test_resolve)
{
    static const char *const good[] = {"mix_c",
                                       "mix_sse2",
                                       "mix_local",
                                       "choose_mix()",
                                       "mix_table[0]",
                                       "mix_table[1]",
                                       "mix_pointer",
                                       "mix_pointer[0]",
                                       "mix",
                                       "mix_hidden_avx",
                                       "mix_tables[1][0]",
                                       "mix_context()[1][1]",
                                       "mix_fill(2, &)[2]",
                                       "mix_by_name(\"c\", -1)"};
    static const struct {
        const char *text, *message;
        int status;
    } bad[] = {
        {"mix_table[2]", "mix_table[2]: the table has 2 entries", -ERANGE},
        {"mix_c[0]", "mix_c is a function and no table", -EINVAL},
        {"choose_none()", "choose_none() gives no function", -ENXIO},
        {"choose_none(1)", "choose_none(1) gives no function", -ENXIO},
        {"mix_fill(2, &)[1]", "mix_fill(2, &)[1] gives no function", -ENXIO},
        {"mix_fill(2, &)[8192]", "mix_fill(2, &)[8192]: & has 8192 entries", -ERANGE},
        {"mix_fill(2, &)[20000]", "& has 8192 entries", -ERANGE},
        {"mix_by_name(\"c\", 1)", "gives no function", -ENXIO},
        {"mix_tables[0][0]", "mix_tables[0][0] gives no function", -ENXIO},
        {"mix_d", "did you mean mix_c", -ENOENT}};
    struct error error = {.text = ""};
    void *const handle = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        if (mixes(handle, *state, good[i], &error) < 0)
            fail_msg("%s: %s", good[i], error.text);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        assert_int_equal(mixes(handle, *state, bad[i].text, &error), bad[i].status);
        assert_non_null(strstr(error.text, bad[i].message));
    }
    dlclose(handle);
}

TESTS_BETWEEN(open_library, close_library)
