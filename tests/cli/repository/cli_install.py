# SPDX-License-Identifier: Apache-2.0
"""What is installed beside the program: pages of the manual, completions in three shells."""
import json
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from cli_tool import BINARY, SMALL, SOURCE, Case, environment

PACKAGING = BINARY.parent / "packaging"


def needs(tool):
    return unittest.skipUnless(shutil.which(tool), f"{tool} is not installed")


class Manual(Case):
    def pages(self):
        """Names of commands, and None for simdbench itself."""
        lines = self.run_tool("completion", "words", "--", "man", "").stdout.splitlines()
        return [None, *(line.split("\t")[0] for line in lines)]

    def test_one_a_command(self):
        """Those that are built are those that the program has."""
        wanted = {f"simdbench-{name.replace('_', '-')}.1" if name else "simdbench.1"
                  for name in self.pages()}
        self.assertGreater(len(wanted), 15)
        self.assertEqual({path.name for path in PACKAGING.glob("*.1")}, wanted)
        for name in self.pages():
            path = PACKAGING / (f"simdbench-{name.replace('_', '-')}.1" if name
                                else "simdbench.1")
            self.assertEqual(path.read_text(),
                             self.run_tool("man", *filter(None, [name])).stdout)

    @needs("man")
    def test_no_warnings(self):
        for name in self.pages():
            page = self.run_tool("man", *filter(None, [name])).stdout
            for width in "60", "120":
                done = subprocess.run(["man", "-l", "--warnings", "-E", "UTF-8", "-"],
                                      input=page, text=True, capture_output=True, check=True,
                                      env=environment(MANWIDTH=width))
                self.assertEqual(done.stderr, "", f"{name}, {width} columns")
                self.assertIn("NAME", done.stdout)

    @needs("man")
    def test_says_what_help_says(self):
        """The same words, whatever the lines."""
        def words(text):
            return " ".join(text.replace("`", "").split())
        for name in ("gemm", "ab", "explain"):
            done = subprocess.run(["man", "-l", "-"], text=True, capture_output=True,
                                  input=self.run_tool("man", name).stdout, check=True,
                                  env=environment(MANWIDTH="100"))
            page = words(re.sub(".\b", "", done.stdout))
            text = self.run_tool(name, "--help").stdout
            for option in re.findall(r"(?m)^  ((?:-\w, )?--\S+)\s+((?:.*\n(?=   ))*.*)", text):
                self.assertIn(words(" ".join(option)), page)
            for example in re.findall(r"(?m)^  (simdbench .*)", text):
                self.assertIn(words(example), page)

    def test_refused(self):
        self.assertIn("no such command; did you mean gemm",
                      self.run_tool("man", "gem", status=2).stderr)


class Completion(Case):
    def setUp(self):
        super().setUp()
        self.env = environment(PATH=f"{BINARY.parent}:{os.environ['PATH']}", HOME=self.folder)

    def shell(self, *command, **more):
        done = subprocess.run(command, text=True, capture_output=True, check=True,
                              cwd=self.folder, env=self.env, **more)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def bash(self, line):
        """What bash would put in place of the last word."""
        return self.shell("bash", "-c", """
            source <(simdbench completion bash)
            compopt() { echo "compopt $*"; }
            COMP_LINE=$1 COMP_POINT=${#1}
            _simdbench
            printf '%s\\n' "${COMPREPLY[@]}"
            complete -p simdbench""", "bash", line).splitlines()[:-1]

    def test_bash(self):
        for line, wanted in {
                "simdbench rel": ["relu"],
                "simdbench gemm --isa=avx5": ["avx512"],
                "simdbench gemm --isa avx2,avx5": ["avx2,avx512"],
                "simdbench gemm --dry": ["--dry-run"],
                "simdbench gemm --siz": ["compopt -o nospace", "--sizes="],
                "simdbench relu --filter='relu/f64/scalar/ma": ["relu/f64/scalar/max@*"],
                "simdbench explain relu/f64/scalar/ma": ["compopt -o nospace",
                                                         "relu/f64/scalar/max@"],
                "simdbench list ker": ["kernels"],
                "simdbench study rust": ["rusttensor"],
                "simdbench gemm --baseline=num": ["numpy"],
                "simdbench report ru": [""],
                "simdbench completion ": ["bash", "zsh", "fish"]}.items():
            with self.subTest(line=line):
                self.assertEqual(self.bash(line), wanted)
        # The cursor may be in the middle of the line.
        self.assertIn("gemm", self.bash("simdbench "))

    @needs("shellcheck")
    def test_shellcheck(self):
        self.shell("shellcheck", "-", input=self.run_tool("completion", "bash").stdout)

    @needs("zsh")
    def test_zsh(self):
        for word, wanted in {"rel": ["relu"], "--isa=avx5": ["--isa=avx512"],
                             "--siz": ["-S", "--sizes="], "--json=x": ["files"]}.items():
            first = [] if word == "rel" else ["gemm"]
            with self.subTest(word=word):
                text = self.shell("zsh", "-f", "-c", """
                    compdef() { : }
                    source <(simdbench completion zsh)
                    compadd() { [[ $2 != -S ]] || print -- -S; print -l -- ${(P)@[-1]} }
                    compset() { : }
                    _files() { print files }
                    words=(simdbench "$@") CURRENT=$(( $# + 1 )) PREFIX=$@[-1]
                    _simdbench""", "zsh", *first, word)
                self.assertEqual(text.split(), wanted)

    @needs("fish")
    def test_fish(self):
        (self.folder / "run.json").touch()
        for line, wanted in {"rel": ["relu"], "gemm --isa=avx5": ["--isa=avx512"],
                             "explain relu/f64/scalar/ma": ["relu/f64/scalar/max@"],
                             "report ru": ["run.json"],
                             "report x --json=ru": ["--json=run.json"]}.items():
            with self.subTest(line=line):
                text = self.shell("fish", "--no-config", "-c",
                                  "simdbench completion fish | source\n"
                                  f"complete -C 'simdbench {line}'")
                self.assertEqual([one.split("\t")[0] for one in text.splitlines()], wanted)

    def test_refused(self):
        self.assertIn("bash, zsh and fish",
                      self.run_tool("completion", "tcsh", status=2).stderr)


