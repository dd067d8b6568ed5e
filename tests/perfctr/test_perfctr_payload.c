/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads run, and which CPUs share a core; test_perfctr_clock.c times payloads. */
#include <sys/stat.h>
#include <unistd.h>

#include "payload_here.h"
#include "perfctr_private.h"
#include "unit.h"

TEST(test_rows)
{
    assert_in_range(payload_count(), 2, PAYLOADS_MAX);
    assert_int_equal(payload_get(0)->bits, 0);
    for (size_t i = 1; i < payload_count(); i++) {
        assert_true(payload_get(i)->bits >= payload_get(i - 1)->bits);
        assert_string_not_equal(payload_get(i)->name, payload_get(i - 1)->name);
    }
}

TEST(test_run)
{
    struct payload_data data, copy;
    payload_fill(&data, 7);
    copy = data;
    for (size_t i = 0; i < payload_count(); i++) {
        const struct payload *const payload = payload_get(i);
        for (size_t k = 0; k < 2 && payload_here(payload); k++) {
            payload->chained[k](2, &data);
            payload->bare[k](2, &data);
        }
    }
    assert_memory_equal(data.value, copy.value, sizeof data.value);
    assert_memory_equal(data.ring, copy.ring, sizeof data.ring);
}

TEST(test_data)
{
    struct payload_data data, other;
    size_t equal = 0;
    payload_fill(&data, 1);
    payload_fill(&other, 2);
    for (size_t i = 0; i < ARRAY_LEN(data.value); i++) {
        assert_true(data.value[i] >= 0.5f && data.value[i] < 1);
        equal += data.value[i] == other.value[i];
        for (size_t k = 0; k < i; k++)
            equal += data.value[i] == data.value[k];
    }
    assert_true(equal < 3);
}

static char root[64];
static const char *const folders[] = {"/sys", "/sys/devices", "/sys/devices/system",
                                      "/sys/devices/system/cpu"};

static void put_siblings(int cpu, const char *list)
{
    char path[160];
    FILE *file;
    snprintf(path, sizeof path, "%s%s/cpu%d", root, folders[3], cpu);
    assert_int_equal(mkdir(path, 0755), 0);
    strcat(path, "/topology");
    assert_int_equal(mkdir(path, 0755), 0);
    strcat(path, "/thread_siblings_list");
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", list);
    assert_int_equal(fclose(file), 0);
}

static void remove_siblings(int cpu)
{
    static const char *const parts[] = {"/topology/thread_siblings_list", "/topology",
                                        ""};
    char path[160];
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        snprintf(path, sizeof path, "%s%s/cpu%d%s", root, folders[3], cpu, parts[i]);
        assert_int_equal(remove(path), 0);
    }
}

TEST(test_cores)
{
    /* CPU 6 is not described: it counts as a core of its own. */
    static const char *const lists[] = {"0,4", "1,5", "2-3", "2-3", "0,4", "1,5"};
    int cpu[] = {0, 1, 2, 3, 4, 5, 6}, some[] = {3, 4, 5}, sibling[4];
    char path[160];
    strcpy(root, "/tmp/simdbench-cores-XXXXXX");
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        assert_int_equal(mkdir(path, 0755), 0);
    }
    for (int i = 0; i < (int)ARRAY_LEN(lists); i++)
        put_siblings(i, lists[i]);
    assert_int_equal(cpus_cores_at(root, cpu, ARRAY_LEN(cpu)), 4);
    assert_memory_equal(cpu, ((int[]){0, 1, 2, 6}), 4 * sizeof(int));
    assert_int_equal(cpus_cores_at(root, some, ARRAY_LEN(some)), 3);
    assert_int_equal(cpus_siblings_at(root, 5, sibling, ARRAY_LEN(sibling)), 2);
    assert_memory_equal(sibling, ((int[]){1, 5}), 2 * sizeof(int));
    assert_int_equal(cpus_siblings_at(root, 2, sibling, ARRAY_LEN(sibling)), 2);
    assert_memory_equal(sibling, ((int[]){2, 3}), 2 * sizeof(int));
    assert_int_equal(cpus_siblings_at(root, 6, sibling, ARRAY_LEN(sibling)), 1);
    assert_int_equal(sibling[0], 6);
    for (int i = 0; i < (int)ARRAY_LEN(lists); i++)
        remove_siblings(i);
    for (size_t i = ARRAY_LEN(folders); i-- > 0;) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        assert_int_equal(rmdir(path), 0);
    }
    assert_int_equal(rmdir(root), 0);
}
