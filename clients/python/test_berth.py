"""Tests of berth.py: against a server that answers as it is told, and, where BERTH_URL is set, against a gateway."""

import http.server
import json
import os
import tempfile
import threading
import unittest
import uuid
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import berth
from berth import Berth, BerthError, NotAnswered

SCRIPT = "#!/bin/sh\nhostname\n"

JOB = {
    "id": 17, "name": "train", "user": "alice", "account": "team_a", "partition": "batch", "state": "PENDING",
    "reason": "None", "nodeNames": [], "exitCode": 0, "signal": 0,
}  # fmt: skip

BUSY = (503, {"Retry-After": "0"}, {"code": "unavailable", "detail": "the log is away"})


@contextmanager
def server(*answers):
    """A gateway that gives these answers in turn, the last one for ever: (status, headers, JSON or bytes), or None to
    hang up. What it was asked is in ``requests``."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            it.requests.append((self.command, self.path, dict(self.headers), body))
            told = answers[min(len(it.requests), len(answers)) - 1]
            self.close_connection = True
            if told is None:
                return
            status, headers, value = told
            content = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            for name, text in headers.items():
                self.send_header(name, text)
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_):
            pass

    it = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    it.requests = []
    thread = threading.Thread(target=it.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield it, f"http://127.0.0.1:{it.server_port}"
    finally:
        it.shutdown()
        thread.join()
        it.server_close()


class RequestsTest(unittest.TestCase):
    def test_an_uncertain_submission_is_sent_again_under_the_same_key(self):
        with server(None, BUSY, (201, {}, JOB)) as (gateway, url):
            job = Berth(url, "t").submit(SCRIPT)
        self.assertEqual(job.id, 17)
        keys = {headers["Idempotency-Key"] for _, _, headers, _ in gateway.requests}
        bodies = {body for _, _, _, body in gateway.requests}
        self.assertEqual([len(gateway.requests), len(keys), len(bodies)], [3, 1, 1])

    def test_fields_are_sent_in_the_names_of_the_api_and_an_environment_as_it_is(self):
        with server((201, {}, JOB)) as (gateway, url):
            Berth(url, "t").submit(
                SCRIPT, gpu_type="a100", terms={"begin_at": 1}, environment={"MY_VAR": "x"}, nodes=None,
                components=[{"gpus_per_node": 8, "where": {"max_nodes": 2}}],
            )
        self.assertEqual(
            json.loads(gateway.requests[0][3]),
            {"script": SCRIPT, "gpuType": "a100", "terms": {"beginAt": 1}, "environment": {"MY_VAR": "x"},
             "components": [{"gpusPerNode": 8, "where": {"maxNodes": 2}}]},
        )

    def test_a_refusal_tells_its_status_code_and_detail(self):
        refusal = {"code": "invalid_partition", "detail": "partition 'x' does not exist"}
        with server((422, {}, refusal)) as (gateway, url):
            with self.assertRaises(BerthError) as raised:
                Berth(url, "t").submit(SCRIPT, partition="x")
        self.assertEqual((raised.exception.status, raised.exception.code), (422, "invalid_partition"))
        self.assertEqual(len(gateway.requests), 1)

    def test_what_is_no_answer_of_the_gateway_is_no_refusal(self):
        proxy = (502, {}, b"<h1>Bad Gateway</h1>")
        failed = (500, {}, {"code": "internal", "detail": "the gateway failed; its log says why"})
        with server(proxy, failed, (201, {}, JOB)) as (gateway, url):
            self.assertEqual(Berth(url, "t").submit(SCRIPT).id, 17)
        self.assertEqual(len({headers["Idempotency-Key"] for _, _, headers, _ in gateway.requests}), 1)
        with server(proxy) as (gateway, url):
            with self.assertRaises(NotAnswered) as raised:
                Berth(url, "t").requeue(17)
        self.assertEqual((raised.exception.status, len(gateway.requests)), (502, 1))

    def test_patience_ends(self):
        with server(BUSY) as (_, url):
            with self.assertRaises(NotAnswered) as raised:
                Berth(url, "t", patience=0.4).submit(SCRIPT)
        self.assertEqual(raised.exception.code, "unavailable")

    def test_what_may_not_be_done_twice_is_not_sent_twice_but_after_429(self):
        with server(BUSY) as (gateway, url):
            with self.assertRaises(NotAnswered):
                Berth(url, "t").requeue(17)
        self.assertEqual(len(gateway.requests), 1)
        with server((429, {}, {"code": "too_many_requests"}), (202, {}, b"")) as (gateway, url):
            Berth(url, "t").requeue(17)
        self.assertEqual(len(gateway.requests), 2)

    def test_the_token_goes_to_no_other_host(self):
        with server((200, {}, JOB)) as (other, elsewhere):
            with server((302, {"Location": elsewhere}, b"")) as (_, url):
                with self.assertRaises(BerthError):
                    Berth(url, "secret").job(17)
            self.assertEqual(other.requests, [])
        self.assertNotIn("secret", repr(Berth(url, "secret")))

    def test_a_gateway_of_this_machine_is_asked_without_a_proxy(self):
        with server((200, {}, JOB)) as (proxy, at), server((200, {}, JOB)) as (gateway, url):
            with mock.patch.dict(os.environ, {"http_proxy": at, "no_proxy": ""}):
                Berth(url, "secret").job(17)
        self.assertEqual([len(proxy.requests), len(gateway.requests)], [0, 1])

    def test_lists_are_read_page_by_page(self):
        second = {**JOB, "id": 18}
        with server((200, {}, {"jobs": [JOB], "next": "17"}), (200, {}, {"jobs": [second]})) as (gateway, url):
            jobs = list(Berth(url, "t").jobs(state=["PENDING", "RUNNING"], user="alice", page=1))
        self.assertEqual([job.id for job in jobs], [17, 18])
        self.assertIn("state=PENDING%2CRUNNING&user=alice&limit=1", gateway.requests[0][1])
        self.assertIn("cursor=17", gateway.requests[1][1])

    def test_questions_after_a_write_know_of_it(self):
        with server((201, {"Berth-Position": "submissions:0:5"}, JOB), (200, {}, JOB)) as (gateway, url):
            mesh = Berth(url, "t")
            mesh.submit(SCRIPT)
            mesh.job(17)
        self.assertEqual(gateway.requests[1][2]["Berth-Position"], "submissions:0:5")

    def test_a_proxy_may_write_the_names_of_headers_as_it_likes(self):
        busy = (503, {"retry-after": "1"}, {"code": "unavailable", "detail": "the log is away"})
        with server(busy, (201, {"berth-position": "submissions:0:5"}, JOB), (200, {}, JOB)) as (gateway, url):
            mesh = Berth(url, "t", patience=0.5)
            with self.assertRaises(NotAnswered) as raised:
                mesh.submit(SCRIPT)
            mesh.submit(SCRIPT)
            mesh.job(17)
        self.assertEqual(raised.exception.retry_after, 1.0)
        self.assertEqual(gateway.requests[2][2]["Berth-Position"], "submissions:0:5")

    def test_many_jobs_are_sent_again_while_some_are_unknown_and_a_refusal_stays_one(self):
        refused = b'{"line":2,"status":422,"code":"invalid_option","detail":"no"}\n'
        unknown = b'{"line":1,"status":503,"code":"unavailable","detail":"?"}\n' + refused
        known = b'{"line":1,"status":201,"id":17}\n' + refused
        with server((200, {}, unknown), (200, {}, known)) as (gateway, url):
            results = Berth(url, "t").submit_all([{"script": SCRIPT}, {"script": SCRIPT, "gpus": -1}])
        self.assertEqual(results[0], (17, None))
        self.assertEqual(results[1].error.code, "invalid_option")
        self.assertEqual(gateway.requests[0][2]["Idempotency-Key"], gateway.requests[1][2]["Idempotency-Key"])
        self.assertEqual(gateway.requests[0][3].count(b"\n"), 2)

    def test_many_jobs_come_in_requests_that_are_not_too_large(self):
        requests = list(berth._requests({"script": SCRIPT} for _ in range(20_001)))
        self.assertEqual([len(lines) for lines in requests], [10_000, 10_000, 1])
        large = list(berth._requests({"script": "x" * 16_000_000} for _ in range(3)))
        self.assertEqual([len(lines) for lines in large], [1, 1, 1])

    def test_a_stream_that_breaks_goes_on_after_the_last_event(self):
        def told(number):
            return f'id: 0:{number}\nevent: Started\ndata: {{"job":{number}}}\n\n'.encode()

        greeted = (200, {}, b":following\nid: 0:0\n\n")
        first = (200, {}, b":following\n\n" + told(1) + told(2))
        with server(greeted, first, None, (200, {}, told(3))) as (gateway, url):
            events = Berth(url, "t").events(user="alice")
            seen = [next(events) for _ in range(3)]
            events.close()
        self.assertEqual(gateway.requests[1][2]["Last-Event-Id"], "0:0")
        self.assertEqual([event.data["job"] for event in seen], [1, 2, 3])
        self.assertEqual(gateway.requests[-1][2]["Last-Event-Id"], "0:2")

    def test_waiting_ends_with_the_job_or_in_time(self):
        with server((200, {}, JOB), (200, {}, {**JOB, "state": "FAILED", "exitCode": 3})) as (_, url):
            self.assertEqual(Berth(url, "t").wait(17).exit_code, 3)
        with server((200, {}, JOB)) as (_, url):
            with self.assertRaises(TimeoutError):
                Berth(url, "t").wait(17, timeout=0.2)


class WhereTest(unittest.TestCase):
    def test_the_mesh_of_this_machine_is_found_as_the_commands_find_it(self):
        with tempfile.TemporaryDirectory() as home:
            Path(home, "mesh.properties").write_text("#by up\nurl=http\\://127.0.0.1\\:7777\n")
            Path(home, "operator.token").write_text("abc\n")
            with mock.patch.dict(os.environ, {"BERTH_HOME": home}, clear=True):
                self.assertEqual(repr(Berth()), "Berth('http://127.0.0.1:7777')")
            with mock.patch.dict(os.environ, {"BERTH_HOME": home, "BERTH_URL": "https://mesh/"}, clear=True):
                self.assertEqual(repr(Berth()), "Berth('https://mesh')")
            Path(home, "mesh.properties").unlink()
            with mock.patch.dict(os.environ, {"BERTH_HOME": home, "BERTH_PORT_BASE": "9000"}, clear=True):
                self.assertEqual(repr(Berth()), "Berth('http://127.0.0.1:9000')")

    def test_no_token_goes_to_another_machine_in_the_clear(self):
        for url in "http://mesh:7600", "http://127.0.0.1@mesh", "http://localhost.mesh":
            with mock.patch.dict(os.environ, {}, clear=True):
                with self.assertRaisesRegex(BerthError, "no token is sent to"):
                    Berth(url, "t")
            with mock.patch.dict(os.environ, {"BERTH_PLAIN_HTTP": "1"}, clear=True):
                self.assertEqual(repr(Berth(url, "t")), f"Berth({url!r})")

    def test_without_a_token_it_says_where_one_comes_from(self):
        with tempfile.TemporaryDirectory() as home, mock.patch.dict(os.environ, {"BERTH_HOME": home}, clear=True):
            with self.assertRaisesRegex(BerthError, "set BERTH_TOKEN"):
                Berth()


@unittest.skipUnless(os.environ.get("BERTH_URL"), "BERTH_URL names no gateway")
class GatewayTest(unittest.TestCase):
    """What a gateway makes of the client's requests. No other service needs to be there."""

    def setUp(self):
        self.mesh = Berth()
        self.name = f"python-{uuid.uuid4()}"

    def test_a_submission_is_a_job_that_is_found_held_changed_and_cancelled(self):
        job = self.mesh.submit(SCRIPT, name=self.name, gpus=1, time_limit_seconds=60, terms={"hold": True})
        self.assertEqual((job.name, job.state, job.over), (self.name, "PENDING", False))
        self.assertEqual(self.mesh.job(job.id).id, job.id)
        self.assertIn("reason", self.mesh.why(job.id))
        self.mesh.release(job.id)
        self.mesh.update(job.id, nice=5)
        self.mesh.hold(job.id)
        self.mesh.cancel(job.id)

    def test_a_key_makes_one_job(self):
        key = str(uuid.uuid4())
        first = self.mesh.submit(SCRIPT, key=key)
        self.assertEqual(self.mesh.submit(SCRIPT, key=key).id, first.id)
        with self.assertRaises(BerthError) as raised:
            self.mesh.submit(SCRIPT, key=key, gpus=1)
        self.assertEqual(raised.exception.code, "idempotency_key_reused")

    def test_many_jobs_are_submitted_and_listed(self):
        jobs = [{"script": SCRIPT, "name": self.name} for _ in range(25)]
        jobs[7]["partition"] = "gone"
        results = self.mesh.submit_all(jobs)
        self.assertEqual([number for number, it in enumerate(results) if it.error], [7])
        self.assertEqual(results[7].error.code, "invalid_partition")
        listed = [job.id for job in self.mesh.jobs(name=self.name, page=10)]
        self.assertEqual(listed, [it.id for it in results if it.id])

    def test_what_is_not_there_is_an_error(self):
        with self.assertRaises(BerthError) as raised:
            self.mesh.job(999_999_999)
        self.assertEqual(raised.exception.code, "job_not_found")

    def test_the_cluster_is_told(self):
        self.assertTrue(self.mesh.nodes())
        self.assertTrue(self.mesh.partitions())


if __name__ == "__main__":
    unittest.main()
