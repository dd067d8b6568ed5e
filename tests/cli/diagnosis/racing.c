/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose threads, children and mappings come and go while it is traced. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

float sum(const float *x, size_t n);
enum { N = 2000, THREADS = 3, PAGE = 4096 };
static float data[N];
static atomic_bool over;

static void *calling(void *nothing)
{
    while (!over) {
        sum(data, N);
        usleep(100);
    }
    return nothing;
}

static int forks(int n)
{
    pthread_t id[THREADS];
    int bad = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, calling, NULL);
    for (int i = 0; i < n; i++) {
        int status;
        const pid_t child = fork();
        if (child == 0)
            _exit(sum(data, N) != 0);
        waitpid(child, &status, 0);
        bad += status != 0;
    }
    over = true;
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    return printf("%d bad\n", bad) < 0;
}

static void *call(void *nothing)
{
    sum(data, N);
    return nothing;
}

static void *starting(void *nothing)
{
    pthread_t id;
    while (!over && pthread_create(&id, NULL, call, NULL) == 0)
        pthread_join(id, NULL);
    return nothing;
}

/* Until its standard input ends. */
static int starts(void)
{
    pthread_t id[2 * THREADS];
    for (int i = 0; i < 2 * THREADS; i++)
        pthread_create(&id[i], NULL, starting, NULL);
    puts("ready");
    fflush(stdout);
    getchar();
    over = true;
    for (int i = 0; i < 2 * THREADS; i++)
        pthread_join(id[i], NULL);
    return puts("ended") < 0;
}

static void *calling_few(void *nothing)
{
    for (int i = 0; i < 200; i++)
        sum(data, N);
    return nothing;
}

/* The first calls are those of a single thread. */
static int counts(void)
{
    pthread_t id[THREADS];
    calling_few(NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, calling_few, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    return 0;
}

/* The file of a library lies before the library, for reading, when another one comes. */
static int reads(const char *path, const char *other)
{
    void *const library = dlopen(path, RTLD_NOW);
    float (*const function)(const float *, size_t) =
        library ? (float (*)(const float *, size_t))dlsym(library, "sum_sse2") : NULL;
    const int file = open(path, O_RDONLY);
    struct stat found;
    Dl_info place;
    if (!function || !dladdr((void *)function, &place) || fstat(file, &found) < 0)
        return 1;
    const size_t size = (size_t)found.st_size, pages = (size + PAGE - 1) / PAGE * PAGE;
    char *const copy = malloc(size);
    char *const before = mmap((char *)place.dli_fbase - pages, pages, PROT_READ,
                              MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, 0);
    if (before == MAP_FAILED || pread(file, copy, size, 0) != found.st_size)
        return 1;
    for (int i = 0; i < 6; i++) {
        function(data, N);
        if (i == 2 && !dlopen(other, RTLD_NOW))
            return 1;
    }
    return puts(memcmp(copy, before, size) ? "changed" : "same") < 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "counts"))
        return counts();
    if (argc == 4)
        return reads(argv[2], argv[3]);
    return argc == 3 ? forks(atoi(argv[2])) : starts();
}
