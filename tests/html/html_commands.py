# SPDX-License-Identifier: Apache-2.0
"""Pages of the commands that do not run an op: gates, studies, explanations, histories, fleets."""
import json

from html_page import PageCase, repeated, tool


class CommandPages(PageCase):
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
        # A reason is in sight, whatever else the table has.
        heads = self.js("[...document.querySelectorAll('#changes th')].map(one => one.textContent)")
        self.assertEqual(heads[heads.index("reason") - 1], "interval")
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
        self.assertFalse(self.js("!!document.getElementById('matrix')"))
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
        # Arms have no curves, as they took turns with those of their claim alone.
        self.open(self.changed(self.page_of(self.run_document), lambda document: document.update(studies=[])))
        self.assertEqual(self.js("document.querySelectorAll('#matrix, #speed, #roofline').length"), 0)

    def test_explain(self):
        page = self.sample("why")
        self.open(page)
        self.assertRegex(self.js("document.querySelector('#why .bar').ariaLabel"),
                         r"^82\.1\d* cycles measured; .*: 51\.\d+ \(62%\); beyond all bounds: ")
        # An interval that contains 1 is no change.
        self.assertIn("Changed nothing: noisy", self.js("experimentsFigure({experiments: [{name:"
            " 'noisy', ratio: 1.05, ci: [0.9, 1.2]}]}, '').textContent"))
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
                                 ".filter(found => found.textContent.startsWith('+'))"
                                 ".length"), slow)
        # Cases of one outlier stand together, the first of them in sight, each group below its axis.
        self.assertEqual(self.js("document.querySelector('#fleet h4').textContent"),
                         f"n1 slow in {slow} cases")
        self.assertEqual(self.js("document.querySelectorAll('#fleet h4').length"), self.js(
            "[...document.querySelectorAll('#fleet h4 + .rows .axis')].length"))
        self.assertEqual(self.js("document.querySelector('#fleet h4 + .rows').childElementCount"),
                         1 + min(slow, 4))
        # The band is what the verdict calls alike: the slow host lies beyond it.
        self.assertTrue(self.js("[...document.querySelectorAll('#fleet .dot.bad')].every(dot => {"
                                " const band = dot.parentElement.querySelector('.usual');"
                                " return parseFloat(dot.getAttribute('cx')) >"
                                " parseFloat(band.getAttribute('x')) +"
                                " parseFloat(band.getAttribute('width')); })"))
        self.assertIn("n1 may be slow: ", self.js("document.querySelectorAll('.answer')[1].textContent"))
        self.assertGreater(self.js("document.querySelectorAll('#fleet .usual').length"), 0)
        self.shoot(page, "fleet")

    def test_runs_beside_the_first(self):
        """A row for each op and instruction set, a column for each run; its times are shaded."""
        page = self.at / "several.html"
        tool("compare", *self.fleet(3), f"--format=html:{page}")
        self.open(page)
        cells = self.js("[...document.querySelectorAll('#runs tbody tr')].map(row =>"
                        " [...row.cells].map(cell => [cell.textContent, cell.className]))")
        self.assertEqual([row[0][0] for row in cells], ["gemm fastest", "gemm scalar"])
        for row in cells:
            self.assertEqual(row[2:], [["1.000x", "right cell"], ["0.500x", "right heat"],
                                       ["0.998x", "right heat"]])
        self.assertIn("host-0.json", self.js("document.querySelector('.answer').textContent"))
        self.shoot(page, "compare")

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
        tool("doctor", f"--format=html:{page}")
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
        self.assertEqual(self.js("document.querySelectorAll('#clock .rows li:not(:has(.axis))').length"), self.js(
            "page.scopes.filter(scope => scope.classes?.some(timedClass)).flatMap(scope => scope.classes).length"))
        self.assertEqual(self.js("classRow({ class: 'a' }, null)[1].textContent"),
                         "too few rounds were undisturbed")
        self.shoot(page, "license")

    def test_history_with_changes(self):
        database, page = self.at / "changes.sqlite", self.at / "changes.html"
        for _ in range(3):
            tool("report", self.at / "run.json", f"--history={database}")
        tool("history", f"--history={database}", f"--format=html:{page}")
        self.open(self.changed(page, lambda document: document["cases"][1].update(seen=True)))
        titles = self.js("[...document.querySelectorAll('#history h3')].map(h => h.textContent)")
        self.assertIn("1 case in which no change was found", titles)
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
