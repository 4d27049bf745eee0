"""Notebook servers as jobs of Berth, in the shape of a JupyterHub spawner: start, poll, stop, and a state that survives
a restart of the hub.

In jupyterhub_config.py, with this file and clients/python/berth.py on the hub's PYTHONPATH, and the token of an
admin in the hub's BERTH_TOKEN (it submits for every user):

    from berth_spawner import BerthSpawner
    c.JupyterHub.spawner_class = BerthSpawner
    BerthSpawner.request = {"gpus": 1, "cpus_per_task": 4, "memory_mib_per_node": 16384, "time_limit_seconds": 8 * 3600}

The server listens on its node: the hub's proxy must reach that node's address, and users must exist on the nodes.
"""

from __future__ import annotations

import asyncio
import shlex
import uuid
from typing import Any, Awaitable, Callable, Dict, Mapping, Optional, Sequence, Tuple

from berth import Berth, BerthError

try:
    from jupyterhub.spawner import Spawner
except ImportError:  # NotebookJob works without a hub
    Spawner = object


class NotebookJob:
    """A notebook server that runs as a job.

    :param job: of a server that was started before, None of one that is to be
    """

    def __init__(self, mesh: Berth, job: Optional[int] = None) -> None:
        self._mesh = mesh
        self.job = job

    def submit(
        self, user: str, command: Sequence[str], environment: Mapping[str, str], request: Mapping[str, Any]
    ) -> None:
        """Submits the server's command for that user."""
        self.job = self._mesh.submit(
            "#!/bin/sh\nexec " + shlex.join(command) + "\n",
            key=str(uuid.uuid4()),
            user=user,
            name="jupyter",
            environment=dict(environment),
            requeue=False,
            **request,
        ).id

    def node(self) -> Optional[str]:
        """The node that it runs on; None while it waits.

        :raises RuntimeError: if it ended instead
        """
        job = self._mesh.job(self._known())
        if job.over:
            raise RuntimeError(f"job {job.id} of the notebook server is {job.state}")
        return job.nodes[0] if job.state == "RUNNING" else None

    def waits_for(self) -> str:
        """One line on why it is not there yet."""
        job = self._mesh.job(self._known())
        return f"Job {job.id} is {job.state} ({job.reason})"

    def exit_code(self) -> Optional[int]:
        """None while it waits or runs; 0 of a server that is not known any more."""
        if self.job is None:
            return 0
        try:
            job = self._mesh.job(self.job)
        except BerthError as error:
            if error.code != "job_not_found":
                raise
            return 0
        return (job.exit_code or (1 if job.signal else 0)) if job.over else None

    def stop(self) -> None:
        """Ends it, if it is there."""
        if self.job is not None:
            self._mesh.cancel(self.job)

    def _known(self) -> int:
        if self.job is None:
            raise RuntimeError("the notebook server was not started")
        return self.job


class BerthSpawner(Spawner):  # type: ignore[misc]
    """The hub's side of :class:`NotebookJob`. ``request`` holds the fields of every user's job (docs/python.md)."""

    request: Dict[str, Any] = {"cpus_per_task": 1, "time_limit_seconds": 8 * 3600}
    notebook_port = 8888
    mesh: Callable[[], Berth] = Berth

    _notebook: Optional[NotebookJob] = None

    async def start(self) -> Tuple[str, int]:
        notebook = self._notebook = NotebookJob(type(self).mesh())
        self.port = self.notebook_port
        command = [*self.cmd, *self.get_args(), "--ip=0.0.0.0"]
        await _aside(notebook.submit, self.user.name, command, self.get_env(), self.request)
        while (node := await _aside(notebook.node)) is None:
            await asyncio.sleep(1)
        return node, self.port

    async def poll(self) -> Optional[int]:
        return 0 if self._notebook is None else await _aside(self._notebook.exit_code)

    async def stop(self, now: bool = False) -> None:
        if self._notebook is not None:
            await _aside(self._notebook.stop)

    async def progress(self) -> Any:
        while self._notebook is not None and self._notebook.job is not None:
            yield {"message": await _aside(self._notebook.waits_for)}
            await asyncio.sleep(5)

    def get_state(self) -> Dict[str, Any]:
        state = super().get_state()
        if self._notebook is not None and self._notebook.job is not None:
            state["job"] = self._notebook.job
        return state

    def load_state(self, state: Mapping[str, Any]) -> None:
        super().load_state(state)
        if "job" in state:
            self._notebook = NotebookJob(type(self).mesh(), state["job"])

    def clear_state(self) -> None:
        super().clear_state()
        self._notebook = None


def _aside(call: Callable[..., Any], *arguments: Any) -> Awaitable[Any]:
    """The call beside the hub's loop, which it would block."""
    return asyncio.get_running_loop().run_in_executor(None, call, *arguments)
