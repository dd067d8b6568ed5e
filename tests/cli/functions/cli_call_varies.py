# SPDX-License-Identifier: Apache-2.0
"""`simdbench call`: what it says of functions whose results are others in each call."""
import re
import unittest

from cli_call import MIX, CallCase
from cli_tool import (MADE_UP, SHORT, compile_library, environment, kernels,
                      sanitized)

SOURCE = """
#include <signal.h>
#include <stdlib.h>
#include <string.h>
void keep_stack(int *to) /* as the runtime of Go does */
{
    static stack_t first;
    stack_t now;
    sigaltstack(NULL, &now);
    if (!first.ss_sp)
        first = now;
    if (now.ss_sp != first.ss_sp)
        abort();
    *to = 1;
}
void run_down(int *x) /* dies of what it left */
{
    if (x[0] == 77)
        abort();
    x[0] = 77;
}
void omp_threads(int *to)
{
    const char *const threads = getenv("OMP_NUM_THREADS");
    *to = threads ? atoi(threads) : 0;
}
void one(int *to)
{
    *to = 1;
}
void flip(int *to) /* zero and one in turns */
{
    static int calls;
    *to = calls++ & 1;
}
void nine(int *to, size_t n) /* others in each call where n is 9 */
{
    static int calls;
    for (size_t i = 0; i < n; i++)
        to[i] = n == 9 ? calls++ : 7;
}
void store_before(int *to, const int *from, size_t n) /* what was there */
{
    volatile int *const before = (int *)from - 1;
    *before = *before;
    *to = 1;
}
void store_behind(int *to, const int *from, size_t n)
{
    volatile int *const behind = (int *)from + n;
    *behind = *behind;
    *to = 1;
}
void sums(double *y, const double *x, const double *z)
{
    for (int i = 0; i < 64; i++)
        y[i] = x[i] + z[i];
}
void sums_of_floats(double *y, const double *x, const double *z)
{
    for (int i = 0; i < 64; i++)
        y[i] = (float)x[i] + (float)z[i];
}
float *table_new(void) /* half of it is not written */
{
    float *table = malloc(16 * sizeof *table);
    for (int i = 0; i < 8; i++)
        table[i] = i;
    return table;
}
void by_table(const float *table, float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] * table[i % 16];
}
float dot(const float *x, const float *y, int n, int lanes)
{
    float sum[4] = {0};
    for (int i = 0; i < n; i++)
        sum[i % lanes] += x[i] * y[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}
float dot_in_order(const float *x, const float *y, int n, int lanes)
{
    return dot(x, y, n, 1);
}
int copies(const char *s, char **to, size_t *n)
{
    *n = strlen(s);
    *to = strdup(s);
    return 0;
}
int false_copies(const char *s, char **to, size_t *n)
{
    copies(s, to, n);
    (*to)[*n - 1] ^= *n > 9;
    return 0;
}
char *text(const char *s)
{
    return strdup(s);
}
char *false_text(const char *s)
{
    char *const to = strdup(s);
    if (to[0] && to[1])
        to[1] = 0;
    return to;
}
const int *table(void)
{
    static const int numbers[] = {1, 2, 3, 4};
    return numbers;
}
void hand_on(int *from, int *to, int *part) /* `part` is written in part */
{
    *to = *from + 1;
    *from = *part = 1;
}
"""


