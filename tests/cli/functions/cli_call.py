# SPDX-License-Identifier: Apache-2.0
"""`simdbench call`: functions of a library that no plug-in wraps."""
import platform
import re
import tempfile
import unittest
from pathlib import Path

from cli_tool import SHORT, Case, compile_library, kernels

MIX = "void (inout float dst[n], const float src[n], float gain = 0.5, size_t n)"
SOURCE = Path(__file__).with_name("mix.c")


@unittest.skipUnless(platform.machine() == "x86_64", "thunks are made for x86-64")
class CallCase(Case):
    """They share a library."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder_of_library = cls.enterClassContext(
            tempfile.TemporaryDirectory(prefix="simdbench-"))
        cls.built = compile_library(Path(cls.folder_of_library), "libmix.so", "-g", SOURCE,
                                    SOURCE.with_name("states.c"))

    def call(self, functions, prototype, *options, **more):
        """The rows of a run, by variant."""
        document = self.run_json("call", f"{self.built}:{functions}", prototype, "--quiet",
                                 *SHORT, *options, **more)
        return {row["variant"]: row for row in kernels(document)}

    def mix(self, functions, *options, sizes="101", **more):
        return self.call(functions, MIX, f"--sizes={sizes}", "--reference=mix_c", *options, **more)

    def right(self, function, prototype, *options):
        row = self.call(function, prototype, f"--reference={function}", *options)[function]
        self.assertIn(row["status"], ("ok", "suspect", "short"), row)
        return row

    def broken(self, function, status, reason, *options):
        row = self.mix(function, *options, status=4)[function]
        self.assertEqual(row["status"], status, row)
        self.assertRegex(row["reason"], reason)
        return row


class Call(CallCase):
    def test_reference(self):
        row = self.mix("mix_avx2")["mix_avx2"]
        self.assertIn(row["status"], ("ok", "suspect", "skipped"), row)
        self.assertEqual(row["id"], "libmix:mix/f32/avx2/mix_avx2@101")
        self.assertEqual(row["work"]["bytes"], 1212)

    def test_reference_elsewhere(self):
        other = self.folder / "libother.so"
        other.write_bytes(self.built.read_bytes())
        for name, status, exit_status in (("mix_c", ("ok", "suspect"), 0),
                                          ("mix_wrong", ("wrong",), 4)):
            row = self.call("mix_c", MIX, f"--reference={other}:{name}", "--sizes=101",
                            status=exit_status)["mix_c"]
            self.assertIn(row["status"], status, row)
        for place, why in ((f"{other}:mix_d", "libother.so has no function mix_d; did you mean"),
                           (f"{self.folder}/none.so:mix_c", "none.so")):
            done = self.run_tool("call", f"{self.built}:mix_c", MIX, f"--reference={place}",
                                 status=2)
            self.assertIn(why, done.stderr)

    def test_relative(self):
        """The column is there again in a report of the file."""
        path = self.folder / "run.json"
        self.run_tool("call", f"{self.built}:mix_c,mix_choose()", MIX, "--sizes=64",
                      "--reference=mix_c", "--tolerance=rel:1e-6", "--quiet", f"--json={path}",
                      "--relative-to=scalar/mix_c", *SHORT)
        text = self.run_tool("report", path).stdout
        self.assertRegex(text, r"vs scalar/mix_c")
        self.assertRegex(self.load(path)["tool"]["plugins"][0],
                         re.escape(f"{self.built}:mix_c,mix_choose() ") + "declared-[0-9a-f]{16}$")
        self.assertRegex(text, r"scalar/mix_c@64 .* - ")
        self.assertRegex(text, r"lib/mix_choose@64 .*\d+x \[")
        text = self.run_tool("relu", "--isa=scalar", "--variants=max", "--sizes=64",
                             "--baseline=none", "--quiet", "--relative-to=sse9", *SHORT).stdout
        self.assertIn("vs sse9: no group has such a row", text)

    def test_many_arguments(self):
        """24 of them; but an array that is read and written counts twice."""
        numbers = ", ".join(f"int {name} = {at}" for at, name in enumerate("abcdefghijklmopqrstuv"))
        prototype = f"int64_t (const int32_t x[n], size_t n, {numbers}, int64_t last = 22)"
        self.right("many", prototype, "--sizes=100")
        arrays = ", ".join(f"inout u8 {name}[8]" for name in "abcdefghijklmnopq")
        done = self.run_tool("call", f"{self.built}:many", f"void ({arrays})", status=2)
        self.assertIn("op many: more than 33 arrays and results", done.stderr)

    def test_functions_agree(self):
        rows = self.call("mix_c,mix_choose()", MIX, "--sizes=64,65")
        self.assertEqual({row["status"] for row in rows.values()} - {"ok", "suspect"}, set(),
                         rows)
        self.assertEqual(set(rows), {"mix_c", "mix_choose"})

    def test_functions_that_differ(self):
        """Nobody can know which of the two is right."""
        rows = self.call("mix_c,mix_wrong", MIX, "--sizes=64", status=4)
        self.assertEqual(rows["mix_wrong"]["status"], "wrong")
        self.assertEqual(rows["mix_c"]["status"], "unchecked")

    def test_unchecked(self):
        row = self.call("mix_c", MIX, "--sizes=64")["mix_c"]
        self.assertEqual(row["status"], "unchecked", row)
        self.assertRegex(row["reason"], "no reference, and no other function")
        self.assertGreater(row["summary"]["median_ns"], 0)
        printed = self.run_tool("call", f"{self.built}:mix_c", MIX, "--sizes=64",
                                "--quiet", *SHORT).stdout
        self.assertRegex(printed, r"mix_c@64 +\S+ \w?s .*\n +unchecked: there is no reference")

    def test_wrong(self):
        row = self.broken("mix_wrong", "wrong", r"1 of 101 checked are wrong: output\[100\]")
        self.assertNotIn("aligned", row["reason"])
        self.broken("mix_aligned_wrong", "wrong", "aligned to their elements alone")

    def test_beyond(self):
        self.broken("mix_over", "wrong", "reads 12 bytes beyond the end of src, which has 101 elements; "
                    "104 would be enough")
        self.broken("mix_writes", "wrong", "writes 4 bytes beyond the end of dst")
        self.broken("mix_under", "wrong", "reads before the beginning of src")

    def test_far_beyond(self):
        """The array is named although the first call on plain memory crashes already."""
        row = self.call("sum_u8", "uint32_t (const uint8_t x[n], size_t m = 1099511627776) for n",
                        "--sizes=1000", status=4)["sum_u8"]
        self.assertIn("reads 4096 bytes or more beyond the end of x, which has 1000", row["reason"])
        row, = kernels(self.run_json(
            "call", "libc.so.6:bsearch", "void *(const char key[9], const char base[n], size_t m "
            "= 9, size_t size = 9999999, void *compare = &strcmp) for n", "--sizes=64", "--quiet",
            *SHORT, status=4))
        self.assertRegex(row["reason"], r"reads 3999\d+ bytes or more beyond the end of base")
        row, = kernels(self.run_json(
            "call", "libc.so.6:memset", "void *(u8 y[n], int c = 1, size_t m = 9 * n) for n",
            "--sizes=4096", "--quiet", *SHORT, status=4))
        self.assertIn("writes 4096 bytes or more beyond the end of y", row["reason"])

    def test_overread_is_allowed(self):
        row = self.mix("mix_over", "--overread=12")["mix_over"]
        self.assertIn(row["status"], ("ok", "suspect"), row)

    def test_aligned(self):
        row = self.mix("mix_aligned", "--tolerance=abs:1e-6")["mix_aligned"]
        self.assertIn(row["status"], ("ok", "suspect"), row)
        self.assertIn("aligned to more than their elements", " ".join(row["notes"]))

    def test_unwritten(self):
        """Rates would be of bytes that nobody touched."""
        for extent, told in (("3 * n", ["404 of the 1212 bytes of to"]), ("n", [])):
            row = self.call("trail", f"void (const int32_t x[n], int32_t to[{extent}], size_t n)",
                            "--reference=trail", "--sizes=101")["trail"]
            self.assertIn(row["status"], ("ok", "suspect"), row)
            self.assertEqual(re.findall(r"[0-9]+ of the [0-9]+ bytes of \w+",
                                        " ".join(row["notes"])), told)

    def test_registers(self):
        self.broken("mix_clobbers", "wrong", "rbx")

    def test_crash(self):
        self.broken("mix_null", "failed", "writes through a NULL pointer")

    def test_hang(self):
        self.broken("mix_hangs", "failed", "mix_hangs|timeout|longer", "--timeout=4s")

    def test_others_go_on(self):
        rows = self.mix("mix_null,mix_c,mix_over", status=4)
        self.assertEqual({name: row["status"] for name, row in rows.items()
                          if name != "mix_c"}, {"mix_null": "failed", "mix_over": "wrong"})
        self.assertIn(rows["mix_c"]["status"], ("ok", "suspect"), rows["mix_c"])

    def test_returned_value(self):
        row = self.call("sum_u8", "uint32_t (const uint8_t x[n], size_t n)",
                        "--reference=sum_u8", "--sizes=1000")["sum_u8"]
        self.assertEqual((row["type"], row["work"]["bytes"]), ("u8", 1000), row)
        self.assertIn(row["status"], ("ok", "suspect"), row)

    def test_length(self):
        prototype = "size_t (uint8_t to[n] length return, const uint8_t from[n], size_t n)"
        row = self.call("pack_u8", prototype, "--reference=pack_u8", "--sizes=1000")["pack_u8"]
        self.assertIn(row["status"], ("ok", "suspect"), row)
        self.right("no_length", "long (const uint8_t x[n], uint8_t to[n] length return, size_t n)",
                   "--sizes=1000")
        prototype = "long (double to[n] length return, const double from[n], long n)"
        row = self.call("pack_f64", prototype, "--reference=pack_f64",
                        "--sizes=1000")["pack_f64"]
        self.assertIn(row["status"], ("ok", "suspect"), row)

    def test_two_dimensions(self):
        """What a function leaves alone between rows is nobody's business."""
        prototype = ("void (uint8_t dst[h * (w + 16)], ptrdiff_t stride = w + 16, "
                     "const uint8_t src[w * h], int w, int h)")
        row = self.call("scale_rows", prototype, "--reference=scale_rows",
                        "--sizes=20x10")["scale_rows"]
        self.assertEqual(row["shape"], "20x10")
        self.assertIn(row["status"], ("ok", "suspect"), row)

    def test_opaque(self):
        prototype = ("void (void *scale = from scale_new(3) free scale_free, int32_t to[n], "
                     "const int32_t from[n], size_t n)")
        row = self.call("scale_run", prototype, "--reference=scale_run",
                        "--sizes=100")["scale_run"]
        self.assertIn(row["status"], ("ok", "suspect"), row)

    def test_planes(self):
        row = self.right("planes_join", "void (const float *const in[2][n], float out[2 * n], "
                         "size_t n)", "--sizes=101")
        self.assertEqual(row["work"]["bytes"], 1616)
        self.right("planes_xor", "void (inout uint32_t *const x[5][n], size_t n)", "--sizes=101")
        split = "void (float *const out[2][n], const float in[2 * n], size_t n)"
        rows = self.call("planes_split,planes_over,planes_move", split, "--sizes=101",
                         "--reference=planes_split", status=4)
        self.assertIn(rows["planes_split"]["status"], ("ok", "suspect"), rows)
        self.assertEqual(rows["planes_over"]["reason"], "writes 4 bytes beyond the end of an "
                         "array of out, which has 101 elements; 102 would be enough")
        self.assertIn("changes the pointers that out holds", rows["planes_move"]["reason"])
        row = self.call("planes_split", "void (float *const out[1][n], const float in[2 * n], "
                        "size_t n)", "--sizes=101", status=4)["planes_split"]
        self.assertIn("NULL is behind the 1 pointers of out", row["reason"])
        row, = kernels(self.run_json(
            "call", "libc.so.6:memcpy", "void (u8 y[n], const u8 *const x[3][4], size_t n)",
            "--sizes=4096", "--quiet", *SHORT, status=4))
        self.assertIn("reads beyond the 3 pointers of x", row["reason"])

    def test_error_value(self):
        """Each call finds the value that was said."""
        row = self.right("sum_errors", "int32_t (const int32_t x[n], size_t n, int *error = 7)",
                         "--sizes=100")
        self.assertIn("error is -1: if that is an error", " ".join(row["notes"]))
        for argument, tells in (("int *fitErr = 7", True), ("int32_t *error_code = 0", True),
                                ("int *error = 1", False), ("int *interrupt = 7", False),
                                ("float *max_err = 0", False)):
            row = self.right("sum_errors", f"int32_t (const int32_t x[n], size_t n, {argument})",
                             "--sizes=100")
            self.assertEqual("if that is an error" in " ".join(row["notes"]), tells, argument)

    def test_vectors(self):
        row = self.right("vector_add", "__m128 (__m128 x, __m128 y)")
        self.assertEqual((row["type"], row["work"]["bytes"]), ("f32", 32), row)

    def test_makers(self):
        self.right("taps_run", "void (taps *t = from taps_new(tap, n, tap) free free, "
                   "int32_t to[n]) for n, const int32_t tap[n]", "--sizes=9")
        self.right("taps_run", "void (taps *t = from taps_open(&t, n, tap) then taps_scale(t, 3) "
                   "then taps_scale(t, n) free free, int32_t to[n]) for n, const int32_t tap[3] "
                   "= {n, 2 * n}", "--sizes=9")
        self.right("mix_first", "size_t (void *x = from counted_new(calls) free free, "
                   "size_t n = 1) for inout int32_t calls[1] = {0}")
        for maker, why in (("taps_scale(NULL, 3)", "t: taps_scale() crashes: "),
                           ("make_abort(3)", "make_abort() calls abort()"),
                           ("make_exit(3)", "make_exit() calls exit()")):
            row = self.call("taps_run", f"void (taps *t = from {maker}, int32_t to[n]) for n",
                            "--sizes=9", status=4)["taps_run"]
            self.assertIn(why, row["reason"])

    def test_choice_that_ends(self):
        for choice, why in (("choose_crash()", "choose_crash() crashes: reads through"),
                            ("choose_abort()", "choose_abort() calls abort()"),
                            ("state_table[0][1]", "state_table[0][1] crashes: reads")):
            done = self.run_tool("call", f"{self.built}:{choice}",
                                 "void (u8 to[n], const u8 x[n], size_t n)", "--sizes=9",
                                 status=2)
            self.assertIn(why, done.stderr)

    def test_many_arrays(self):
        arrays = ", ".join(f"inout int32_t {name}[n]" for name in "abcdefghijklmpq")
        rows = self.call("add_to_all,add_to_most", f"int32_t ({arrays}, size_t n)", "--sizes=101",
                         "--reference=add_to_all", status=4)
        self.assertIn(rows["add_to_all"]["status"], ("ok", "suspect"), rows)
        self.assertEqual(rows["add_to_most"]["status"], "wrong", rows)
        self.assertRegex(rows["add_to_most"]["reason"], r"^q: ")

    def test_state_of_a_trace(self):
        """Calls that are seen in windows begin as the checked one did, too."""
        document = self.run_json(
            "explain", f"{self.built}:state_mix", "void (inout bytes s[8] then state_begin(s, "
            "&state_table, *state_pointer), const uint8_t x[n], size_t n)", "--sizes=20000",
            "--reference=state_mix", "--quiet")
        explanation = kernels(document)[0]["explanation"]
        self.assertIsNone(explanation["not_traced"])
        self.assertTrue(explanation["loops"])

    def test_state(self):
        """An array that a function fills is compared, and begins anew with --reset."""
        prototype = ("void (inout uint32_t state[2] then state_begin(state, &state_table, "
                     "*state_pointer), const int32_t x[n], size_t n, void *t = &state_table)")
        rows = self.call("state_add,state_add_wrong", prototype, "--reference=state_add",
                         "--sizes=100", "--reset", status=4)
        self.assertIn(rows["state_add"]["status"], ("ok", "suspect"), rows)
        self.assertEqual(rows["state_add_wrong"]["status"], "wrong", rows)
        for name, why in (("state_begin(NULL, x, x)", "state: state_begin.. crashes: "),
                          ("state_start(state)", "no function state_start; did you mean")):
            row = self.call("state_add", f"void (inout uint32_t state[2] then {name}, "
                            "const int32_t x[n], size_t n, void *t = &state_table)",
                            "--reset", "--sizes=9", status=4)["state_add"]
            self.assertRegex(row["reason"], why)

    def test_numbers_that_are_no_sizes(self):
        for argument, value, tells in (("int c", "7", True), ("int c", "n - c", False),
                                       ("int c = 7", "7", False), ("int c = n", "7", False)):
            row = self.right("mix_c", f"void (inout float d[n], const float s[n], float g = 1, "
                             f"size_t n, {argument})", "--sizes=9", f"--input=s=constant:{value}")
            self.assertEqual("c stands in no extent, and --sizes made it 9" in
                             " ".join(row["notes"]), tells, argument)

    def test_error_by_type(self):
        for returned, tells in (("lapack_int", True), ("enum mix_status", True), ("int", False)):
            row = self.right("fail_u8", f"{returned} (u8 y[n], const u8 x[n], size_t n)",
                             "--sizes=9")
            self.assertEqual("returned 3: if that is an error" in " ".join(row["notes"]), tells,
                             returned)

    def test_results_that_nobody_sees(self):
        """They have a time, and a reference is of no use."""
        rows = self.call("state_add,state_add_wrong", "void (void *s = from calloc(1, 8) then "
                         "state_begin(s, &state_table, *state_pointer) free free, "
                         "const int32_t x[n], size_t n, void *t = &state_table)",
                         "--reference=state_add", "--sizes=400")
        for row in rows.values():
            self.assertEqual(row["status"], "unchecked", row)
            self.assertIn("its results cannot be seen", row["reason"])
            self.assertGreater(row["summary"]["median_ns"], 0)

    def test_pointers_elsewhere(self):
        """A reference that points to memory of its own proves nothing."""
        row = self.call("point_elsewhere", "const void *(const uint8_t x[n], size_t n)",
                        "--reference=point_elsewhere", "--sizes=400")["point_elsewhere"]
        self.assertEqual(row["status"], "unchecked", row)
        self.assertIn("cannot be seen", row["reason"])

    def test_memory_that_a_call_makes(self):
        """Freed after each call if the prototype says so; told if nobody frees it."""
        for name, arguments, rest, note in (
                ("new_counted", "char **c = NULL", "free free_counted", "time of a call"),
                ("new_counted", "char **c free free", "free free_counted", "time of a call"),
                ("new_counted", "char **c free end_counted(&c)", "free end_counted(&)",
                 "time of a call"),
                ("new_text", "char **c = 0 free free", "", "time of a call"),
                ("new_text", "char **c free free, double by = 1", "free free", "time of a call"),
                ("new_text", "void *c = NULL", "", "returns new memory")):
            row = self.call(name, f"char *(const char x[n], {arguments}) {rest} for n",
                            "--input=text", "--sizes=400", f"--reference={name}")[name]
            self.assertEqual(row["status"], "unchecked", row)
            self.assertIn(note, " ".join(row["notes"]))
        row = self.call("new_text", "char *(const char x[n], char **c free gone) for n",
                        status=4)["new_text"]
        self.assertIn("has no function gone", row["reason"])

    def test_memory_beside_values(self):
        """What is freed is told; values are compared, and each call finds its own."""
        row = self.right("told_error", "int32_t (char **error free free, const int32_t x[n], "
                         "int32_t y[n], size_t n)", "--sizes=100")
        self.assertIn("time of a call", " ".join(row["notes"]))
        row = self.right("new_once", "void *(inout int32_t x[n]) for n", "--sizes=100",
                         "--input=x=uniform:0..9", "--reset")
        self.assertIn("returns new memory", " ".join(row["notes"]))

    def test_refusals(self):
        """The time of a call that does nothing is none of its work."""
        for returned in "long", "size_t":
            row = self.right("no_length", f"{returned} (const u8 x[n], u8 to[n], size_t n)",
                             "--sizes=100")
            self.assertIn("returned -1: if that is an error", " ".join(row["notes"]))
        row, = kernels(self.run_json(
            "call", "libc.so.6:memcmp", "int (inout uint8_t x[n], const uint8_t y[n], size_t n)",
            "--sizes=64", "--quiet", *SHORT))
        self.assertRegex(" ".join(row["notes"]), r"returned -?[1-9]\d*: if that is an error")
        row, = kernels(self.run_json(
            "call", "libc.so.6:calloc", "void *(size_t n = 1099511627776, size_t m = n) free free",
            "--quiet", *SHORT))
        self.assertIn("returned NULL", " ".join(row["notes"]))

    def test_bits_that_are_left_alone(self):
        """A bitmap ends within a byte."""
        prototype = "void (const uint8_t x[n], uint8_t to[(n + 7) / 8], size_t n)"
        self.right("bits_of", prototype, "--sizes=1004")
        row = self.call("bits_of", prototype, "--sizes=4", "--reference=bits_of")["bits_of"]
        self.assertEqual(row["status"], "unchecked", row)

    def test_object_freed_by_its_address(self):
        row = self.call("state_add", "void (void *s = from calloc(1, 8) then state_open(s, "
                        "&state_table, *state_pointer) free state_end(&s), const int32_t x[n], "
                        "size_t n, void *t = &state_table)", "--sizes=400")["state_add"]
        self.assertEqual(row["status"], "unchecked", row)

    def test_results_that_vary(self):
        rows = self.call("draw,values_known", "uint32_t (const uint8_t x[n]) for n",
                         "--reference=draw", "--sizes=400", status=4)
        self.assertEqual(rows["draw"]["status"], "unchecked", rows)
        self.assertIn("differ from call to call", rows["draw"]["reason"])
        row = self.call("draw_none", "uint32_t (uint32_t to[1])", status=4)["draw_none"]
        self.assertRegex(row["reason"], r"returns \d+ and writes nothing to to")
        row, = kernels(self.run_json("call", "libc.so.6:toupper", "u32 (int c = -1, u32 to[1])", "--quiet",
                                     *SHORT, status=4))
        self.assertIn("returns 4294967295 and ", row["reason"])
        for function, prototype in (("draw_none", "uint32_t (inout uint32_t to[1])"),
                                    ("draw_bytes", "void (uint8_t to[n], size_t n)"),
                                    ("draw_bytes", "void (inout uint8_t to[n], size_t n)")):
            row = self.call(function, prototype, "--sizes=1000")[function]
            self.assertEqual(row["status"], "unchecked", row)
            self.assertIn("differ from call to call", row["reason"])

    def test_module_name(self):
        other = self.folder / "libmix-2.0_a.so.1"
        other.write_bytes(self.built.read_bytes())
        text = self.run_tool("call", f"{other}:mix_c", MIX, "--dry-run", "--sizes=8").stdout
        self.assertIn("libmix-2_0_a:mix/f32/scalar/mix_c@8", text)

    def test_bad_prototypes(self):
        for prototype, word, why in (
                ("void (float x[m], size_t n)", "m", "m"),
                ("void (struct s x, size_t n)", "struct", "struct"),
                ("void (float x[n size_t n)", "size_t", "."),
                ("float", "float", ".")):
            with self.subTest(prototype=prototype):
                done = self.run_tool("call", f"{self.built}:mix_c", prototype, status=2)
                lines = done.stderr.split("\n")[:3]
                self.assertEqual("perhaps: 'void (float x[m], size_t n) for m'\n" in done.stderr,
                                 word == "m")
                caret = lines[-1].index("^")
                self.assertEqual(lines[-1].strip("~ "), "^")
                self.assertLessEqual(caret, len(lines[-2]))
