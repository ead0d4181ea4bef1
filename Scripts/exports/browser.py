"""Headless Chromium, controlled through chromedriver with the WebDriver protocol (W3C)."""

import base64
import json
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ESCAPE = "\ue00c"
ENTER = "\ue007"
DOWN = "\ue015"


class Browser:
    """A browser session that uses pages by clicks and keys, as a user does."""

    def __init__(self, profile):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}", "--log-level=OFF"], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.root = f"http://127.0.0.1:{port}"
        self.session = None
        self.wait("chromedriver does not answer", self._is_ready, seconds=20)
        answer = self._send("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "unhandledPromptBehavior": "ignore",
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--window-size=1280,1000", f"--user-data-dir={profile}",
                "--allow-file-access-from-files"]}}}})
        self.session = f"/session/{answer['sessionId']}"
        self.version = answer["capabilities"]["browserVersion"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._send("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()

    def _is_ready(self):
        try:
            return self._send("GET", "/status")["ready"]
        except OSError:
            return False

    def _send(self, method, path, body=None):
        request = urllib.request.Request(
            self.root + path, method=method,
            data=None if method != "POST" else json.dumps(body or {}).encode(),
            headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise RuntimeError(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def _post(self, path, **body):
        return self._send("POST", self.session + path, body)

    def wait(self, complaint, condition, seconds=10):
        """Polls a condition until it is true and returns its value; raises `complaint` on a timeout."""
        end = time.monotonic() + seconds
        while True:
            answer = condition()
            if answer:
                return answer
            if time.monotonic() > end:
                raise RuntimeError(complaint)
            time.sleep(0.1)

    def get(self, address):
        self._post("/url", url=str(address))
        self.errors()

    def js(self, script, *arguments):
        """Returns the value that a script returns."""
        return self._post("/execute/sync", script=script, args=list(arguments))

    def later(self, script, *arguments):
        """Returns the value that a script passes to its last argument, a callback."""
        return self._post("/execute/async", script=script, args=list(arguments))

    def find(self, selector):
        return self._post("/element", using="css selector", value=selector)[ELEMENT]

    def click(self, selector):
        self._post(f"/element/{self.find(selector)}/click")

    def type(self, selector, text):
        self._post(f"/element/{self.find(selector)}/value", text=text)

    def click_at(self, x, y):
        """Clicks at a point of the window in CSS pixels."""
        self._post("/actions", actions=[{
            "type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
                {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)},
                {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}])

    def press(self, *keys):
        self._post("/actions", actions=[{"type": "key", "id": "keys", "actions": [
            action for key in keys
            for action in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]}])

    def answer(self, text):
        """Types a text into the page's prompt and accepts it."""
        self._post("/alert/text", text=text)
        self._post("/alert/accept")

    def errors(self):
        """Returns the errors on the page's console since the last call."""
        return [entry["message"] for entry in self._post("/se/log", type="browser")
                if entry["level"] == "SEVERE"]

    def picture(self, path):
        """Saves a screenshot of the window."""
        path.write_bytes(base64.b64decode(self._send("GET", self.session + "/screenshot")))