class CallVaries(CallCase):
    def row(self, function, prototype, *options, **more):
        row = self.call(function, prototype, f"--reference={function}", *options,
                        **more)[function]
        return row | {"notes": " ".join(row["notes"])}

    def unchecked(self, *arguments):
        row = self.row(*arguments)
        self.assertIn(row["status"], ("unchecked", "short"), row)
        return row

    def test_outputs_that_are_read(self):
        """Those of xor cancel the bytes out that the check lays there."""
        for function, prototype, name in (
                ("mix_c", MIX.replace("inout ", ""), "dst"),
                ("planes_xor", "void (uint32_t *const x[5][n], size_t n)", "x")):
            self.assertIn(f"what {name} held before the call: if the function reads it, write inout",
                          self.unchecked(function, prototype, "--sizes=64")["notes"])

    def test_which_output_is_read(self):
        self.built = compile_library(self.folder, "libvaries.so", "-O1", "-x", "c", "-",
                                     input=SOURCE)
        row, = self.call("sums_of_floats", "void (double y[64], const double x[64], "
                         "const double z[64])", "--reference=sums", status=4).values()
        self.assertRegex(row["reason"], r"6\d of 64 checked are wrong")
        row = self.unchecked("hand_on", "void (int from[1], int to[1], int part[2])")
        self.assertIn("to depends on what outputs held before the call", row["notes"])
        row = self.unchecked("flip", "void (int to[1])")
        self.assertNotIn("before the call", row["notes"])
        calls = "run_down", "void (inout int x[1] = {1})"
        died = self.row(*calls, status=4)
        self.assertEqual(died["status"], "failed", died)
        self.assertIn("--reset of call", died["notes"])
        self.assertIn(self.row(*calls, "--reset")["status"], ("ok", "short"))
        self.assertIn(self.row("keep_stack", "void (int to[1])")["status"], ("ok", "short"))

    def test_memory_that_is_compared(self):
        """By a length that the function reports, that of a text, or one that follows."""
        self.built = compile_library(self.folder, "libvaries.so", "-O1", "-x", "c", "-",
                                     input=SOURCE)
        for name, prototype, wrong in (
                ("copies", "int (const char s[n], char **to free free length m, size_t *m) for n",
                 "false_copies"),
                ("text", "char *(const char s[n]) free free length strlen for n", "false_text"),
                ("text", "char *(const char s[n]) free free length n for n", "false_text")):
            options = f"--reference={name}", "--input=s=text", "--sizes=100"
            row = self.call(name, prototype, *options)[name]
            self.assertEqual((row["status"], row["reason"]), ("ok", None), row)
            self.assertIn("time of a call is also that of free", " ".join(row["notes"]))
            row = self.call(wrong, prototype, *options, status=4)[wrong]
            self.assertEqual(row["status"], "wrong", row)
        row = self.row("table", "const int *(void) length 4")
        self.assertIn(row["status"], ("ok", "short"))
        row = self.row("table", "const int *(void) length 1000000000", status=4)
        self.assertIn("the memory that it made ends before its length", row["reason"])

    def test_writes_beside_inputs(self):
        """Their pages have room, which is no part of them."""
        self.built = compile_library(self.folder, "libvaries.so", "-O1", "-x", "c", "-",
                                     input=SOURCE)
        for function, options, reason in (
                ("store_before", (), "writes before the beginning of from"),
                ("store_behind", (), "4 bytes beyond the end of from, which has 101 elements"),
                ("store_behind", ("--overread=32",), "writes 4 bytes beyond the end of from")):
            row = self.row(function, "void (int to[1], const int from[n], size_t n)",
                           "--sizes=101", *options, status=4)
            self.assertEqual(row["status"], "wrong", row)
            self.assertIn(reason, row["reason"])

    def test_structure(self):
        """Its members are pointers to arrays, which stand behind `for`, and numbers."""
        view = ("typedef struct view { const float *from; float *to; int w, h; size_t stride; "
                "float gain; } view; void f(const view *v = {%s, to, w, h, %s, 0.5}) for "
                "const float from[h * w], float to[h * w], w, h;")
        right = view % ("from", "w")
        options = "--sizes=30x7", "--reference=view_scale"
        self.right("view_scale", right, "--sizes=30x7", "--inputs=3")
        row = self.call("view_scale_most", right, *options, status=4)["view_scale_most"]
        self.assertEqual(row["status"], "wrong", row)
        self.assertEqual(row["work"]["bytes"], 2 * 4 * 30 * 7)
        for members, status, reason in (
                (("from + 1", "w"), "wrong", "reads 4 bytes beyond the end of from"),
                (("from", "-1"), "failed", "member 5 is -1, which u64 cannot hold")):
            row = self.call("view_scale", view % members, *options, status=4)["view_scale"]
            self.assertEqual(row["status"], status, row)
            self.assertIn(reason, row["reason"])

    def test_openmp(self):
        """One thread, unless somebody asks for more."""
        self.built = compile_library(self.folder, "libvaries.so", "-O1", "-x", "c", "-",
                                     input=SOURCE)
        asked = "omp_threads", "void (int to[1])", "--reference=one"
        env = environment()
        env.pop("OMP_NUM_THREADS", None)
        self.assertIn(self.call(*asked, env=env)["omp_threads"]["status"], ("ok", "short"))
        row = self.call(*asked, status=4, env=environment(OMP_NUM_THREADS="3"))["omp_threads"]
        self.assertEqual(row["status"], "wrong", row)

    def test_order_of_sizes(self):
        """A shape says nothing of another one."""
        self.built = compile_library(self.folder, "libvaries.so", "-O1", "-x", "c", "-",
                                     input=SOURCE)
        for sizes in "8,9", "9,8":
            document = self.run_json("call", f"{self.built}:nine", "void (int to[n], size_t n)",
                                     "--reference=nine", f"--sizes={sizes}", "--quiet", *SHORT)
            rows = {row["id"].rpartition("@")[2]: row for row in kernels(document)}
            self.assertEqual(rows["9"]["status"], "unchecked", rows)
            self.assertNotEqual(rows["8"]["status"], "unchecked", rows)
            self.assertIn("its results are the same in each call", " ".join(rows["8"]["notes"]))

    def test_state_outside_of_objects(self):
        """Of a function whose object alone changes, calls with new ones are equal."""
        told = "two calls with objects that were made anew differ"
        row = self.unchecked("draw", "uint32_t (struct scale *s = from scale_new(3) free scale_free)")
        self.assertIn(told, row["notes"])
        self.assertIsNone(row["limit"], "of no bytes")
        row = self.row("taps_run", "void (taps *t = from taps_new(tap, n, tap) free free, "
                       "int32_t to[n]) for n, const int32_t tap[n]", "--sizes=9")
        self.assertNotIn(told, row["notes"])

    @unittest.skipIf(sanitized(), "a sanitizer's malloc decides what new memory holds")
    def test_memory_that_nobody_wrote(self):
        """What an object's maker left unwritten decides: nothing is wrong, or right."""
        self.built = compile_library(self.folder, "libvaries.so", "-O1", "-x", "c", "-",
                                     input=SOURCE)
        row = self.unchecked("by_table", "void (void *table = from table_new() free free, "
                             "float y[n], const float x[n], size_t n)", "--sizes=100")
        self.assertIn("or memory that nobody wrote", row["notes"])

    def test_own_reference(self):
        """It may be equal to itself, or not."""
        told = "it is its own reference: its results are the same in each call"
        self.assertIn(told, self.row("mix_c", MIX, "--sizes=64")["notes"])
        self.assertNotIn(told, self.unchecked("draw", "uint32_t ()")["notes"])

    def test_order_of_sums(self):
        """The row names the option that allows it."""
        self.built = compile_library(self.folder, "libvaries.so", "-O1", "-x", "c", "-",
                                     input=SOURCE)
        asked = ("dot", "float (const float x[n], const float y[n], int n, int lanes = 4)",
                 "--reference=dot_in_order", "--sizes=1000", "--seed=1")
        reason = self.call(*asked, status=4)["dot"]["reason"]
        option, = re.findall(r"differ in their last bits, which (--tolerance=\S+)", reason)
        row = self.call(*asked, option)["dot"]
        self.assertIn(row["status"], ("ok", "suspect"), row)

    def test_nothing_is_left(self):
        place = self.new_folder()
        self.mix("mix_c", env=environment(TMPDIR=str(place)))
        self.assertEqual(list(place.iterdir()), [])

    def test_sort(self):
        """Each call sorts what the first one sorted; nobody has to ask for that."""
        for first, noted in (MADE_UP, 0), (MADE_UP + ",first=4", 1):
            document = self.run_json("call", f"{self.built}:sort",
                                     "void (inout int32_t x[n], size_t n)", "--sizes=4096",
                                     env=environment(SIMDBENCH_TEST_CLOCK=first))
            notes = str(kernels(document)[0]["notes"])
            self.assertEqual(notes.count("each call gets the data of the first"), noted, notes)
