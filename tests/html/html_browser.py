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
from html_commands import CommandPages  # its tests are loaded with those of this file
from html_page import HOSTILE, PageCase, repeated


class Pages(PageCase):
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

    def test_matrix_of_what_ranks(self):
        """No case that is too short to time has a cell; sizes stand in their order."""
        timed = [r for r in self.run_document["results"] if r["summary"] and r["role"] != "roof"]

        def change(document):
            kernels = [r for r in document["results"] if r["role"] == "kernel"]
            kernels[0]["status"] = "short"
            document["results"].reverse()

        self.open(self.changed(self.page_of(self.run_document), change))
        self.assertEqual(self.js("document.querySelectorAll('#matrix td.cell').length"),
                         len(timed) - 1)
        sizes = self.js("[...document.querySelectorAll('.matrix th.right')]"
                        ".map(found => Number(found.textContent))")
        self.assertEqual(sizes, sorted(sizes))
        self.assertGreater(self.js("document.querySelectorAll('#matrix .best').length"), 0)

        def part(faster):
            def change(document):
                for i, result in enumerate(document["results"]):
                    result.update(group=i, variant=f"v{i}", shape="8", limit=None)
                    if result["summary"]:
                        result["summary"]["median_ns"] = 1e6 + i * faster
            return change

        # Cases that took no turns with each other have no fastest one, nor an order by speed.
        orders = []
        for faster in (-1, 1):
            self.open(self.changed(self.page_of(self.run_document), part(faster)))
            self.assertEqual(self.js("document.querySelectorAll('#matrix .best').length"), 0)
            self.assertNotRegex(self.js("document.querySelector('#matrix table').textContent"),
                                "[0-9]x|★|fastest")
            orders.append(self.js("[...document.querySelectorAll('#matrix tbody td:first-child')]"
                                  ".map(found => found.textContent)"))
        self.assertEqual(*orders)
        self.assertEqual(self.js("[65536, 256000, 3000].map(sizeText)"), ["64Ki", "256000", "3000"])
        self.assertEqual(self.js("seriesOf({ id: 'BM_sum/64', shape: '64' })"), "BM_sum")
        # Names that would stand on each other are left out.
        self.assertEqual(self.js("scale = { chart: { width: 1000 } };"
                                 "ticksAt([1, 63, 64, 4096], Math.log).afterBuildTicks(scale);"
                                 "scale.ticks.map(tick => tick.value)"), [1, 63, 4096])

    def test_points_have_names(self):
        """Those of a roofline tell kernel and size; a change as built is a point of its own."""
        self.open(self.page_of(self.run_document, "names"))
        self.assertEqual(self.js("new Set(rooflineConfig(results.filter(onRoofline), []).data"
                                 ".datasets.flatMap(set => set.data).map(point => /. \\d+$/"
                                 ".test(point.name))).has(false)"), False)
        self.assertAlmostEqual(self.js(
            "page.gate = {}; forestConfig([{ id: 'a', comparison: { change: 0, verdict: 'PLACED',"
            " placement: { change: 0.09 } } }]).data.datasets[1].data[0].x"), 9)
        # No time is more than 100% shorter, whatever changed beside it.
        self.assertEqual(self.js("forestConfig([{ id: 'a', comparison: { change: 6 } }])"
                                 ".options.scales.x.min"), -100)
        # A name that is wider than the room on either side of its point is shortened.
        (text, x), = self.js(
            "drawn = []; pass = () => {}; pointNames.afterDatasetsDraw({ ctx: { save: pass,"
            " restore: pass, beginPath: pass, rect: pass, clip: pass, fillText: (...all) =>"
            " drawn.push(all.slice(0, 2)), measureText: (text) => ({ width: 6 * text.length }) },"
            " chartArea: { left: 40, right: 240, top: 0, bottom: 100 }, isDatasetVisible: () => true,"
            " data: { datasets: [{ data: [{ name: 'x'.repeat(60) }] }] },"
            " getDatasetMeta: () => ({ data: [{ x: 130, y: 50 }] }) }); drawn")
        self.assertIn("…", text)
        self.assertGreaterEqual(x, 40)
        self.assertLessEqual(x + 6 * len(text), 240)

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
        self.assertEqual(self.js("fitting(context, 'limit avx512/streams', 100)"), "avx512/streams")

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

    def test_a_time_too_short_ranks_nothing(self):
        """Beside a kernel that cannot be timed no other one is the fastest, in its own group alone."""
        one = next(r for r in self.run_document["results"] if r["role"] == "kernel" and r["status"] == "ok")
        results = [{**one, "limit": None, "ratios": [], "group": 0, "variant": f"v{i}",
                    "id": one["id"].replace(one["variant"], f"v{i}")} for i in range(2)]
        page = self.page_of({**self.run_document, "results": results}, "brief")
        for group, stars, text in ((0, 0, " [num]?s$"), (1, 1, "^1.00x")):
            self.open(self.changed(page, lambda document: document["results"][1].update(
                {"status": "short", "group": group})))
            self.assertEqual(self.js("document.querySelectorAll('#matrix .best').length"), stars)
            self.assertRegex(self.js("document.querySelector('#matrix td.cell').textContent"), text)
            self.assertEqual(self.js("document.querySelector('#matrix caption').textContent"
                                     ".includes('too short to be timed')"), not stars)

    def test_numbers_of_threads(self):
        """Cases that differ in their threads alone have tables of their own; one size has no curve."""
        document = json.loads(json.dumps(self.run_document))
        one = next(r for r in document["results"] if r["role"] == "kernel" and r["status"] == "ok")
        one.update(limit=None, ratios=[])
        document["results"] = [json.loads(json.dumps(one)) for _ in range(4)]
        for i, result in enumerate(document["results"]):
            result.update(variant=f"v{i % 2}", threads=1 + i // 2,
                          id=f"{one['op']}/{one['type']}/{one['isa']}/v{i % 2}@{one['shape']}"
                             + ";threads=2" * (i // 2))
        document["argv"] = ["simdbench", "threads"]
        self.open(self.page_of(document, "threads"))
        self.assertEqual(self.js("document.querySelectorAll('#matrix table').length"), 2)
        self.assertEqual(self.js("document.querySelectorAll('#matrix .best').length"), 4)
        self.assertEqual(self.js("document.querySelector('h1').textContent"), "simdbench threads")
        self.assertEqual(self.js("document.querySelectorAll('#speed').length"), 0)

    def test_gain_of_threads(self):
        """How many times as fast as one thread; red is certainly slower, and dim what may be either."""
        document = json.loads(json.dumps(self.run_document))
        one = next(r for r in document["results"] if r["role"] == "kernel" and r["status"] == "ok")
        loop = one["overhead_ns"]
        one.update(limit=None, ratios=[], overhead_ns=0, rates=None)
        document["results"] = []
        for i, factor in enumerate((1, 1.5, 1, 1, 1, 0.6)):
            result = json.loads(json.dumps(one))
            result["samples_ns"] = [factor * total for total in result["samples_ns"]]
            for name in ("median_ns", "min_ns"):
                result["summary"][name] = factor * (result["summary"][name] + loop)
            result["summary"]["ci_ns"] = [factor * (ns + loop) for ns in result["summary"]["ci_ns"]]
            result.update(variant=f"v{i // 2}", threads=1 + i % 2, threads_used=1 + i % 2,
                          id=f"{one['op']}/{one['type']}/{one['isa']}/v{i // 2}@{one['shape']}"
                             + ";threads=2" * (i % 2))
            document["results"].append(result)
        document["argv"] = ["simdbench", "threads"]
        page = self.page_of(document, "gain")
        self.open(page)
        self.assertEqual(self.js("[...document.querySelectorAll('#gain td.cell')].map(cell =>"
                                 " [cell.textContent, cell.className])"),
                         [["0.67x", "cell right bad"], ["1.00x", "cell right dim"],
                          ["1.67x", "cell right"]])
        self.shoot(page, "threads")

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

    def test_each_candidate_shows_its_verdict(self):
        """The lines of its sizes are folded, not the verdict of another one."""
        lines = [f"{name}: {what}" for name in ("one", "two", "three")
                 for what in ("accepted", "1", "2", "3")]
        lines = [line if "accepted" in line else f"at {line}" for line in lines]
        self.open(self.changed(self.page_of(self.run_document), lambda document: document.update(
            {"judge": [{}, {}, {}], "answer": lines})))
        seen = self.js("[...document.querySelectorAll('#head > p.answer')]"
                       ".map(found => found.textContent)")
        self.assertEqual(seen, [line for line in lines if "accepted" in line])
        self.assertEqual(self.js("document.querySelectorAll('p.answer').length"), len(lines))

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
