"""Where a server is: what is refused before anything is sent, and what is never shown."""

import subprocess
import sys

import pytest

from vidomni_plugin.endpoint.address import NO_KEY, OFFICIAL_URL, make_client, secret_of, short
from vidomni_plugin.problems import InputProblems


@pytest.mark.parametrize(
    "url",
    [
        *("", "localhost:8000", "ftp://host/v1", "http://", "http://h:x/v1", "http://a b/v1"),
        *("http://a..b/v1", f"http://{'a' * 70}/v1", "http://\u24d7ost/v1", "http://999.1.1.1/v1"),
        *("http://[::1/v1", f"http://h/{'a' * 70_000}"),
    ],
)
def test_what_is_no_address_is_refused(url):
    with pytest.raises(InputProblems, match=r"base_url: .* \[usage\]"):
        make_client(url, timeout_s=1, option="base_url")


def test_each_server_has_its_own_key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "first")
    monkeypatch.setenv("VIDEO_KEY", " second\n")
    assert secret_of(make_client("http://h/v1", timeout_s=1)) == "first"
    assert secret_of(make_client("http://h/v1", timeout_s=1, key_name="VIDEO_KEY")) == "second"


def test_a_server_of_ones_own_needs_no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    client = make_client("http://h/v1", timeout_s=1)
    assert (client.api_key, secret_of(client), client.max_retries) == (NO_KEY, "", 0)
    with pytest.raises(InputProblems, match="OPENAI_API_KEY: it is not set"):
        make_client(OFFICIAL_URL, timeout_s=1)


def test_a_key_that_cannot_be_sent_is_not_shown(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-ü-secret")
    with pytest.raises(InputProblems) as raised:
        make_client("http://h/v1", timeout_s=1)
    assert "secret" not in str(raised.value)


def test_a_long_message_is_cut_after_the_key_is_out():
    shown = short("x" * 195 + "sk-secret" + "\x1b[31m" * 9, "sk-secret")
    assert "sk-" not in shown
    assert shown.isprintable()
    assert len(shown) <= 204


def test_importing_is_fast_and_loads_no_library_for_http():
    code = (
        "import sys, time; start = time.perf_counter(); "
        "import vidomni_plugin.endpoint.structured; "
        "print(time.perf_counter() - start, {'openai', 'torch', 'lmms_eval'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    seconds, _, loaded = done.stdout.strip().partition(" ")
    assert loaded == "set()"
    assert float(seconds) < 1.0  # measured: 0.1 s; the limit leaves room for a busy machine
