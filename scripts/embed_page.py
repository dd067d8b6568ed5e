# SPDX-License-Identifier: Apache-2.0
"""embed_page.py OUT.c PAGE.html STYLE.css LIBRARY.js SCRIPT.js...: the page of --format=html
as two C arrays, what stands before the data and what stands behind it. The page allows
nothing but these scripts and this style, by their hashes."""
import base64
import hashlib
import re
import sys
from pathlib import Path


def source_of(text):
    """What a Content-Security-Policy calls an element with this text."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def array(name, text):
    # One more byte: the text ends with zero.
    values = ",".join(str(byte) for byte in text.encode("utf-8") + b"\0")
    return f"const unsigned char {name}[] = {{{values}}};"


def main(out, page, style, library, *scripts):
    read = lambda path: Path(path).read_text(encoding="utf-8")
    style = read(style)
    # Beside the page there is no map of the source.
    library = re.sub(r"\n//# sourceMappingURL=.*", "", read(library)).rstrip() + "\n"
    script = '"use strict";\n' + "".join(read(path) for path in scripts)
    if re.search("</script|<!--", library + script, re.I) or "</" in style:
        sys.exit("a script or the style would end its element")
    policy = (f"default-src 'none'; script-src {source_of(library)} {source_of(script)}; "
              f"style-src {source_of(style)}; img-src data:; base-uri 'none'; "
              "form-action 'none'")
    parts = {"policy": policy, "style": style, "library": library, "script": script}
    head, tail = re.sub(r"\{\{(policy|style|library|script)\}\}", lambda m: parts[m[1]],
                        read(page)).split("{{data}}")
    Path(out).write_text("\n".join(["/* Made by scripts/embed_page.py. */",
                                    '#include "html/html_page.h"', "",
                                    array("html_head", head), array("html_tail", tail),
                                    ""]), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
