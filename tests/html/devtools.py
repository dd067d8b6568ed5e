# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven over its DevTools protocol through a pipe."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """Pages of one browser, one after the other. Collects what they complain of."""

    def __init__(self, timeout=600):
        self.timeout = timeout
        self.complaints, self.buffer, self.last_id, self.session = [], b"", 0, None
        self.folder = tempfile.TemporaryDirectory(prefix="simdbench-chromium-")
        self.events = []
        to_browser, self.out = os.pipe()
        self.input, from_browser = os.pipe()

        def place_pipes():
            # DevTools reads from 3 and writes to 4; neither copy may cover the other.
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--disable-extensions", "--hide-scrollbars",
             "--force-device-scale-factor=1", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, pass_fds=(), preexec_fn=place_pipes)
        os.close(to_browser)
        os.close(from_browser)
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target,
                                flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def close(self):
        os.close(self.out)
        os.close(self.input)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def _message(self, deadline):
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                raise TimeoutError("Chromium does not answer")
            piece = os.read(self.input, 1 << 20)
            if not piece:
                raise ConnectionError("Chromium is gone")
            self.buffer += piece
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def _note(self, message):
        method, of = message.get("method"), message.get("params", {})
        self.events.append(method)
        if method == "Runtime.exceptionThrown":
            details = of["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description")
                                   or details["text"])
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(str(of["args"]))
        elif method == "Log.entryAdded":
            self.complaints.append(of["entry"]["text"])

    def ask(self, method, **parameters):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + self.timeout
        while True:
            answer = self._message(deadline)
            if answer.get("id") != self.last_id:
                self._note(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def wait_for(self, method):
        deadline = time.monotonic() + self.timeout
        while method not in self.events:
            self._note(self._message(deadline))

    def open(self, path, dark=False, width=1200, height=900):
        """Loads a file; milliseconds from navigation to the end of its load event."""
        self.complaints, self.events = [], []
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)
        # A page with the same path and another fragment would not be loaded again.
        self.ask("Page.navigate", url="about:blank")
        self.wait_for("Page.loadEventFired")
        self.events = []
        self.ask("Page.navigate", url=Path(path).resolve().as_uri())
        self.wait_for("Page.loadEventFired")
        self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
        return self.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")

    def evaluate(self, script):
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True,
                          awaitPromise=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def screenshot(self, path, whole=False):
        picture = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)
        Path(path).write_bytes(base64.b64decode(picture["data"]))

    def pdf(self, path):
        paper = self.ask("Page.printToPDF", printBackground=True, paperWidth=8.27,
                         paperHeight=11.69)
        Path(path).write_bytes(base64.b64decode(paper["data"]))
