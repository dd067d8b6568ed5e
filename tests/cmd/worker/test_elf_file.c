/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ab/private_copy.h"
#include "file_tree.h"
#include "kernels.h"
#include "unit.h"
#include "worker/elf_file.h"

static const char *module_path(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s.so", getenv("SIMDBENCH_MODULES"), name);
    return path;
}

TEST(test_kinds)
{
    struct elf_file file;
    struct error error;
    assert_int_equal(elf_read("/proc/self/exe", false, &file, &error), 0);
    assert_int_equal(file.kind, ELF_PROGRAM);
    assert_int_equal(elf_read(module_path("pace"), false, &file, &error), 0);
    assert_int_equal(file.kind, ELF_SHARED);
    assert_true(!file.hash && !file.loaded);
    assert_int_equal(elf_read("/proc/self/cmdline", false, &file, &error), 0);
    assert_int_equal(file.kind, ELF_OTHER);
    assert_int_equal(elf_read("/proc", false, &file, &error), -EISDIR);
    assert_int_equal(elf_read("/nowhere/at/all", false, &file, &error), -ENOENT);
    assert_non_null(strstr(error.text, "/nowhere/at/all"));
}

static unsigned char *read_all(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *n = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static void write_all(int memory, const unsigned char *bytes, size_t n)
{
    assert_int_equal(ftruncate(memory, 0), 0);
    assert_int_equal(pwrite(memory, bytes, n, 0), n);
}

/* Cut off anywhere, or with wrong bytes anywhere: an answer, and no crash. */
TEST(test_any_bytes)
{
    struct elf_file file;
    struct error error;
    char path[64];
    size_t n;
    uint64_t random = 1;
    const int memory = memfd_create("bytes", MFD_CLOEXEC);
    unsigned char *bytes = read_all(module_path("pace"), &n);
    assert_true(memory >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    for (size_t i = 0; i < 300; i++) {
        write_all(memory, bytes, i < 150 ? i * 7 : n * (i - 150) / 150);
        assert_int_equal(elf_read(path, true, &file, &error), 0);
    }
    for (size_t i = 0; i < 2000; i++) {
        /* Headers come first; what they point to is anywhere. */
        const size_t at = random_next(&random) % (i % 2 ? 1024 : n);
        const unsigned char keep = bytes[at];
        bytes[at] = i % 3 ? (unsigned char)random_next(&random) : 0xff;
        write_all(memory, bytes, n);
        assert_int_equal(elf_read(path, true, &file, &error), 0);
        assert_true(strlen(file.build_id) < sizeof file.build_id);
        bytes[at] = keep;
    }
    close(memory);
    free(bytes);
}

/* Files of one build-id differ in their bytes. */
TEST(test_hash)
{
    struct elf_file file, other;
    struct error error;
    char path[64];
    size_t n;
    const int memory = memfd_create("bytes", MFD_CLOEXEC);
    unsigned char *bytes = read_all(module_path("pace"), &n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    write_all(memory, bytes, n);
    assert_int_equal(elf_read(module_path("pace"), true, &file, &error), 0);
    assert_int_equal(elf_read(path, true, &other, &error), 0);
    assert_true(file.hash == other.hash);
    bytes[n - 1] ^= 1;
    write_all(memory, bytes, n);
    assert_int_equal(elf_read(path, true, &other, &error), 0);
    assert_string_equal(file.build_id, other.build_id);
    assert_true(file.hash != other.hash);
    /* The last byte is of the sections, which nobody loads. */
    assert_true(file.loaded && file.loaded == other.loaded);
    bytes[sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_align)] ^= 1;
    write_all(memory, bytes, n);
    assert_int_equal(elf_read(path, true, &other, &error), 0);
    assert_true(file.loaded != other.loaded);
    /* One for another machine is of no use here. */
    bytes[offsetof(Elf64_Ehdr, e_machine) + 1] ^= 1;
    write_all(memory, bytes, n);
    assert_int_equal(elf_read(path, true, &other, &error), 0);
    assert_int_equal(other.kind, ELF_OTHER);
    close(memory);
    free(bytes);
}

static uint64_t loaded(int memory, const char *path, const unsigned char *bytes, size_t n)
{
    struct elf_file file;
    struct error error;
    write_all(memory, bytes, n);
    assert_int_equal(elf_read(path, true, &file, &error), 0);
    return file.loaded;
}

/* The highest bits of two words, and the id, which builds of the same code differ in. */
TEST(test_hash_of_what_is_loaded)
{
    struct elf_file file;
    struct error error;
    char path[64], hex[sizeof file.build_id] = "";
    size_t n, id = 0, id_bytes;
    const int memory = memfd_create("bytes", MFD_CLOEXEC);
    unsigned char *bytes = read_all(module_path("pace"), &n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    assert_int_equal(elf_read(module_path("pace"), true, &file, &error), 0);
    /* Alignments in the table of segments: only its bytes differ. */
    for (size_t i = 1; i < 4; i++) {
        unsigned char *const one = bytes + sizeof(Elf64_Ehdr), *const two = one + i * 56;
        const size_t top = offsetof(Elf64_Phdr, p_align) + 7;
        one[top] ^= 0x80;
        two[top] ^= 0x80;
        assert_true(loaded(memory, path, bytes, n) != file.loaded);
        one[top] ^= 0x80;
        two[top] ^= 0x80;
    }
    id_bytes = strlen(file.build_id) / 2;
    assert_true(id_bytes > 0);
    while (strcmp(hex, file.build_id) != 0 && ++id + id_bytes < n)
        for (size_t i = 0; i < id_bytes; i++)
            snprintf(hex + 2 * i, 3, "%02x", bytes[id + i]);
    assert_string_equal(hex, file.build_id);
    for (size_t i = 0; i < id_bytes; i++) {
        bytes[id + i] ^= 0xff;
        assert_true(loaded(memory, path, bytes, n) == file.loaded);
    }
    bytes[id + id_bytes] ^= 1;
    assert_true(loaded(memory, path, bytes, n) != file.loaded);
    bytes[id + id_bytes] ^= 1;
    bytes[id - 1] ^= 0x20; /* of "GNU" no longer: then it is no id */
    assert_true(loaded(memory, path, bytes, n) != file.loaded);
    close(memory);
    free(bytes);
}

TEST(test_private_copy)
{
    int lock;
    char mine[64], copy[4096], neighbour[4200];
    struct error error;
    struct stat from, to;
    size_t n, m;
    const char *path = module_path("pace");
    assert_int_equal(private_folder(mine, sizeof mine, &lock, &error), 0);
    assert_int_equal(
        private_copy(mine, "control", path, false, copy, sizeof copy, &error), 0);
    assert_string_equal(strrchr(copy, '/'), "/pace.so");
    assert_int_equal(stat(path, &from), 0);
    assert_int_equal(stat(copy, &to), 0);
    assert_int_equal(from.st_mode & 0777, to.st_mode & 0777);
    assert_true(from.st_ino != to.st_ino || from.st_dev != to.st_dev);
    unsigned char *a = read_all(path, &n), *b = read_all(copy, &m);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
    /* Files beside the original are found beside the copy, or one folder up. */
    assert_int_equal(private_copy(mine, "head", path, true, copy, sizeof copy, &error),
                     0);
    *strrchr(copy, '/') = '\0';
    snprintf(neighbour, sizeof neighbour, "%s/softmax.so", copy);
    assert_int_equal(stat(neighbour, &to), 0);
    snprintf(neighbour, sizeof neighbour, "%s/../modules/softmax.so", copy);
    assert_int_equal(stat(neighbour, &to), 0);
    private_remove(mine, lock);
    assert_int_equal(stat(mine, &to), -1);
    assert_int_equal(stat(path, &from), 0);
}

/* A folder that nobody has locked was left by a process that was killed. */
TEST(test_left_copies)
{
    static const char *const left[] = {"/simdbench-ab-killed", "/simdbench-ab-killed/a",
                                       "/simdbench-ab-alive"};
    char temporary[] = "/tmp/simdbench-left-XXXXXX", mine[64], path[128];
    struct stat status;
    int lock;
    assert_non_null(mkdtemp(temporary));
    for (size_t i = 0; i < ARRAY_LEN(left); i++) {
        snprintf(path, sizeof path, "%s%s", temporary, left[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    const int alive = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(flock(alive, LOCK_EX), 0);
    tree_put(temporary, "/simdbench-ab-killed/a/copy.so", "text");
    tree_put(temporary, "/simdbench-ab-file", "text");
    tree_put(temporary, "/other", "text");
    snprintf(path, sizeof path, "%s/simdbench-ab-link", temporary);
    assert_int_equal(symlink("/", path), 0);
    assert_int_equal(setenv("TMPDIR", temporary, 1), 0);
    assert_int_equal(private_folder(mine, sizeof mine, &lock, NULL), 0);
    assert_true(lock >= 0);
    static const struct {
        const char *name;
        bool stays;
    } after[] = {{"killed", false}, {"alive", true}, {"file", true}, {"link", true}};
    for (size_t i = 0; i < ARRAY_LEN(after); i++) {
        snprintf(path, sizeof path, "%s/simdbench-ab-%s", temporary, after[i].name);
        assert_int_equal(lstat(path, &status) == 0, after[i].stays);
    }
    private_remove(mine, lock);
    assert_int_equal(stat(mine, &status), -1);
    close(alive);
    unsetenv("TMPDIR");
    assert_int_equal(tree_remove(temporary), 0);
}