@needs("meson")
class Installed(Case):
    def test_runs_from_there(self):
        """In a folder of its own, with modules, pages and completions in the usual places."""
        env = environment(PATH=f"/usr/bin:{os.environ['PATH']}")
        subprocess.run(["meson", "install", "-C", BINARY.parent, "--no-rebuild", "--quiet",
                        f"--destdir={self.folder}"], check=True, capture_output=True, env=env)
        (tool,) = self.folder.rglob("bin/simdbench")
        prefix = tool.parent.parent
        for name in ("share/man/man1/simdbench.1", "share/man/man1/simdbench-ab.1",
                     "share/bash-completion/completions/simdbench", "include/simdbench.h",
                     "share/zsh/site-functions/_simdbench",
                     "share/fish/vendor_completions.d/simdbench.fish"):
            self.assertTrue((prefix / name).is_file(), name)
        def run(*arguments):
            return subprocess.run([tool, *arguments], text=True, capture_output=True,
                                  check=True, env=environment()).stdout
        self.assertIn(f"{Path(os.path.realpath(prefix))}", run("list", "modules"))
        self.assertIn("gemm/maxplus-f32/scalar/add@8x8x8", run(*SMALL))


@needs("meson")
@needs("git")
@unittest.skipUnless((SOURCE / ".git").exists(), "this is no git repository")
class Sdist(Case):
    def test_needs_no_git(self):
        """It knows its commit and version where git is not there and says nothing."""
        env = environment(PATH=f"/usr/bin:{os.environ['PATH']}")
        done = subprocess.run([SOURCE / "scripts/release", "sdist"], text=True, check=True,
                              capture_output=True, env=env)
        (name,) = re.findall(r"(?m)^[0-9a-f]{64}  (simdbench-(?:\S+)\.tar\.gz)$", done.stdout)
        subprocess.run(["tar", "-xf", SOURCE / "build/release-files" / name,
                        "-C", self.folder], check=True)
        git = self.folder / "bin/git"
        git.parent.mkdir()
        git.write_text("#!/bin/sh\necho a-commit-of-others\n")
        git.chmod(0o755)
        tree = self.folder / name.removesuffix(".tar.gz")
        env["PATH"] = f"{git.parent}:{env['PATH']}"
        commit = subprocess.run([tree / "scripts/commit"], text=True, check=True,
                                capture_output=True, env=env).stdout
        self.assertRegex(commit, r"^[0-9a-f]{12}$")
        subprocess.run(["meson", "setup", tree / "build", tree, "-Dtests=disabled"],
                       check=True, capture_output=True, env=env)
        about = subprocess.run(["meson", "introspect", "--projectinfo", tree / "build"],
                               check=True, capture_output=True, env=env).stdout
        version = json.loads(about)["version"]
        self.assertEqual(self.run_tool("-V").stdout.split("\n")[0], f"simdbench {version}")
        self.assertEqual(tree.name, f"simdbench-{version}")


class Scripts(Case):
    @needs("dash")
    def test_other_shells(self):
        """`sh scripts/run` is taken by bash."""
        for path in sorted((SOURCE / "scripts").iterdir()):
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            if text.startswith("#!/bin/bash"):
                (self.folder / path.name).write_text(text.partition("\nset -")[0]
                                                     + '\necho "$BASH"\n')
                done = subprocess.run(["dash", self.folder / path.name], text=True, check=True,
                                      capture_output=True)
                self.assertIn("bash", done.stdout, path.name)

    @needs("apt-get")
    def test_package_that_failed_is_named(self):
        log = self.folder / "log"
        with open(log, "w", encoding="utf-8") as file:
            subprocess.run(["apt-get", "-s", "install", "no-such-package", "bash"], stdout=file,
                           stderr=file, env=environment(), check=False)
        done = subprocess.run(["bash", "-c", f"source {SOURCE}/scripts/lib.sh; apt_culprits {log}"],
                              text=True, capture_output=True, check=True)
        self.assertEqual(done.stdout, "no-such-package\n", log.read_text())

    def test_one_cache_for_all_builds(self):
        """ccache tells objects apart by the locale, which is the same in all builds."""
        build = ("source scripts/lib.sh; root=$1; use_compiler; mkdir -p $1/build/some; "
                 "touch $1/build/some/build.ninja; "
                 "printf '%s\\n' \"CC=$compiler \" >$1/build/some/options.txt; "
                 "ninja() { printf '%s' \"$LANG $LC_ALL\" >$1/said; }; build some")
        for locale in "C", "POSIX":
            subprocess.run(["bash", "-c", build.replace("$1", str(self.folder))], check=True,
                           cwd=SOURCE, env={**environment(), "LC_ALL": locale, "LANG": locale})
            self.assertEqual((self.folder / "said").read_text(encoding="utf-8"),
                             "C.UTF-8 C.UTF-8")
