# SPDX-License-Identifier: Apache-2.0
"""What a page of --format=html must be without a browser: complete in itself, closed to all
but its own scripts, and its data unable to be anything else."""
import base64
import hashlib
import re
from html.parser import HTMLParser

from format_rules import RULES, check, strict_json, text_of

__all__ = ["page"]


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.elements, self.inside = [], [], None

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag in ("script", "style"):
            self.elements.append((tag, dict(attributes).get("type"), ""))
            self.inside = tag

    def handle_endtag(self, tag):
        if tag == self.inside:
            self.inside = None

    def handle_data(self, data):
        if self.inside:
            tag, kind, text = self.elements[-1]
            self.elements[-1] = (tag, kind, text + data)


def source_of(text):
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def page(data):
    """The document in the page."""
    text = text_of(data)
    check(text.startswith("<!DOCTYPE html>"), "no doctype")
    read = Page()
    read.feed(text)
    policy = dict(part.strip().split(" ", 1) for part in next(
        of["content"] for tag, of in read.tags
        if of.get("http-equiv") == "Content-Security-Policy").split(";"))
    check(policy["default-src"] == "'none'" and "unsafe" not in str(policy), policy)
    kinds = [(tag, kind) for tag, kind, _ in read.elements]
    check(kinds == [("style", None), ("script", "application/json"), ("script", None),
                    ("script", None)], kinds)
    for tag, kind, content in read.elements:
        if kind is None:
            check(source_of(content) in policy[f"{tag}-src"].split(), f"hash of a {tag}")
    check(len(policy["script-src"].split()) == 2, policy)
    for tag, of in read.tags:
        check(not any(name.startswith("on") or name == "style" for name in of), (tag, of))
        for name in ("src", "href"):
            check(re.match(r"#|data:,$", of.get(name, "#")), (tag, of))
    content = read.elements[1][2]
    check("<" not in content, "markup in the data")
    return strict_json(content.encode())


RULES["html"] = page
