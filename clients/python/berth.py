"""Berth's HTTP API for Python 3.9 and newer: one file, no dependencies.

    from berth import Berth

    mesh = Berth()                       # as the commands: BERTH_URL, BERTH_TOKEN, or the mesh of this machine
    job = mesh.submit("#!/bin/sh\\nnvidia-smi -L\\n", gpus=2, gpu_type="a100", time_limit_seconds=3600)
    print(mesh.wait(job.id).exit_code)

Every keyword of :meth:`Berth.submit` is a field of ``POST /v1/jobs`` in snake_case; docs/api.md explains them. A
submission carries an idempotency key, and is repeated without a certain answer: it arrives once. Times are epoch
milliseconds, memory is in MiB. A :class:`Berth` may be used by several threads.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, TypeVar, Union

__all__ = ["Berth", "BerthError", "Event", "Job", "NotAnswered", "Result"]

JobId = Union[int, str]
"""A job's number, or the name of tasks of an array: ``17``, ``"17_4"``, ``"17_[1-3]"``."""

TERMINAL = frozenset(
    ["COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY"]
)
"""The states in which a job is over."""

_T = TypeVar("_T")
_LINES_PER_REQUEST = 10_000
_BYTES_PER_REQUEST = 30_000_000
_LONGEST_PAUSE = 2.0
_SAFE = re.compile(r"https://.*|http://(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(/.*)?", re.IGNORECASE)


