/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries as files: where they are, linked from objects, with wrong bytes. */
#include <dlfcn.h>
#include <unistd.h>

#include "find_mix.h"

static const char *library_path;
static const char *object_path;
static const char *archive_path;

TEST(test_where)
{
    char path[256];
    struct error error;
    assert_int_equal(library_where("./x.so", path, sizeof path, &error), 0);
    assert_string_equal(path, "./x.so");
    assert_int_equal(library_where("libc.so.6", path, sizeof path, &error), 0);
    assert_int_equal(access(path, R_OK), 0);
    assert_int_equal(library_where("libnowhere.so", path, sizeof path, &error), -ENOENT);
    assert_non_null(strstr(error.text, "libnowhere.so"));
    for (int i = 0; i < 2; i++) {
        const char *const name = i ? "LIBC" : "libc.so.5";
        assert_int_equal(library_where(name, path, sizeof path, &error), -ENOENT);
        assert_non_null(strstr(error.text, "did you mean libc.so.6?"));
    }
    char folder[256];
    snprintf(folder, sizeof folder, "%s", library_path);
    *strrchr(folder, '/') = '\0';
    setenv("LD_LIBRARY_PATH", folder, 1);
    assert_int_equal(library_where("declared.so", path, sizeof path, &error), 0);
    unsetenv("LD_LIBRARY_PATH");
    assert_string_equal(path, library_path);
}

static void link_and_call(const char *path)
{
    struct library library;
    struct error error = {.text = ""};
    char *linked, *command;
    assert_true(library_must_link(path));
    if (library_link(path, &linked, &command, &error) < 0)
        fail_msg("%s", error.text);
    assert_non_null(strstr(command, " -shared -o "));
    assert_non_null(strstr(command, path));
    assert_int_equal(library_read(linked, &library, &error), 0);
    void *const handle = dlopen(linked, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    assert_int_equal(unlink(linked), 0);
    if (mixes(handle, &library, "mix_local", &error) < 0)
        fail_msg("%s", error.text);
    dlclose(handle);
    library_close(&library);
    free(linked);
    free(command);
}

TEST(test_linked)
{
    char *linked, *command;
    struct error error;
    link_and_call(object_path);
    link_and_call(archive_path);
    assert_false(library_must_link(library_path));
    assert_int_equal(library_link("/nowhere/x.o", &linked, &command, &error), -ENOEXEC);
    assert_null(linked);
    assert_null(command);
    assert_non_null(strstr(error.text, "cannot link /nowhere/x.o: "));
    setenv("CC", "/nowhere/cc", 1);
    assert_int_equal(library_link(object_path, &linked, &command, &error), -ENOENT);
    unsetenv("CC");
}

static size_t count_lines(const char *path)
{
    FILE *const file = fopen(path, "r");
    size_t lines = 0;
    assert_non_null(file);
    for (int c; (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    return lines;
}

/* A compiler of a few lines complains as real ones do; it is asked again only if what it
 * complains of can be taken away, and its last complaint is told. */
TEST(test_complaints_of_linkers)
{
#define STREAMS "relocation R_X86_64_PC32 against symbol \\`stderr@@GLIBC_2.2.5'"
#define LIBRARY "ld: cannot find -lstdc++: No such file or directory"
    static const struct {
        const char *without, *complaint, *told;
        size_t runs;
    } rows[] = {
        {"none", "x.o: file format not recognized", "file format not recognized", 1},
        {"none", "undefined reference to 'std::terminate()'", "undefined reference", 1},
        {"none", "undefined reference to my_stderr", "undefined reference", 1},
        {"none", "ld: cannot find -lnowhere\ncollect2: error: ld returned 1 exit status",
         "cannot find -lnowhere", 1},
        {"assembler", STREAMS, "relocation of other", 2},
        {"lstdc", LIBRARY, "relocation of other", 2},
        {"both", STREAMS, "relocation of other", 3},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char script[] = "/tmp/simdbench-cc-XXXXXX", log[64], compiler[64];
        char *linked, *command;
        struct error error;
        const int fd = mkstemp(script);
        assert_true(fd >= 0);
        snprintf(log, sizeof log, "%s.log", script);
        snprintf(compiler, sizeof compiler, "sh %s", script);
        dprintf(fd,
                "echo run >>%s; without=%s\n"
                "case $without,$* in\n"
                "none,*) printf '%%b\\n' \"%s\";;\n"
                "lstdc,*lstdc*|both,*lstdc*) echo '" LIBRARY "';;\n"
                "assembler,*assembler*|both,*assembler*|lstdc,*) echo relocation of other"
                ";;\n"
                "*) echo \"%s\";;\nesac\nexit 1\n",
                log, rows[i].without, rows[i].complaint, rows[i].complaint);
        close(fd);
        setenv("CC", compiler, 1);
        assert_int_equal(library_link(object_path, &linked, &command, &error), -ENOEXEC);
        unsetenv("CC");
        assert_null(command);
        if (!strstr(error.text, rows[i].told))
            fail_msg("row %zu: %s", i, error.text);
        assert_int_equal(count_lines(log), rows[i].runs);
        unlink(script);
        unlink(log);
    }
}

/* A compiler with more words than are kept would be run without the file. */
TEST(test_compiler_of_many_words)
{
#define EIGHT " -g -g -g -g -g -g -g -g"
    char *linked, *command;
    struct error error;
    setenv("CC", "cc" EIGHT EIGHT EIGHT EIGHT EIGHT, 1);
    assert_int_equal(library_link(object_path, &linked, &command, &error), -E2BIG);
    unsetenv("CC");
    assert_null(linked);
    assert_null(command);
}

TEST(test_objects)
{
    struct library library;
    struct error error;
    assert_int_equal(library_read(object_path, &library, &error), 0);
    assert_true(library.is_object);
    assert_int_equal(found(&library, "mix_c")->binding, FUNCTION_EXPORTED);
    library_close(&library);
    assert_int_equal(library_read(archive_path, &library, &error), -ENOEXEC);
    assert_int_equal(library_read("/nowhere", &library, &error), -ENOENT);
    assert_int_equal(library_read("/", &library, &error), -EISDIR);
    assert_int_equal(library_read("/dev/null", &library, &error), -ENOEXEC);
    assert_non_null(strstr(error.text, "this is no regular file"));
}

/* A file that is no library here is told of: one of no bytes, one of other bytes, one of
 * another machine, one that is cut off inside its table of sections. */
TEST(test_other_files)
{
    static unsigned char bytes[1 << 20];
    static const struct {
        const char *said;
        size_t changed, kept; /* 0: none is changed; as many as fit: all but the last */
    } rows[] = {{"it is no library, program or object file", 1, 0},
                {"it is for another kind of machine", 18, 0},
                {"its end is missing", 0, 3000},
                {"its end is missing", 0, sizeof bytes},
                {"the file is empty", 0, 0}};
    char path[] = "/tmp/simdbench-library-XXXXXX";
    FILE *const file = fopen(library_path, "rb");
    assert_non_null(file);
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct library library;
        struct error error = {.text = ""};
        const size_t at = rows[i].changed;
        const size_t kept = at ? n : rows[i].kept < n ? rows[i].kept : n - 1;
        const unsigned char good = bytes[at];
        bytes[at] = (unsigned char)(at ? ~good : good);
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, bytes, kept, 0), kept);
        bytes[at] = good;
        assert_int_equal(library_read(path, &library, &error), -ENOEXEC);
        assert_non_null(strstr(error.text, rows[i].said));
    }
    close(fd);
    unlink(path);
}

