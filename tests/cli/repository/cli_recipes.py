# SPDX-License-Identifier: Apache-2.0
"""The files of docs/recipes, used as docs/recipes.md says, on a repository with a plug-in of
which one commit is many times slower, in times that are made up: they follow from the work
that a kernel tells."""
import http.server
import json
import os
import shutil
import subprocess
import threading

from cli_tool import BINARY, PATIENCE, SOURCE, Case, environment

RECIPES = SOURCE / "docs/recipes"
QUICK = "relu --sizes=4096 --processes=8 --rounds=3 --threshold=80% --quiet"
MAKEFILE = """\
kernels.so: kernels.c
\t$(CC) $(CPPFLAGS) -O2 -shared -fPIC -o $@ $<
"""
KERNEL = """\
#include "simdbench.h"
enum { TURNS = 1 };

static void relu_run(const struct simdbench_operands *operands, void *state)
{
    const float *x = operands->operand[0]->data;
    float *y = operands->operand[1]->data;
    (void)state;
    for (int turn = 0; turn < TURNS; turn++) {
        for (uint64_t i = 0; i < operands->operand[0]->count; i++)
            y[i] = x[i] < 0 ? 0 : x[i];
        __asm__ volatile("" ::: "memory");
    }
}

static void relu_work(const struct simdbench_operands *operands, double *ops, double *bytes)
{
    *ops = TURNS * (double)operands->operand[0]->count;
    *bytes = 0;
}

static const struct simdbench_kernel relu = {
    .size = sizeof relu,
    .type = SIMDBENCH_F32,
    .op = "relu",
    .isa = "scalar",
    .variant = "mine",
    .run = relu_run,
    .work = relu_work,
};

static const struct simdbench_module module = {
    .size = sizeof module,
    .abi = SIMDBENCH_ABI,
    .name = "mine",
    .kernels = (const struct simdbench_kernel *const[]){&relu, NULL},
};

const struct simdbench_module *simdbench_module(uint32_t abi)
{
    (void)abi;
    return &module;
}
"""
SLOW = KERNEL.replace("TURNS = 1", "TURNS = 60")