class BerthError(Exception):
    """The mesh refused: ``status`` is that of HTTP, ``code`` is for programs (docs/api.md), ``detail`` for people."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{detail} ({code})" if code else detail)
        self.status = status
        self.code = code
        self.detail = detail


class NotAnswered(BerthError):
    """The mesh gave no certain answer within the patience: whether the request had an effect is not known.

    ``retry_after`` is after how many seconds the mesh asks to be asked again.
    """

    def __init__(self, status: int, code: str, detail: str, retry_after: float = 0.0) -> None:
        super().__init__(status, code, detail)
        self.retry_after = retry_after


@dataclass(frozen=True)
class Job:
    """A job as the mesh told it last. ``fields`` holds everything, by the names of the API."""

    id: int
    name: str
    user: str
    account: str
    partition: str
    state: str
    reason: str
    nodes: List[str]
    exit_code: int
    signal: int
    fields: Mapping[str, Any] = field(repr=False)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.state in TERMINAL

    @staticmethod
    def _of(fields: Mapping[str, Any]) -> "Job":
        return Job(
            id=fields["id"],
            name=fields["name"],
            user=fields["user"],
            account=fields["account"],
            partition=fields["partition"],
            state=fields["state"],
            reason=fields["reason"],
            nodes=list(fields["nodeNames"]),
            exit_code=fields["exitCode"],
            signal=fields["signal"],
            fields=fields,
        )


class Result(NamedTuple):
    """What became of one of many submissions: an ``id``, or the error that refused it."""

    id: Optional[int]
    error: Optional[BerthError]


class Event(NamedTuple):
    """An event of a job. ``id`` is its place in the log, ``data`` the event as in the topic ``berth.jobs.v1``."""

    id: str
    type: str
    data: Mapping[str, Any]


class _Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected request would carry the token to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Berth:
    """A mesh, seen by the one whose token it is.

    :param url: address of the gateway. Not given: ``BERTH_URL``, else what ``berth up`` wrote on this machine, else
        port 7600 (``BERTH_PORT_BASE``) of this machine
    :param token: not given: ``BERTH_TOKEN``, else the operator's in ``$BERTH_HOME``
    :param timeout: seconds without a byte after which an attempt has failed
    :param patience: seconds for which a request without a certain answer is repeated
    :raises BerthError: if the address is another machine's by ``http``, unless ``BERTH_PLAIN_HTTP`` is set
    """

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        timeout: float = 30.0,
        patience: float = 30.0,
    ) -> None:
        self._url = (url or _default_url()).rstrip("/")
        if not _SAFE.fullmatch(self._url) and not os.environ.get("BERTH_PLAIN_HTTP"):
            raise BerthError(
                0, "plain-http", f"no token is sent to {self._url}, as others could read it on its way: use https, or set BERTH_PLAIN_HTTP=1"
            )
        self._token = token or _default_token()
        self._timeout = timeout
        self._patience = patience
        self._position: Optional[str] = None
        # A proxy is another machine.
        local = _SAFE.fullmatch(self._url) and self._url.lower().startswith("http:")
        self._opener = urllib.request.build_opener(_NoRedirects, *([urllib.request.ProxyHandler({})] if local else []))

    def __repr__(self) -> str:
        return f"Berth({self._url!r})"

    # Jobs

    def submit(self, script: str, *, key: Optional[str] = None, **fields: Any) -> Job:
        """Submits a batch script. When this returns, the job will not be lost.

        :param key: idempotency key; the same key with the same fields is the same job for 24 hours
        :param fields: those of ``POST /v1/jobs`` in snake_case: ``gpus=2``, ``terms={"array": "0-9"}``
        :raises BerthError: if it is refused
        :raises NotAnswered: if it is not known whether there is a job: ask again with the same key
        """
        body = json.dumps({"script": script, **_camel(fields)}).encode()
        headers = {"Content-Type": "application/json", "Idempotency-Key": key or str(uuid.uuid4())}
        return Job._of(_json(self._send("POST", "/v1/jobs", body, headers)))

    def submit_all(self, jobs: Iterable[Mapping[str, Any]], *, key: Optional[str] = None) -> List[Result]:
        """Submits many jobs, each a mapping of the arguments of :meth:`submit`, in as few requests as possible.

        One result for each, in their order. A job that is refused leaves the others alone.

        :param key: idempotency key of all of them together
        :raises NotAnswered: if some are not known after the patience: ask again with the same key
        """
        results: List[Result] = []
        own = key or str(uuid.uuid4())
        for number, lines in enumerate(_requests(jobs)):
            results.extend(self._bulk(lines, f"{own}/{number}"))
        return results

    def _bulk(self, lines: List[bytes], key: str) -> List[Result]:
        headers = {"Content-Type": "application/x-ndjson", "Idempotency-Key": key}
        deadline = time.monotonic() + self._patience
        pause = 0.25
        while True:
            answer = self._send("POST", "/v1/jobs/bulk", b"".join(lines), headers)
            told = [json.loads(line) for line in answer.body.splitlines()]
            unknown = [it for it in told if it["status"] == 503]
            if not unknown:
                return [_result(it) for it in told]
            if time.monotonic() + pause > deadline:
                raise NotAnswered(503, unknown[0]["code"], f"{len(unknown)} jobs are not known: {unknown[0]['detail']}")
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def job(self, job: JobId) -> Job:
        """One job; of an array the first task that is not over.

        :raises BerthError: with code ``job_not_found`` if there is none
        """
        return Job._of(_json(self._get(f"/v1/jobs/{_quoted(job)}")))

    def jobs(self, *, page: int = 1000, **filters: Any) -> Iterator[Job]:
        """Jobs in the order of their ids, read page by page.

        :param filters: ``state``, ``user``, ``account``, ``partition``, ``qos``, ``name``, ``job``: a text or several;
            without states, those that have not ended
        """
        query = {name: value if isinstance(value, str) else _listed(value) for name, value in filters.items()}
        query["limit"] = str(page)
        while True:
            answer = _json(self._get("/v1/jobs?" + urllib.parse.urlencode(query)))
            yield from map(Job._of, answer["jobs"])
            if "next" not in answer:
                return
            query["cursor"] = answer["next"]

    def why(self, job: JobId) -> Mapping[str, Any]:
        """Why a job waits, its place in the queue, and the smallest changes that would start it."""
        return dict(_json(self._get(f"/v1/jobs/{_quoted(job)}/why")))

    def wait(self, job: JobId, timeout: Optional[float] = None) -> Job:
        """The job once it is over.

        :param timeout: seconds; without, as long as it takes
        :raises TimeoutError: if it is not over by then
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        pause = 0.1
        while True:
            now = self.job(job)
            if now.over:
                return now
            if deadline is not None and time.monotonic() + pause > deadline:
                raise TimeoutError(f"job {job} is {now.state} after {timeout} s")
            time.sleep(pause)
            pause = min(1.5 * pause, _LONGEST_PAUSE)

    def cancel(self, job: JobId) -> None:
        """Ends a job, or takes it out of the queue. One that is over stays as it is."""
        self._ask("DELETE", job, "")

    def hold(self, job: JobId) -> None:
        """Keeps a waiting job from starting."""
        self._ask("POST", job, "/hold")

    def release(self, job: JobId) -> None:
        """Lets a held job wait for its turn."""
        self._ask("POST", job, "/release")

    def requeue(self, job: JobId, *, hold: bool = False) -> None:
        """Ends the job's run, and lets it wait again."""
        self._ask("POST", job, f"/requeue?hold={str(hold).lower()}")

    def signal(self, job: JobId, signal: str, target: str = "steps") -> None:
        """Sends a signal, by name, to what the script started (``steps``), to the script (``batch``), or to ``all``."""
        self._ask("POST", job, "/signal?" + urllib.parse.urlencode({"signal": signal, "target": target}))

    def update(self, job: JobId, **changes: Any) -> None:
        """Changes a job: the fields of ``POST /v1/jobs/{id}`` in snake_case, such as ``time_limit_seconds``."""
        self._ask("POST", job, "", json.dumps(_camel(changes)).encode())

    # The cluster

    def nodes(self) -> List[Mapping[str, Any]]:
        """All nodes, with what jobs hold on them."""
        return list(_json(self._get("/v1/nodes"))["nodes"])

    def partitions(self) -> List[Mapping[str, Any]]:
        """All partitions."""
        return list(_json(self._get("/v1/partitions"))["partitions"])

    def events(
        self, *, job: Any = (), user: Any = (), type: Any = (), last_event_id: Optional[str] = None
    ) -> Iterator[Event]:
        """The events of jobs as they come, without end. A broken connection is made again, and nothing is missed.

        :param last_event_id: where to go on after: the id of an event; without, from now on
        """
        filters = {"job": _listed(job), "user": _listed(user), "type": _listed(type)}
        path = "/v1/events?" + urllib.parse.urlencode({name: it for name, it in filters.items() if it})
        while True:
            headers = {"Accept": "text/event-stream"}
            if last_event_id is not None:
                headers["Last-Event-ID"] = last_event_id
            try:
                with self._patiently("GET", path, None, headers, lambda response: response) as stream:
                    for event in _events(stream):
                        last_event_id = event.id or last_event_id
                        if event.type:
                            yield event
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.5)

    # Requests

    def _get(self, path: str) -> _Answer:
        return self._send("GET", path, None, {})

    def _ask(self, method: str, job: JobId, action: str, body: Optional[bytes] = None) -> None:
        headers = {} if body is None else {"Content-Type": "application/json"}
        self._send(method, f"/v1/jobs/{_quoted(job)}{action}", body, headers)

    def _send(self, method: str, path: str, body: Optional[bytes], headers: Mapping[str, str]) -> _Answer:
        def whole(response: Any) -> _Answer:
            with response:
                return _Answer(response.status, response.headers, response.read())

        answer = self._patiently(method, path, body, headers, whole)
        self._position = answer.headers.get("Berth-Position", self._position)
        return answer

    def _patiently(
        self,
        method: str,
        path: str,
        body: Optional[bytes],
        headers: Mapping[str, str],
        read: Callable[[Any], _T],
    ) -> _T:
        """What is read of a response of success. What may be repeated is, until its outcome is certain."""
        again = method != "POST" or "Idempotency-Key" in headers
        deadline = time.monotonic() + self._patience
        pause = 0.25
        while True:
            try:
                return self._once(method, path, body, headers, read)
            except NotAnswered as failure:
                wait = max(pause, failure.retry_after)
                # Of 429 it is certain that nothing was done.
                if not (again or failure.status == 429) or time.monotonic() + wait > deadline:
                    raise
            time.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _once(
        self,
        method: str,
        path: str,
        body: Optional[bytes],
        headers: Mapping[str, str],
        read: Callable[[Any], _T],
    ) -> _T:
        request = urllib.request.Request(self._url + path, data=body, method=method, headers=dict(headers))
        request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        if self._position is not None:
            request.add_unredirected_header("Berth-Position", self._position)
        try:
            return read(self._opener.open(request, timeout=self._timeout))
        except urllib.error.HTTPError as error:
            with error:
                raise _problem(error.code, error.headers, error.read()) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise NotAnswered(0, "", f"no answer from {self._url} ({reason})") from error


