# SPDX-License-Identifier: Apache-2.0
"""Opens pages of --format=html in a headless Chromium and uses them as people do.

    SIMDBENCH=build/test/simdbench python3 tests/html/html_browser.py SAMPLE_FORMATS
        [--shots=FOLDER] [TEST...]

SAMPLE_FORMATS writes sample runs (tests/formats/sample_formats.c); --shots saves pictures of
each page, in light and dark, and as it is printed. Exit status 77: there is no Chromium.
"""
import json
import sys
import unittest
from pathlib import Path

import devtools
from html_page import HOSTILE, PageCase, repeated, tool


class Pages(PageCase):
    def rows(self):
        return self.js("[...document.querySelectorAll('#cases tbody tr')].map(row =>"
                       " [...row.cells].map(cell => cell.textContent))")

    def check_run(self, n):
        document = repeated(self.run_document, n)
        timed = [r for r in document["results"] if r["summary"]]
        page = self.page_of(document, f"run-{n}")
        milliseconds = self.open(page)
        print(f"{n} cases: {page.stat().st_size} bytes, loaded in {milliseconds:.0f} ms",
              file=sys.stderr)
        self.assertEqual(len(self.rows()), min(n, 100))
        # Charts out of sight are not drawn yet.
        drawn = self.js("[...waiting.keys()].filter(canvas => Chart.getChart(canvas)).length")
        self.assertLess(drawn, self.js("waiting.size"))
        self.assertEqual(self.count("speed"), len(timed))
        samples = sum(len(r["samples_ns"]) for r in timed)
        if n <= 500:
            self.assertEqual(self.count("samples", "(set) => set.label === 'samples'"), samples)
        # Sorted by time, up and down.
        times = sorted(r["summary"]["median_ns"] for r in timed)
        sort = "[...document.querySelectorAll('#cases th button')].find(" \
            "button => button.textContent === 'time')"
        first = "byAnchor.get(document.querySelector('#cases tbody a').textContent)" \
            ".summary.median_ns"
        for ends, word in ((times[0], "ascending"), (times[-1], "descending")):
            self.js(f"({sort}).click()")
            self.assertAlmostEqual(self.js(first) / ends, 1, 4)
            self.assertEqual(self.js(f"({sort}).parentElement.getAttribute('aria-sort')"), word)
        # The filter holds for tables and charts.
        chosen = [r for r in document["results"] if "/v0@1" in r["id"]]
        self.js("input = document.getElementById('filter'); input.value = 'GEMM */v0@1';"
                "input.dispatchEvent(new Event('input'));"
                "new Promise(done => setTimeout(done, 400))")
        self.assertEqual(len(self.rows()), min(len(chosen), 100))
        self.assertEqual(self.count("speed"), sum(1 for r in chosen if r["summary"]))
        self.js("input.value = 'no such case'; input.dispatchEvent(new Event('input'));"
                "new Promise(done => setTimeout(done, 400))")
        self.assertEqual(self.rows(), [])
        return milliseconds

    def test_run_of_5(self):
        self.check_run(5)
        self.shoot(self.at / "run-5.html", "run-5")

    def test_run_of_500(self):
        self.check_run(500)

    def test_run_of_10000(self):
        # It must not hang: the browser gives up after a minute.
        self.check_run(10000)

    def test_a_chart_is_drawn_when_it_comes_into_view(self):
        self.open(self.page_of(repeated(self.run_document, 500), "run-500"), height=500)
        drawn = "Chart.getChart(document.querySelector('#samples canvas')) !== undefined"
        self.assertFalse(self.js(drawn))
        self.js("document.querySelector('#samples > details').open = true;"
                "document.getElementById('samples').scrollIntoView();"
                "new Promise(done => setTimeout(done, 500))")
        self.assertTrue(self.js(drawn))

    def test_matrix(self):
        """A cell for each timed case, the fastest of each size marked; lines have names."""
        self.open(self.page_of(self.run_document))
        timed = [r for r in self.run_document["results"] if r["summary"] and r["role"] != "roof"]
        sizes = {r["shape"]: [] for r in timed}
        for result in timed:
            sizes[result["shape"]].append(result)
        self.assertEqual(self.js("document.querySelectorAll('#matrix td.cell').length"),
                         len(timed))
        best = {min(list_, key=lambda r: r["summary"]["median_ns"])["id"]
                for list_ in sizes.values()}
        self.assertEqual(set(self.js(
            "[...document.querySelectorAll('#matrix .best')].map(found => decodeURIComponent("
            "found.parentElement.querySelector('a').hash.slice('#case='.length)))")), best)
        self.js("for (const canvas of waiting.keys()) drawChart(canvas)")
        self.assertIn("scalar/", self.js("Chart.getChart(document.querySelector('#speed canvas'))"
                                         ".data.datasets[0].end"))

    def test_a_phone(self):
        """No number of a size breaks, kernels stay in sight, and names at lines' ends are whole."""
        document = json.loads(json.dumps(self.run_document))
        for result in document["results"]:
            if result["role"] == "kernel":
                shape = f"n1c64h56w{10000 + result['group']}k64"
                result.update(shape=shape, id=result["id"].split("@")[0] + "@" + shape)
        self.open(self.page_of(document, "phone"), width=390)
        self.assertEqual(self.js("[...document.querySelectorAll('.matrix th')][1].innerHTML"),
                         "n1<wbr>c64<wbr>h56<wbr>w10000<wbr>k64")
        self.js("document.querySelector('#matrix .table').scrollLeft = 1000")
        self.assertGreaterEqual(self.js("document.querySelector('.matrix td').getBoundingClientRect()"
                                        ".left - document.querySelector('#matrix .table')"
                                        ".getBoundingClientRect().left"), 0)
        width = "(text) => context.measureText(fitting(context, text, 80)).width"
        self.js("context = document.createElement('canvas').getContext('2d')")
        self.assertLessEqual(self.js(f"({width})('openblas,coretype=SkylakeX/sgemm')"), 80)
        self.assertEqual(self.js("fitting(context, 'avx2/fma', 80)"), "avx2/fma")

    def test_matrix_of_look_alikes(self):
        """Instances of a library, and element types, have rows and tables of their own."""
        document = json.loads(json.dumps(self.run_document))
        cases = [r for r in document["results"] if r["role"] == "kernel"][:1]
        others = []
        for i, (before, kind, role) in enumerate((
                ("openblas:", "plustimes-f32", "baseline"),
                ("openblas,coretype=Haswell:", "plustimes-f32", "baseline"),
                ("", "minplus-f32", "kernel"))):
            other = json.loads(json.dumps(cases[0]))
            other.update(type=kind, role=role, limit=None, ratios=[],
                         group=cases[0]["group"] + (role == "kernel"),
                         id=before + cases[0]["id"].replace(cases[0]["type"], kind))
            if before:
                other["module"] = "openblas"
            others.append(other)
        document["results"] = cases + others
        self.open(self.page_of(document, "alike"))
        self.assertEqual(self.js("document.querySelectorAll('#matrix table').length"), 2)
        self.assertEqual(self.js("document.querySelectorAll('#matrix td.cell').length"), 4)

    def test_answer_comes_first(self):
        document = json.loads((self.page_of(self.run_document)
                               .with_suffix(".json")).read_text(encoding="utf-8"))
        self.open(self.at / "page.html")
        self.assertEqual(self.js("[...document.querySelectorAll('h1 + p, h1 ~ p.answer')]"
                                 ".map(found => found.textContent)"), document["answer"])

    def test_a_page_says_its_command(self):
        for command in ("judge", "audit"):
            self.open(self.changed(self.page_of(self.run_document),
                                   lambda document: document.update({command: [{}]})))
            self.assertEqual(self.js("document.querySelector('h1').textContent"),
                             f"simdbench {command}")

    def test_a_long_answer_is_folded(self):
        timed = next(r for r in self.run_document["results"]
                     if r["summary"] and r["role"] == "kernel")
        document = {**self.run_document, "results": [
            {**timed, "op": f"op{i}", "id": f"op{i}/f32/avx2/max@64", "group": i}
            for i in range(12)]}
        self.open(self.page_of(document))
        answer = self.js("page.answer")
        self.assertGreater(len(answer), 8)
        texts = "[...document.querySelectorAll('{}')].map(found => found.textContent)"
        self.assertEqual(self.js(texts.format("p.answer")), answer)
        self.assertEqual(self.js(texts.format("details:not([open]) > p.answer")), answer[4:-2])

    def test_a_case_has_an_address(self):
        page = self.page_of(self.run_document)
        self.open(page)
        name = self.run_document["results"][0]["id"]
        self.js("document.querySelector('#cases tbody td.right a').click();"
                "new Promise(done => setTimeout(done, 300))")
        self.assertEqual(self.js("document.querySelector('#case h2').textContent"), name)
        self.assertEqual(self.js("document.activeElement.textContent"), name)
        self.js("document.querySelector('#case > button').click()")
        self.assertTrue(self.js("document.getElementById('case').hidden"))

    def test_keyboard_alone(self):
        self.open(self.page_of(self.run_document))
        self.js("document.querySelector('#cases th button').focus()")
        for kind in ("keyDown", "keyUp"):
            self.browser.ask("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter",
                             windowsVirtualKeyCode=13, text="\r")
        self.assertEqual(self.js("document.querySelector('#cases th').getAttribute('aria-sort')"),
                         "ascending")
        self.assertEqual(self.js("document.activeElement.textContent"), "case")

    def test_names_for_screen_readers(self):
        self.open(self.sample("run"))
        self.js("for (const canvas of waiting.keys()) drawChart(canvas)")
        self.assertEqual(self.js("""[...document.querySelectorAll(`canvas:not([role=img]),
            canvas:not([aria-label]), section:not([aria-labelledby]):not([aria-label]),
            th:not([scope=col]), [role=group]:not([aria-label]), table:not(:has(caption)),
            button:empty`)].map(found => found.outerHTML)"""), [])
        self.assertEqual(self.js("""(() => { const ids = [...document.querySelectorAll('[id]')]
            .map(found => found.id); return ids.length - new Set(ids).size; })()"""), 0)
        # Each chart has its table beside it.
        self.js("document.querySelectorAll('details').forEach(found => found.open = true);"
                "new Promise(done => setTimeout(done, 300))")
        self.assertEqual(self.js("[...document.querySelectorAll('figure')].filter(found =>"
                                 " !found.querySelector('table')).length"), 0)

    def test_toggles(self):
        self.open(self.page_of(self.run_document))
        scale = "drawChart(document.querySelector('#speed canvas'));" \
            "Chart.getChart(document.querySelector('#speed canvas')).options.scales.{}.type"
        self.assertEqual(self.js(scale.format("y")), "linear")
        self.js("document.querySelectorAll('#speed .tools button')[1].click()")
        self.assertEqual(self.js(scale.format("y")), "logarithmic")
        self.js("document.querySelector('#speed .tools button').click()")
        self.assertEqual(self.js(scale.format("x")), "linear")

    def test_hostile_names_are_text(self):
        document = json.loads(json.dumps(self.run_document))
        for i, result in enumerate(document["results"]):
            result["id"] = f"{i}{HOSTILE[:4000]}"  # a name has at most 4096 bytes
            result.update(limit=None, ratios=[], variant=HOSTILE[:200], notes=[HOSTILE])
        document["argv"].append(HOSTILE)
        document["host"]["cpu"] = HOSTILE
        pages = [self.page_of(document, "hostile")] + [self.sample(name) for name in (
            "hostile", "gate-hostile", "why-hostile", "study-hostile")]
        for page in pages:
            with self.subTest(page=page.name):
                self.open(page)
                self.js("for (const canvas of waiting.keys()) drawChart(canvas);"
                        "document.querySelectorAll('details').forEach(found => found.open = true);"
                        "location.hash = document.querySelector('td a')?.hash ?? '';"
                        "new Promise(done => setTimeout(done, 300))")
                self.assertEqual(self.js("document.querySelectorAll('img').length"), 0)
                self.assertEqual(self.js("document.scripts.length"), 3)
                self.assertNotIn("\u202e", self.js("document.body.innerText"))
        self.open(pages[0])
        self.assertIn(HOSTILE[:40], self.js("document.querySelector('#cases tbody').innerText"))
        self.shoot(pages[1], "hostile")

    # ---- the other commands ----

    def test_two_builds(self):
        page = self.sample("gate")
        self.open(page)
        changed = self.js("results.filter(hasChange).length")
        self.assertGreater(changed, 3)
        self.assertEqual(self.count("changes"), changed)
        self.assertEqual(self.js("document.querySelectorAll('#changes td.bad').length"), 2)
        self.assertRegex(self.js("document.querySelector('.answer').textContent"),
                         r"^REGRESSED: 2 of 8 cases by more than 2%: .* [+]\d")
        # The forest comes first, the worst on top.
        self.js("for (const canvas of waiting.keys()) drawChart(canvas)")
        places = self.js("Chart.getChart(document.querySelector('#changes canvas'))"
                         ".data.datasets[0].data.map(point => point.x)")
        self.assertEqual(places, sorted(places, reverse=True))
        # Processes that nobody counted are not 0.
        self.assertEqual(self.js(
            "[...gateTable([12, 0].map(processes => ({ id: 'a', comparison: { processes,"
            " verdict: 'SAME', change: 0.5 } }))).querySelectorAll('td.right')].map(cell => cell.textContent).filter(text =>"
            " text === '12' || text === '0')"), ["12"])
        self.shoot(page, "gate")

    def test_study(self):
        page = self.sample("study")
        self.open(page)
        sums = self.js("page.studies[0].account.sums")
        steps = sum(1 + len(s["parts"]) + ("residual" in s) for s in sums if "total" in s and
                    "value" in s["total"])
        self.assertGreaterEqual(self.count("studies"), steps)
        self.assertIn("2 CONFIRMED, ", self.js("document.querySelector('#studies .bar').ariaLabel"))
        self.assertEqual(self.js("document.querySelectorAll('#studies tbody tr').length"),
                         self.js("page.studies[0].claims.length"))
        said = "undecidedText({as: 'ratio', expect: [%s]}, {ci: [%s], floor: 0.04})"
        for expect, ci, words in (
                ("3, 5", "2.8, 2.9", "says 3x to 5x, but equal arms differ by 4.0% here."),
                ("3, 5", "2.9, 3.1", "between 2.900x and 3.100x, and the claim says 3x to 5x."),
                ("3, null", "3.1, 4.9", "the claim says over 3x, but equal arms"),
                ("null, 3", "2.9, 3.1", "the claim says at most 3x.")):
            self.assertIn(words, self.js(said % (expect, ci)))
        self.open(page, width=390)
        self.assertEqual(self.js("[...document.querySelectorAll('.key span')].filter(one =>"
                                 " one.scrollWidth > one.clientWidth).length"), 0)
        self.assertRegex(self.js("document.querySelector('.key').textContent"), "[0-9] CONFIRMED")
        self.shoot(page, "study")

    def test_explain(self):
        page = self.sample("why")
        self.open(page)
        self.assertRegex(self.js("document.querySelector('#why .bar').ariaLabel"),
                         r"^82\.1\d* cycles measured; .*: 51\.\d+ \(62%\); beyond all bounds: ")
        self.assertEqual(self.js("document.querySelectorAll('#why .card').length"),
                         self.js("results.flatMap(r => r.findings ?? []).length"))
        self.assertEqual(self.js("[...document.querySelectorAll('#why td.right span')]"
                                 ".map(found => found.textContent)"), ["100%", "50%"])
        self.shoot(page, "explain")

    def test_history(self):
        database = self.at / "history.sqlite"
        for label in ("v1", "v2", "v3"):
            tool("report", self.at / "run.json", f"--history={database}", f"--label={label}")
        page = self.at / "history.html"
        tool("history", f"--history={database}", f"--format=html:{page}")
        self.open(page)
        timed = [r for r in self.run_document["results"] if r["summary"] and r["role"] == "kernel"]
        self.assertEqual(self.count("history"), 3 * len(timed))
        self.js("document.querySelector('#history .tools button').click()")
        self.assertEqual(self.count("history"), 3 * len(timed))
        self.assertIn(f"{len(timed)} cases with too few runs to see a change",
                      self.js("document.body.textContent"))
        self.shoot(page, "history")

    def fleet(self, hosts):
        """Runs of hosts whose times differ by up to 1%; host 1 takes twice as long."""
        paths = []
        for host in range(hosts):
            one = json.loads(json.dumps(self.run_document))
            one["host"]["node"], one["seed"] = f"n{host}", str(host)
            for result in one["results"]:
                if result["summary"]:
                    result["summary"]["median_ns"] *= 1 + host % 10 / 1000 + (host == 1)
                    result.update(samples_ns=[], rounds=[], status="ok", reason=None)
            paths.append(self.at / f"host-{host}.json")
            paths[-1].write_text(json.dumps(one), encoding="utf-8")
        return paths

    def test_fleet(self):
        """A dot for each host in each case; the slow one has its name."""
        page = self.at / "fleet.html"
        tool("report", "--by=host", *self.fleet(8), f"--format=html:{page}")
        self.open(page)
        cases = self.js("page.fleet.length")
        self.assertEqual(self.js("document.querySelectorAll('#fleet .dot').length"), 8 * cases)
        slow = self.js("page.fleet.flatMap(odd).length")
        self.assertGreater(slow, 0)
        self.assertEqual(self.js("[...document.querySelectorAll('#fleet .told .bad')]"
                                 ".filter(found => found.textContent.startsWith('n1 slow, +'))"
                                 ".length"), slow)
        self.assertIn("n1 may be slow: ", self.js("document.querySelectorAll('.answer')[1].textContent"))
        self.assertGreater(self.js("document.querySelectorAll('#fleet .usual').length"), 0)
        self.shoot(page, "fleet")

    def test_three_hosts_have_no_band(self):
        """90% of three hosts is nothing that a band could hold."""
        page = self.at / "few.html"
        tool("report", "--by=host", *self.fleet(3), f"--format=html:{page}")
        self.open(page)
        self.assertGreater(self.js("document.querySelectorAll('#fleet .dot').length"), 0)
        self.assertEqual(self.js("document.querySelectorAll('#fleet .usual').length"), 0)

    def test_a_long_name_leaves_room_for_its_shares(self):
        document = repeated(self.run_document, 8)
        for result in document["results"][:4]:
            result["id"] = result["id"].replace(result["variant"], "v" * 200)
            result["variant"] = "v" * 200
        self.open(self.page_of(document, "long"), width=1400)
        self.assertTrue(self.js("[...document.querySelectorAll('.matrix .cell')].every("
                                "cell => cell.getBoundingClientRect().right < 1400)"))
        self.assertGreater(self.js("document.querySelectorAll('.matrix .cell').length"), 0)

    def test_doctor(self):
        page = self.at / "doctor.html"
        tool("doctor", "--format=html", f"--output={page}")
        self.open(page)
        self.assertEqual(self.js("document.querySelectorAll('#checks tbody tr').length"),
                         self.js("page.checks.length"))
        self.assertEqual(self.js("document.querySelectorAll('#costs .card').length"),
                         self.js("page.checks.filter(check => !check.ok).length"))
        self.assertIn(" checks are ok", self.js("document.querySelector('.answer').textContent"))
        self.shoot(page, "doctor")

    def test_license(self):
        page = self.at / "license.html"
        tool("license", "--quick", "--rounds=2", "--quiet", "--format=html", f"--output={page}")
        self.open(page)
        self.assertEqual(self.js("document.querySelectorAll('#clock .rows li').length"),
                         self.js("page.scopes.flatMap(scope => scope.classes ?? []).length"))
        self.shoot(page, "license")

    def changed(self, page, change):
        """The page with another document: the data has no hash."""
        text = page.read_text(encoding="utf-8")
        begin = text.index('id="data">') + len('id="data">')
        end = text.index("</script>", begin)
        document = json.loads(text[begin:end])
        change(document)
        data = json.dumps(document).replace("<", "\\u003c")
        page = page.with_name("changed.html")
        page.write_text(text[:begin] + data + text[end:], encoding="utf-8")
        return page

    def test_history_with_changes(self):
        database, page = self.at / "changes.sqlite", self.at / "changes.html"
        for _ in range(3):
            tool("report", self.at / "run.json", f"--history={database}")
        tool("history", f"--history={database}", f"--format=html:{page}")
        self.open(self.changed(page, lambda document: document["cases"][1].update(seen=True)))
        titles = self.js("[...document.querySelectorAll('#history h3')].map(h => h.textContent)")
        self.assertIn("1 case without a change", titles)
        self.assertTrue([t for t in titles if t.endswith(" with too few runs to see a change")])
        self.open(self.changed(page, lambda document: document["cases"][0].update(
            changes=[{"run": 1, "before": 1, "after": 2, "change": 0.1, "ci": [0.05, 0.15]}])))
        self.assertEqual(self.count("history"), self.js("page.cases.length") * 3)
        self.assertIn(": +10.0% [+5.00%, +15.0%]", self.js(
            "document.querySelector('#history .since').textContent"))
        self.assertEqual(self.js("Chart.getChart(document.querySelector('#history canvas'))"
                                 ".options.plugins.marks.lines[0].x"), 1)
        self.open(self.changed(page, lambda document: document["cases"][0]["runs"][-1].update(
            verdict="REGRESSED", compared=0.25, started_at="2026-01-02T03:04:05Z")))
        self.assertEqual(self.js("document.querySelector('#history .since').textContent"),
                         "REGRESSED +25.0% by the gate of 2026-01-02")
        self.assertIn("1 case that changed", self.js("document.body.textContent"))

    def test_ladder(self):
        """Roofs of levels that the document names, and no case below them."""
        tool("roof", "--isa=scalar", "--variants=read,mul_add", "--sizes=4096,65536",
             "--shape=registers", "--time-per-case=2ms", "--quiet", f"--json={self.at}/roof.json")
        document = json.loads((self.at / "roof.json").read_text(encoding="utf-8"))
        page = self.page_of(document, "roof")
        self.open(page)
        streams = sum(r["work"]["bytes"] > 0 for r in document["results"])
        self.assertGreaterEqual(self.count("roofline", "(set) => set.tag"), 4)

        def name_levels(document):
            for i, result in enumerate(r for r in document["results"] if r["work"]["bytes"]):
                result["rung"] = {"kind": "read", "level": f"L{i + 1}",
                                  "working_set": result["work"]["bytes"]}
        self.open(self.changed(page, name_levels))
        self.count("roofline")
        labels = self.js("Chart.getChart(document.querySelector('#roofline canvas'))"
                         ".data.datasets.map(set => set.label.split(' ')[0])")
        self.assertEqual(sorted(labels), [*(f"L{i + 1}" for i in range(streams)), "mul_add"])

    def test_level_of_a_stream_that_passes_often(self):
        """The cache that holds its operands, however often a call passes over them."""
        tool("roof", "--isa=scalar", "--variants=read", "--shape=4096x4096",
             "--time-per-case=2ms", "--quiet", f"--json={self.at}/roof.json")
        document = json.loads((self.at / "roof.json").read_text(encoding="utf-8"))
        for result in document["results"]:
            del result["rung"]
        document["host"].update(l1d_bytes=32768, l2u_bytes=1048576)
        self.open(self.page_of(document, "passes"))
        self.count("roofline")
        self.assertEqual(self.js("levelOf(results.find(isRoof))"), "L1")
        self.assertEqual(self.js("operandBytes(results.find(isRoof))"), 4096)

    def test_google_benchmark(self):
        """Its own JSON, as a report."""
        theirs = {"context": {"date": "2026-01-01T00:00:00+00:00"}, "benchmarks": [
            {"name": f"BM_copy/{n}", "run_name": f"BM_copy/{n}", "run_type": "iteration",
             "iterations": 1000, "real_time": n / 10, "cpu_time": n / 10, "time_unit": "ns",
             "bytes_per_second": 8e9} for n in (64, 128, 256)]}
        (self.at / "theirs.json").write_text(json.dumps(theirs))
        page = self.at / "google.html"
        tool("report", self.at / "theirs.json", f"--format=html:{page}")
        self.open(page)
        self.assertEqual(self.count("speed"), 3)
        self.assertEqual(len(self.rows()), 3)


def main(arguments):
    if not devtools.CHROMIUM:
        print("skipped: chromium is not installed (scripts/setup more)")
        return 77
    PageCase.samples = arguments[0]
    for argument in arguments[1:]:
        if argument.startswith("--shots="):
            PageCase.shots = Path(argument.removeprefix("--shots="))
            PageCase.shots.mkdir(parents=True, exist_ok=True)
    names = [a for a in arguments[1:] if not a.startswith("--")]
    loader = unittest.defaultTestLoader
    suite = (loader.loadTestsFromNames(names, sys.modules[__name__]) if names
             else loader.loadTestsFromModule(sys.modules[__name__]))
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