class Forge(http.server.BaseHTTPRequestHandler):
    """Comments of one pull request."""
    comments = []

    def answer(self, value):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def said(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

    def do_GET(self):
        self.answer(self.comments)

    def do_POST(self):
        self.comments.append({"body": self.said(), "user": {"login": "github-actions[bot]"},
                              "url": f"http://{self.headers['Host']}/{len(self.comments)}"})
        self.answer(self.comments[-1])

    def do_PATCH(self):
        self.comments[int(self.path[1:])]["body"] = self.said()
        self.answer({})

    def log_message(self, *arguments):
        pass


class Recipes(Case):
    def setUp(self):
        super().setUp()
        for program in ("git", "make", "cc"):
            if not shutil.which(program):
                self.skipTest(f"there is no {program}")
        programs, self.repository = self.folder / "bin", self.folder / "work"
        programs.mkdir()
        (programs / "simdbench").symlink_to(BINARY)
        clean = {k: v for k, v in environment().items()
                 if not k.startswith(("GIT_", "SIMDBENCH_")) or k == "SIMDBENCH_TEST_CLOCK"}
        self.env = {**clean, "HOME": str(self.folder), "GIT_CONFIG_NOSYSTEM": "1",
                    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
                    "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
                    "PATH": f"{programs}:{os.environ['PATH']}", "TMPDIR": str(self.new_folder()),
                    "CPPFLAGS": f"-I{SOURCE / 'kernels'}", "SIMDBENCH_AB": QUICK}
        self.git("init", "-q", "-b", "main", self.repository, cwd=self.folder)
        (self.repository / "Makefile").write_text(MAKEFILE)
        self.first = self.commit("kernels.c", KERNEL)

    def tearDown(self):
        """Nothing stays behind, in temporary folders or in the repository."""
        if hasattr(self, "first"):
            self.assertEqual(os.listdir(self.env["TMPDIR"]), [])
            trees = self.git("worktree", "list", "--porcelain").stdout
            self.assertEqual(trees.count("worktree "), 1, trees)

    def run_here(self, *command, status=0, cwd=None, **more):
        done = subprocess.run(command, cwd=cwd or self.repository, text=True, timeout=PATIENCE,
                              capture_output=True, stdin=subprocess.DEVNULL,
                              env={**self.env, **more})
        if status is not None:
            self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def git(self, *arguments, **more):
        return self.run_here("git", *map(str, arguments), **more)

    def commit(self, name, text):
        (self.repository / name).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"{name}: another one")
        return self.git("rev-parse", "HEAD").stdout.strip()

    def install(self, *names):
        for name in names:
            shutil.copy(RECIPES / name, self.repository / ".git/hooks" / name)

    def test_pre_push(self):
        bare = self.folder / "bare.git"
        self.git("init", "-q", "--bare", "-b", "main", bare)
        self.git("remote", "add", "origin", bare)
        self.install("pre-push", "ab-commits")
        done = self.git("push", "origin", "main")
        self.assertIn("nothing to compare", done.stderr)
        self.git("remote", "set-head", "origin", "main")

        self.commit("README", "As fast as before.\n")
        done = self.git("push", "origin", "main")
        self.assertRegex(done.stderr, "1 case, 1 the same")

        before = self.git("rev-parse", "main").stdout
        slow = self.commit("kernels.c", SLOW)
        for branch in ("main", "main:new"):
            done = self.git("push", "origin", branch, status=None)
            self.assertNotEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, "REGRESSED")
            self.assertRegex(done.stderr, "SIMDBENCH_KEEP=NEW_FOLDER keeps both builds")
            self.assertRegex(done.stderr, "pre-push: refused")
        self.assertEqual(self.git("rev-parse", "main", cwd=bare).stdout, before)
        self.git("push", "origin", "main", SIMDBENCH_SKIP="1")
        self.assertEqual(self.git("rev-parse", "main", cwd=bare).stdout.strip(), slow)

        self.commit("kernels.c", "#error no kernel\n")
        done = self.git("push", "origin", "main")
        self.assertRegex(done.stderr, '"make kernels.so" does not make kernels.so')
        self.assertRegex(done.stderr, "not compared, status 125")
        self.git("push", "origin", ":main", status=None)  # has no commit to compare

    def test_pre_push_without_simdbench(self):
        """Nothing is pushed unseen because the program is missing."""
        self.install("pre-push", "ab-commits")
        bare = self.folder / "bare.git"
        self.git("init", "-q", "--bare", "-b", "main", bare)
        (self.folder / "bin/simdbench").unlink()
        path = os.pathsep.join(part for part in self.env["PATH"].split(os.pathsep)
                               if not os.path.exists(os.path.join(part, "simdbench")))
        done = self.git("push", bare, "main", status=None, PATH=path)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("refused: there is no simdbench in PATH", done.stderr)
        self.git("push", bare, "main", PATH=path, SIMDBENCH_SKIP="1")

    def test_project_file_of_the_repository(self):
        """Whoever writes a slower kernel does not choose what is slower."""
        self.install("ab-commits")
        said = self.folder / "said"
        (self.folder / "bin/simdbench").unlink()
        fake = self.folder / "bin/simdbench"
        fake.write_text(f'#!/bin/bash\necho "$*" >>{said}\n')
        fake.chmod(0o755)
        self.run_here(".git/hooks/ab-commits", "HEAD", "HEAD", "relu", "--project=mine")
        self.assertRegex(said.read_text(),
                         "^ab .*/base/kernels.so .*/head/kernels.so --project=no relu "
                         "--project=mine\n$")
        (self.repository / "sub").mkdir()
        # Builds that fail leave no folder; one that is there already stays as it is.
        for status, build in ((125, "false"), (0, "make kernels.so"), (2, "make kernels.so")):
            self.run_here("../.git/hooks/ab-commits", "HEAD", "HEAD", status=status,
                          cwd=self.repository / "sub", SIMDBENCH_KEEP="../both",
                          SIMDBENCH_BUILD=build)
        self.assertEqual({path.name for path in (self.repository / "both").iterdir()},
                         {"base", "head"})
        for side in ("base", "head"):
            self.assertEqual({path.name for path in (self.repository / "both" / side).iterdir()},
                             {"Makefile", "kernels.c", "kernels.so"})
        self.assertIn("--project=no", (RECIPES / "gate.yml").read_text(encoding="utf-8"))

    def test_bisect_statuses(self):
        """What each status of ab becomes, and how often ab is asked."""
        self.install("bisect")
        calls = self.folder / "calls"
        fake = self.repository / ".git/hooks/ab-commits"
        fake.write_text(f'#!/bin/bash\necho "$*" >>{calls}\nexit "$STATUS"\n')
        fake.chmod(0o755)
        for status, wanted, times in ((0, 0, 1), (1, 1, 1), (2, 125, 1), (3, 125, 3),
                                      (4, 125, 1), (5, 125, 1), (125, 125, 1), (130, 130, 1)):
            with self.subTest(status=status):
                calls.write_text("")
                self.run_here(".git/hooks/bisect", "good", "relu", status=wanted,
                              STATUS=str(status))
                self.assertEqual(calls.read_text(), "good HEAD --strict relu\n" * times)

    def test_workflow(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is not installed")
        text = (RECIPES / "gate.yml").read_text(encoding="utf-8")
        workflow = yaml.safe_load(text)
        self.assertEqual(set(workflow[True]), {"pull_request", "push"})  # YAML's "on"
        self.assertEqual(workflow["permissions"], {"contents": "read"})
        job = workflow["jobs"]["gate"]
        self.assertEqual(job["defaults"]["run"]["shell"], "bash")
        steps = job["steps"]
        for step in steps:
            self.assertRegex(step.get("uses", "actions/none@v1"), r"^actions/[a-z-]+@v\d+$")
            self.assertNotIn("${{", step.get("run", ""))  # nobody's text becomes a command

        workspace = self.workspace()
        for step in steps[:-1]:
            if "run" not in step:
                continue
            slow = step["name"] == "Compare"
            done = self.step(step["run"], workspace, status=1 if slow else 0)
        self.assertRegex(done.stdout, "(?m)^::error title=REGRESSED relu/f32/scalar/mine@4096")
        self.assertIn("**REGRESSED: 1 of 1 case", (self.folder / "summary.md").read_text())
        for name in steps[-1]["with"]["path"].split():
            self.assertTrue((workspace / name).is_file(), name)
        self.assertEqual(self.load(workspace / "gate.json")["gate"]["regressed"], 1)
        self.git("worktree", "remove", "--force", workspace / "base", cwd=workspace / "head")

    def test_comment(self):
        """The first failure writes one comment, and later runs write over it."""
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is not installed")
        for program in ("jq", "curl"):
            if not shutil.which(program):
                self.skipTest(f"there is no {program}")
        text = (SOURCE / "docs/recipes.md").read_text(encoding="utf-8")
        [step] = yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])
        self.assertNotIn("${{", step["run"])
        stranger = {"body": "<!-- simdbench gate -->", "user": {"login": "stranger"}, "url": "no"}
        Forge.comments = [stranger.copy()]
        server = http.server.HTTPServer(("127.0.0.1", 0), Forge)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        said = []
        for result, table in (("success", "none"), ("failure", "first"), ("failure", "later €" * 20000),
                              ("success", "last")):
            (self.folder / "gate.md").write_text(table)
            self.step(step["run"], self.folder, 0, TOKEN="secret", RESULT=result, NO_PROXY="*",
                      COMMENTS=f"http://127.0.0.1:{server.server_port}/comments")
            said.append([comment["body"] for comment in Forge.comments[1:]])
        self.assertEqual(Forge.comments[0], stranger)
        self.assertEqual([len(bodies) for bodies in said], [0, 1, 1, 1])
        self.assertEqual(said[1], ["<!-- simdbench gate -->\nfirst"])
        self.assertLess(len(said[2][0]), 65536)
        self.assertIn("later €", said[2][0])
        self.assertEqual(said[3], ["<!-- simdbench gate -->\nlast"])

    def test_workflow_of_harnesses(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is not installed")
        text = (RECIPES / "harness.yml").read_text(encoding="utf-8")
        job = yaml.safe_load(text)["jobs"]["harness"]
        self.assertEqual(yaml.safe_load(text)["permissions"], {"contents": "read"})
        table = [[cell.strip().strip("`") for cell in row.strip("|").split("|")]
                 for row in (SOURCE / "docs/recipes.md").read_text(encoding="utf-8").split("\n")
                 if row.startswith("| `") and row.count("|") == 6]
        mine = [job["env"][name] for name in ("HARNESS", "PACKAGES", "BUILD", "RUN")]
        self.assertIn([*mine, job["container"]], table)
        for harness, *_ in table:  # a name that is none is an error of its own
            done = self.run_here("simdbench", "ab", f"--harness={harness}", "./no", "./no",
                                 status=2)
            self.assertIn("./no: no program", done.stderr)
        bench = "#!/bin/sh\necho case took {} ns\n"
        self.commit("bench", bench.format(100))
        workspace = self.workspace("bench", bench.format(200))
        env = {**job["env"], "SIMDBENCH_LOCKS": "", "HARNESS": "regex", "BUILD": "chmod +x bench", "RUN": "./bench"}
        (workspace / "simdbench/scripts/run").write_text(
            '#!/bin/bash\nexec simdbench "$@" --processes=8 --quiet --pattern="(case).* (.*) ns"\n')
        for step in job["steps"][:-1]:
            self.assertNotIn("${{", step.get("run", ""))
            if "run" in step:
                done = self.step(step["run"], workspace / step.get("working-directory", ""),
                                 status=1 if step["name"] == "Compare" else 0, **env)
        self.assertRegex(done.stdout, "(?m)^::error title=REGRESSED case")
        self.assertIn("**REGRESSED: 1 of 1 case", (self.folder / "summary.md").read_text())
        for name in job["steps"][-1]["with"]["path"].split():
            self.assertTrue((workspace / name).is_file(), name)

    def workspace(self, name="kernels.c", text=SLOW):
        """What the steps of others leave: both checkouts, and an installed system."""
        workspace = self.folder / "workspace"
        workspace.mkdir()
        self.commit(name, text)
        self.git("clone", "-q", "--depth=2", f"file://{self.repository}", workspace / "head")
        scripts = workspace / "simdbench/scripts"
        scripts.mkdir(parents=True)
        (workspace / "simdbench/kernels").symlink_to(SOURCE / "kernels")
        # Without the time that it takes to build simdbench.
        run = scripts / "run"
        run.write_text(f'#!/bin/bash\nexec simdbench "$@" {QUICK}\n')
        run.chmod(0o755)
        apt = self.folder / "bin/apt-get"
        apt.write_text("#!/bin/bash\n")
        apt.chmod(0o755)
        return workspace

    def step(self, script, workspace, status, **more):
        (self.folder / "step.sh").write_text(script)
        (self.folder / "summary.md").write_text("")
        if shutil.which("shellcheck"):
            self.run_here("shellcheck", "--shell=bash", self.folder / "step.sh")
        return self.run_here("bash", "--noprofile", "--norc", "-eo", "pipefail",
                             self.folder / "step.sh", cwd=workspace, status=status,
                             GITHUB_STEP_SUMMARY=str(self.folder / "summary.md"),
                             GITHUB_SHA="0123456789abcdef", CPPFLAGS="", **more)
