# SPDX-License-Identifier: Apache-2.0
"""A Slurm of one machine: munged, slurmctld and a slurmd for each node on loopback, as the user
who runs it. It needs neither systemd nor cgroups nor root, and leaves the system's own alone."""
import getpass
import os
import random
import shutil
import socket
import subprocess
import time

DAEMONS = "munged", "slurmctld", "slurmd"
# Seconds after which something hangs, on any machine.
PATIENCE = 600
PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"

CONF = """\
ClusterName=simdbench
SlurmctldHost=localhost(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/linear
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
"""
NODE = """\
NodeName={name} NodeHostname=localhost NodeAddr=127.0.0.1 Port={port} CPUs={cpus} RealMemory=100
"""
PARTITION = "PartitionName=all Nodes={nodes} Default=YES OverSubscribe=EXCLUSIVE\n"


def missing():
    """The daemons that are not installed."""
    return [name for name in DAEMONS if not shutil.which(name, path=PATH)]


def free_ports(n):
    """The first of `n` ports in a row, below those that the system gives to clients. Two runs of the
    tests at once hardly choose the same ones."""
    bases = list(range(17000, 32000, n))
    random.shuffle(bases)
    for base in bases:
        taken = []
        try:
            for port in range(base, base + n):
                taken.append(socket.create_server(("127.0.0.1", port)))
            return base
        except OSError:
            continue
        finally:
            for one in taken:
                one.close()
    raise OSError("there are no free ports")


class Cluster:
    """Its daemons are children of this process, jobs have that environment, stop() ends all."""
    def __init__(self, folder, nodes, env):
        self.folder, self.children = folder, []
        self.nodes = [f"n{i + 1}" for i in range(nodes)]
        # Variables of a job that this may itself be a part of would be options here.
        self.env = {name: value for name, value in env.items()
                    if not name.startswith(("SLURM", "SBATCH", "SQUEUE"))}
        self.env.update(PATH=PATH, SLURM_CONF=str(folder / "slurm.conf"))
        # munge wants all to reach its socket.
        folder.chmod(0o711)
        port = free_ports(nodes + 1)
        conf = CONF.format(user=getpass.getuser(), folder=folder, port=port)
        for i, name in enumerate(self.nodes):
            conf += NODE.format(name=name, port=port + 1 + i, cpus=os.cpu_count())
        conf += PARTITION.format(nodes=",".join(self.nodes))
        (folder / "slurm.conf").write_text(conf)
        (folder / "cgroup.conf").write_text("CgroupAutomount=no\n")
        (folder / "state").mkdir()

    def start(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self.spawn("munged", "--foreground", *(f"--{name}-file={self.folder}/munge.{name}"
                                               for name in ("key", "pid", "log", "seed")),
                   f"--socket={self.folder}/munge.socket")
        self.wait(lambda: (self.folder / "munge.socket").exists())
        self.spawn("slurmctld", "-D")
        for name in self.nodes:
            self.spawn("slurmd", "-D", "-N", name)
        self.wait(lambda: self.run("sinfo", "-hNtidle", "-o%N", check=False).split()
                  == sorted(self.nodes))

    def spawn(self, name, *arguments):
        with open(self.folder / f"{name}.out", "a", encoding="utf-8") as out:
            self.children.append(subprocess.Popen(
                [shutil.which(name, path=PATH), *arguments], env=self.env, cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=out, stderr=out))

    def run(self, *command, check=True, **more_env):
        """Output of a command, such as those of Slurm."""
        return subprocess.run(command, env={**self.env, **more_env}, text=True, check=check,
                              capture_output=True, timeout=PATIENCE).stdout

    def wait(self, what):
        deadline = time.monotonic() + PATIENCE
        while not what():
            if time.monotonic() > deadline or any(c.poll() is not None for c in self.children):
                told = "".join(f"{p.name}: {p.read_text(errors='replace')[-2000:]}\n"
                               for p in sorted(self.folder.glob("*.out")))
                raise TimeoutError(told + self.run("squeue", check=False))
            time.sleep(0.1)

    def wait_for_jobs(self):
        self.wait(lambda: not self.run("squeue", "-h"))

    def stop(self):
        """Jobs first, and the daemon that all others ask last."""
        self.run("scancel", "-u", getpass.getuser(), check=False)
        for child in reversed(self.children):
            child.terminate()
            try:
                child.wait(30)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
