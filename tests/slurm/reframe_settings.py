# SPDX-License-Identifier: Apache-2.0
"""ReFrame's settings for the Slurm of these tests. Its scheduler `slurm` would ask sacct. It takes
a job that waits for its node for one that is blocked, unless it is told to ignore that."""
site_configuration = {
    "systems": [{
        "name": "fleet", "hostnames": [".*"], "modules_system": "nomod",
        "partitions": [{"name": "all", "scheduler": "squeue", "launcher": "local",
                        "access": ["-p all"], "environs": ["builtin"], "max_jobs": 64,
                        "sched_options": {"ignore_reqnodenotavail": True}}],
    }],
    "general": [{"remote_detect": False, "resolve_module_conflicts": False}],
}
