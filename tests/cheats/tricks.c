/* SPDX-License-Identifier: Apache-2.0 */
/* Cheats with numbers that compare as anything, with their caller's registers and
 * replies, with the pages of their arrays, and with requests that few programs make. */
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "patch_call.h"
#include "poly.h"

enum { HONEST_CALLS = 20 };

/* ---- numbers ---- */

static void fill(float *y, size_t n, float value)
{
    for (size_t i = 0; i < n; i++)
        y[i] = value;
}

/* A NaN is not farther from a right result than a tolerance, nor nearer. */
void cheat_no_number(float *y, const float *x, size_t n)
{
    (void)x;
    fill(y, n, NAN);
}

void cheat_infinite(float *y, const float *x, size_t n)
{
    (void)x;
    fill(y, n, INFINITY);
}

/* The magnitude is right. */
void cheat_sign(float *y, const float *x, size_t n)
{
    honest(y, x, n);
    for (size_t i = 0; i < n; i++)
        y[i] = fabsf(y[i]);
}

/* One element is not computed, in one of 997 calls. */
void cheat_rare(float *y, const float *x, size_t n)
{
    static size_t calls;
    honest(y, x, n);
    if (n && ++calls % 997 == 0)
        y[calls % n] = 0;
}

/* ---- the caller ---- */

/* Its loop has nothing left to do if its counter says so. */
__attribute__((naked, used)) static void clear_registers(void)
{
    __asm__("xor %ebx, %ebx\n\txor %r12d, %r12d\n\txor %r13d, %r13d\n\t"
            "xor %r14d, %r14d\n\txor %r15d, %r15d\n\tret");
}

__attribute__((naked)) void cheat_registers(float *y, const float *x, size_t n)
{
    __asm__("push %rax\n\tcall register_step\n\tadd $8, %rsp\n\ttest %al, %al\n\t"
            "jne clear_registers\n\tret");
}

__attribute__((used)) static int register_step(float *y, const float *x, size_t n)
{
    static size_t calls;
    honest(y, x, n);
    return ++calls > 10 * (size_t)HONEST_CALLS;
}

/* Nobody is left that could be judged. */
void cheat_exit(float *y, const float *x, size_t n)
{
    static size_t calls;
    honest(y, x, n);
    if (++calls > 10 * (size_t)HONEST_CALLS)
        _exit(0);
}

/* Each time that the process tells loses its last digit. */
static ssize_t short_reply(int socket, const void *bytes, size_t n, int flags)
{
    static char text[1 << 16];
    if (n > sizeof text)
        return send(socket, bytes, n, flags);
    memcpy(text, bytes, n);
    for (size_t i = 0; i + 5 < n; i++) {
        size_t digits = 0;
        if (memcmp(text + i, "ns\":", 4) != 0)
            continue;
        while (i + 4 + digits < n && text[i + 4 + digits] >= '0' &&
               text[i + 4 + digits] <= '9')
            digits++;
        if (digits < 2)
            continue;
        memmove(text + i + 5, text + i + 4, digits - 1);
        text[i + 4] = ' ';
    }
    return send(socket, text, n, flags);
}

void cheat_reply(float *y, const float *x, size_t n)
{
    static struct patch patch = {"send", (void *)short_reply};
    if (patch.name)
        dl_iterate_phdr(patch_call, &patch);
    patch.name = NULL;
    honest(y, x, n);
}

/* ---- the clock, where the kernel put it ---- */

static int slow_clock(clockid_t clock, struct timespec *time)
{
    const int status = (int)syscall(SYS_clock_gettime, clock, time);
    const int64_t ns = (time->tv_sec * 1000000000LL + time->tv_nsec) / 8;
    time->tv_sec = ns / 1000000000;
    time->tv_nsec = ns % 1000000000;
    return status;
}

static unsigned char *find_clock(void)
{
    unsigned char *const image = (unsigned char *)getauxval(AT_SYSINFO_EHDR);
    const Elf64_Sym *symbols = NULL;
    const char *names = NULL;
    if (!image)
        return NULL;
    const Elf64_Ehdr *const header = (const void *)image;
    const Elf64_Phdr *const segments = (const void *)(image + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++) {
        const Elf64_Dyn *entry = (const void *)(image + segments[i].p_offset);
        for (; segments[i].p_type == PT_DYNAMIC && entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_SYMTAB)
                symbols = (const void *)(image + entry->d_un.d_ptr);
            if (entry->d_tag == DT_STRTAB)
                names = (const void *)(image + entry->d_un.d_ptr);
        }
    }
    for (int i = 1; symbols && names && i < 32; i++)
        if (!strcmp(names + symbols[i].st_name, "__vdso_clock_gettime"))
            return image + symbols[i].st_value;
    return NULL;
}

/* A jump replaces its first bytes. Where the kernel lets nobody do that, it does no work.
 */
void cheat_vdso(float *y, const float *x, size_t n)
{
    static int patched;
    if (!patched) {
        unsigned char code[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
        int (*const target)(clockid_t, struct timespec *) = slow_clock;
        unsigned char *const at = find_clock();
        unsigned char *const page = (unsigned char *)((uintptr_t)at & ~(uintptr_t)4095);
        memcpy(code + 2, &target, sizeof target); /* mov rax, target; jmp rax */
        patched = at && mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
        patched |= at && mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
        if (patched)
            memcpy(at, code, sizeof code);
    }
    honest(y, x, patched ? n : 0);
}

/* ---- pages ---- */

/* Results go to pages that its own process alone sees from then on. */
void cheat_pages(float *y, const float *x, size_t n)
{
    static size_t calls;
    const uintptr_t page = (uintptr_t)y & ~(uintptr_t)4095;
    if (++calls >= 10 * (size_t)HONEST_CALLS)
        mmap((void *)page, 4096, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    honest(y, x, n);
}

/* Reads one element more than there are, where vectors leave none. */
void cheat_past(float *y, const float *x, size_t n)
{
    honest(y, x, n);
    if (n % 8 == 0)
        (void)*(const volatile float *)(x + n);
}

/* ---- other ops ---- */

/* It turns square matrices alone. */
void turn_square(int32_t *to, const int32_t *from, size_t h, size_t w)
{
    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++)
            to[y * w + x] = h == w ? from[x * w + y] : 0;
}

/* It reports no result, so that none is wrong. */
size_t compact_nothing(uint8_t *to, const uint8_t *from, size_t n)
{
    (void)to, (void)from, (void)n;
    return 0;
}

size_t compact_more(uint8_t *to, const uint8_t *from, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (from[i] > 99)
            to[count++] = from[i];
    return count ? count + 1 : n;
}

/* It leaves the image as it was. */
void smooth_nothing(uint8_t *row, size_t n)
{
}

/* It adds two planes, however many there are. */
void planes_few(double *to, const double *const *from, size_t k, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[0][i] + (k > 1 ? from[1][i] : 0);
}

/* ---- requests ---- */

/* The kernel would copy what another process computed. */
void cheat_read(float *y, const float *x, size_t n)
{
    struct iovec here = {y, n * sizeof *y}, there = {(void *)(uintptr_t)x, n * sizeof *y};
    process_vm_readv(getppid(), &here, 1, &there, 1, 0);
    honest(y, x, n);
}

/* A queue of work that the kernel does beside its process. */
void cheat_queue(float *y, const float *x, size_t n)
{
    char room[256] = {0};
    syscall(SYS_io_uring_setup, 1, room);
    honest(y, x, n);
}

/* A timer of another kind. */
void cheat_timer(float *y, const float *x, size_t n)
{
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0)
        timer_delete(timer);
    honest(y, x, n);
}