/* Cut off anywhere, or with wrong bytes anywhere: an answer, and no crash. */
TEST(test_any_bytes)
{
    char path[] = "/tmp/simdbench-library-XXXXXX";
    static unsigned char bytes[1 << 20], copy[1 << 20];
    FILE *file = fopen(library_path, "rb");
    uint64_t random = 1;
    assert_non_null(file);
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (int round = 0; round < 500; round++) {
        struct library library;
        struct error error = {.text = ""};
        size_t kept = n;
        memcpy(copy, bytes, n);
        for (int i = 0; i <= round % 4; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            /* The header, the tables' own headers at the end, and anywhere. */
            const size_t span = round % 3 == 0 ? 64 : n;
            const size_t from = round % 3 == 1 ? n - 2048 : 0;
            copy[from + (random >> 20) % (span - from)] = (unsigned char)(random >> 50);
        }
        if (round % 7 == 0)
            kept = (random >> 30) % n;
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, copy, kept, 0), kept);
        if (library_read(path, &library, &error) == 0) {
            assert_int_equal(library_decode(&library, NULL, &error), 0);
            library_close(&library);
        } else {
            assert_true(error.text[0]);
        }
    }
    close(fd);
    unlink(path);
}

static int take_paths(void **state)
{
    library_path = unit_argument(1);
    object_path = unit_argument(2);
    archive_path = unit_argument(3);
    return archive_path ? 0 : -1;
}

TESTS_BETWEEN(take_paths, NULL)