def _problem(status: int, headers: Mapping[str, str], body: bytes) -> BerthError:
    try:
        problem = json.loads(body)
        code, detail = str(problem.get("code", "")), str(problem.get("detail", ""))
    except (ValueError, AttributeError):
        code, detail = "", f"the mesh answered {status}"
    # Of a 500, and what a proxy says, it is not known what was done.
    if status != 429 and status < 500:
        return BerthError(status, code, detail)
    after = headers.get("Retry-After", "")
    return NotAnswered(status, code, detail, float(after) if after.isdigit() else 0.0)


def _result(line: Mapping[str, Any]) -> Result:
    if line["status"] == 201:
        return Result(line["id"], None)
    return Result(None, BerthError(line["status"], line["code"], line["detail"]))


def _requests(jobs: Iterable[Mapping[str, Any]]) -> Iterator[List[bytes]]:
    """The jobs as lines, in requests that are not too large."""
    lines: List[bytes] = []
    size = 0
    for job in jobs:
        line = json.dumps(_camel(job)).encode() + b"\n"
        if lines and (len(lines) == _LINES_PER_REQUEST or size + len(line) > _BYTES_PER_REQUEST):
            yield lines
            lines, size = [], 0
        lines.append(line)
        size += len(line)
    if lines:
        yield lines


