"""Tests of examples/jupyterhub/berth_spawner.py: a hub's calls in their order, against a mesh of one job."""

import asyncio
import sys
import types
import unittest
from pathlib import Path

from berth import BerthError, Job

HERE = Path(__file__).resolve().parent


class FakeSpawner:
    """What a spawner gets from JupyterHub."""

    cmd = ["jupyterhub-singleuser"]
    user = types.SimpleNamespace(name="alice")

    def get_args(self):
        return ["--port=8888", "--name=a b"]

    def get_env(self):
        return {"JUPYTERHUB_API_TOKEN": "x"}

    def get_state(self):
        return {}

    def load_state(self, state):
        pass

    def clear_state(self):
        pass


def load():
    hub = types.ModuleType("jupyterhub")
    spawner = types.ModuleType("jupyterhub.spawner")
    spawner.Spawner = FakeSpawner
    sys.modules.update({"jupyterhub": hub, "jupyterhub.spawner": spawner})
    sys.path.insert(0, str(HERE.parent.parent / "examples" / "jupyterhub"))
    import berth_spawner

    return berth_spawner


class FakeMesh:
    """A mesh whose job goes through these states, one for each question, and stays in the last."""

    def __init__(self, *states):
        self.states = list(states)
        self.submitted = None
        self.cancelled = []

    def submit(self, script, **fields):
        self.submitted = (script, fields)
        return self._job("PENDING")

    def job(self, job):
        state = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        if state is None:
            raise BerthError(404, "job_not_found", "there is no job")
        return self._job(state)

    def cancel(self, job):
        self.cancelled.append(job)

    @staticmethod
    def _job(state):
        nodes = ["gpu-01"] if state == "RUNNING" else []
        return Job(17, "jupyter", "alice", "a", "batch", state, "Resources", nodes, 3 if state == "FAILED" else 0, 0, {})


class SpawnerTest(unittest.TestCase):
    def spawner(self, mesh):
        spawner = load().BerthSpawner()
        type(spawner).mesh = staticmethod(lambda: mesh)
        return spawner

    def test_a_server_is_a_job_of_its_user_on_the_node_that_it_got(self):
        mesh = FakeMesh("RUNNING")
        where = asyncio.run(self.spawner(mesh).start())
        script, fields = mesh.submitted
        self.assertEqual(where, ("gpu-01", 8888))
        self.assertEqual(script, "#!/bin/sh\nexec jupyterhub-singleuser --port=8888 '--name=a b' --ip=0.0.0.0\n")
        self.assertEqual((fields["user"], fields["environment"]), ("alice", {"JUPYTERHUB_API_TOKEN": "x"}))

    def test_a_server_that_ends_before_it_runs_is_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "is FAILED"):
            asyncio.run(self.spawner(FakeMesh("FAILED")).start())

    def test_it_is_polled_after_a_restart_of_the_hub_and_stopped(self):
        mesh = FakeMesh("RUNNING")
        first = self.spawner(mesh)
        asyncio.run(first.start())
        again = self.spawner(mesh)
        again.load_state(first.get_state())
        self.assertIsNone(asyncio.run(again.poll()))
        asyncio.run(again.stop())
        self.assertEqual(mesh.cancelled, [17])
        mesh.states = ["FAILED", None]
        self.assertEqual(asyncio.run(again.poll()), 3)
        self.assertEqual(asyncio.run(again.poll()), 0)
        again.clear_state()
        self.assertEqual((again.get_state(), asyncio.run(again.poll())), ({}, 0))


if __name__ == "__main__":
    unittest.main()
