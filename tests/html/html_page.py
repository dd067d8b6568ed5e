# SPDX-License-Identifier: Apache-2.0
"""A page in a headless Chromium: how tests open it, ask it and draw it."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import devtools

SOURCE = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("SIMDBENCH", SOURCE / "build/test/simdbench")).resolve()
# scripts/setup more brings it.
AXE = SOURCE / "build/axe/axe.min.js"
ENVIRONMENT = {**os.environ, "SIMDBENCH_LOCKS": "", "SIMDBENCH_TEST_CLOCK": "1"}
HOSTILE = "</script><img src=x onerror=alert(1)>\"'&\u202e" + 10000 * "x"

# Draws all charts of a section on each of its pages; the points that they hold.
COUNT = """async (section, kind) => {
  let sum = 0;
  for (;;) {
    for (const canvas of document.querySelectorAll(`#${section} canvas`)) {
      drawChart(canvas);
      const chart = Chart.getChart(canvas);
      chart.data.datasets.forEach((dataset, i) => {
        if (kind(dataset))
          sum += chart.getDatasetMeta(i).data.length;
      });
    }
    const next = [...document.querySelectorAll(`#${section} .pager button`)]
      .find((button) => button.textContent === "Next" && !button.disabled);
    if (!next)
      return sum;
    next.click();
  }
}"""

# Texts that leave their cell of a table, or stand on another name of their axis.
OVERLAPS = """(() => {
  document.querySelectorAll('details').forEach(found => found.open = true);
  const box = (one) => one.getBoundingClientRect();
  const names = [...document.querySelectorAll('.axis text')];
  return [...document.querySelectorAll('td > span')]
    .filter((one) => box(one).right > box(one.parentNode).right + 1)
    .concat(names.filter((one, i) => names.slice(0, i).some((other) =>
      other.parentNode === one.parentNode &&
      box(other).left < box(one).right && box(one).left < box(other).right)))
    .map((one) => one.textContent);
})()"""


def tool(*arguments, status=0):
    done = subprocess.run([BINARY, *arguments], env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=600)
    if done.returncode != status:
        raise AssertionError(f"simdbench {arguments}: {done.stdout}{done.stderr}")
    return done


def repeated(run, n):
    """The run with its cases again and again, under other variants and in other groups."""
    cases = [result for result in run["results"] if result["role"] == "kernel"]
    results = []
    for i in range(n):
        case = dict(cases[i % len(cases)])
        case["variant"] = f"v{i // len(cases) // 4}"
        case["shape"] = f"{i % (4 * len(cases)) + 8}"
        case["id"] = f"{case['op']}/{case['type']}/{case['isa']}/{case['variant']}@{case['shape']}"
        case.update(group=i, limit=None, ratios=[])
        results.append(case)
    return {**run, "results": results}


class PageCase(unittest.TestCase):
    samples, shots = "", None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="simdbench-html-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.at = Path(cls.folder.name)
        cls.browser = devtools.Browser()
        cls.addClassCleanup(cls.browser.close)
        tool("gemm", "--isa=scalar", "--sizes=4,8,12,16,20", "--baseline=none",
             "--time-per-case=4ms", "--quiet", f"--json={cls.at}/run.json")
        cls.run_document = json.loads((cls.at / "run.json").read_text(encoding="utf-8"))

    def open(self, path, **how):
        milliseconds = self.browser.open(path, **how)
        self.assertEqual(self.browser.complaints, [])
        return milliseconds

    def page_of(self, document, name="page"):
        """The page of a run that is given as JSON."""
        saved, page = self.at / f"{name}.json", self.at / f"{name}.html"
        saved.write_text(json.dumps(document), encoding="utf-8")
        tool("report", saved, f"--format=html:{page}")
        return page

    def sample(self, name):
        page = self.at / f"sample-{name}.html"
        page.write_bytes(subprocess.run([self.samples, name, "html"], check=True, timeout=600,
                                        capture_output=True).stdout)
        return page

    def js(self, script):
        value = self.browser.evaluate(script)
        self.assertEqual(self.browser.complaints, [])
        return value

    def count(self, section, kind="(dataset) => dataset.interval"):
        return self.js(f"({COUNT})({json.dumps(section)}, {kind})")

    def shoot(self, page, name):
        """Draws everything, in light, dark and on paper; complaints of any of it fail."""
        self.check_access(page)
        for width in (1400, 390):
            self.open(page, width=width)
            self.assertEqual(self.js(OVERLAPS), [], f"width: {width}")
        for dark in (False, True):
            self.open(page, dark=dark)
            self.js("for (const canvas of waiting.keys()) drawChart(canvas)")
            if self.shots:
                self.js("new Promise(done => setTimeout(done, 300))")
                self.browser.screenshot(self.shots / f"{name}-{'dark' if dark else 'light'}.png", True)
        paper = self.at / "paper.pdf"
        self.browser.pdf(self.shots / f"{name}.pdf" if self.shots else paper)
        self.assertEqual(self.browser.complaints, [])

    def check_access(self, page):
        """No violation of what axe-core checks, in both schemes, on a wide screen and a phone."""
        if not AXE.exists():
            return
        for dark in (False, True):
            for width in (1400, 390):
                self.open(page, dark=dark, width=width)
                self.js("for (const canvas of waiting.keys()) drawChart(canvas);"
                        "document.querySelectorAll('details').forEach(found => found.open = true);"
                        "new Promise(done => setTimeout(done, 300))")
                self.browser.evaluate(AXE.read_text(encoding="utf-8") + ";0")
                found = self.browser.evaluate(
                    "axe.run(document, {resultTypes: ['violations']}).then(done =>"
                    " done.violations.flatMap(rule => rule.nodes.map(node =>"
                    " `${rule.id}: ${node.html.slice(0, 120)}`)))")
                self.assertEqual(found, [], f"{page.name}, dark: {dark}, width: {width}")
                self.assertLessEqual(self.js("document.documentElement.scrollWidth"), width)

    def rows(self):
        return self.js("[...document.querySelectorAll('#cases tbody tr')].map(row =>"
                       " [...row.cells].map(cell => cell.textContent))")

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