def _camel(fields: Mapping[str, Any]) -> Dict[str, Any]:
    """snake_case names as the API has them, in ``terms``, ``where`` and ``components`` too. An environment's are left alone."""

    def name(text: str) -> str:
        return re.sub(r"_([a-z0-9])", lambda match: match.group(1).upper(), text)

    def content(key: str, value: Any) -> Any:
        if key in ("terms", "where") and isinstance(value, Mapping):
            return _camel(value)
        return [_camel(it) for it in value] if key == "components" else value

    return {
        name(key): content(key, value)
        for key, value in fields.items()
        if value is not None
    }


def _events(stream: Iterable[bytes]) -> Iterator[Event]:
    """The events of a stream in the format of server-sent events; a sign of life is one without a type."""
    fields: Dict[str, str] = {}
    for raw in stream:
        line = raw.decode().rstrip("\r\n")
        if not line:
            if "id" in fields:
                yield Event(fields["id"], fields.get("event", ""), json.loads(fields.get("data", "null")))
            fields = {}
            continue
        name, _, value = line.partition(":")
        if name:
            value = value[1:] if value.startswith(" ") else value
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and "data" in fields else value


def _json(answer: _Answer) -> Any:
    return json.loads(answer.body)


def _quoted(job: JobId) -> str:
    return urllib.parse.quote(str(job), safe="")


def _listed(values: Any) -> str:
    if isinstance(values, (str, int)):
        return str(values)
    return ",".join(str(value) for value in values)


def _home() -> Path:
    return Path(os.environ.get("BERTH_HOME") or Path.home() / ".berth")


def _default_url() -> str:
    given = os.environ.get("BERTH_URL")
    return given or _written_url() or f"http://127.0.0.1:{os.environ.get('BERTH_PORT_BASE') or 7600}"


def _written_url() -> Optional[str]:
    """The gateway's address in ``mesh.properties``, in which ``:`` is written ``\\:``."""
    try:
        text = (_home() / "mesh.properties").read_text(encoding="latin-1")
    except OSError:
        return None
    found = re.search(r"^\s*url\s*[=:]\s*(\S+)\s*$", text, re.MULTILINE)
    return found.group(1).replace("\\", "") if found else None


def _default_token() -> str:
    given = os.environ.get("BERTH_TOKEN")
    if given:
        return given.strip()
    file = _home() / "operator.token"
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError:
        raise BerthError(401, "unauthenticated", f"no token: set BERTH_TOKEN, or start a mesh, which writes {file}") from None
