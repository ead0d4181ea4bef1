import Foundation
import PerfTestSupport

/// A page in headless Chromium, used by clicks and keys as a reader uses it.
///
/// It speaks the DevTools protocol (https://chromedevtools.github.io/devtools-protocol) through a pipe.
final class Browser {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The program; nil if Chromium is not installed.
  static let program = ["chromium", "chromium-browser", "google-chrome"].lazy
    .flatMap { name in ["/usr/bin/\(name)", "/usr/local/bin/\(name)"] }
    .first(where: FileManager.default.isExecutableFile(atPath:))

  /// The messages on the page's console, uncaught exceptions and violations of its policy.
  private(set) var messages: [String] = []

  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())
  private let folder: TemporaryFolder
  private var session: String?
  private var number = 0
  private var received = Data()
  private var events: [String] = []

  /// Starts the browser with an empty page.
  init() throws {
    folder = try TemporaryFolder()
    guard let program = Self.program else { throw Failure(description: "no Chromium") }
    process.executableURL = URL(filePath: "/bin/sh")
    // The browser reads commands from descriptor 3 and writes answers to descriptor 4.
    process.arguments = [
      "-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", program, "--headless",
      "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe",
      "--user-data-dir=\(folder("profile"))",
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": folder.path]) {
      $1
    }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let target = try send("Target.createTarget", ["url": "about:blank"])
    let attached = try send(
      "Target.attachToTarget", ["targetId": target["targetId"] as Any, "flatten": true])
    session = attached["sessionId"] as? String
    for domain in ["Page", "Runtime", "Log"] { try send("\(domain).enable") }
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  /// Opens a page and waits until it is loaded.
  func open(_ html: String, width: Int = 1000, height: Int = 1400, isDark: Bool = false) throws {
    let path = folder("page.html")
    try html.write(toFile: path, atomically: true, encoding: .utf8)
    try send(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
    try send(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]])
    events = []
    try send("Page.navigate", ["url": "file://\(path)"])
    while !events.contains("Page.loadEventFired") { _ = try receive() }
  }

  /// Sends a command and returns the members of its result.
  @discardableResult
  func send(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    number += 1
    var message: [String: Any] = ["id": number, "method": method, "params": parameters]
    message["sessionId"] = session
    try input.fileHandleForWriting.write(
      contentsOf: JSONSerialization.data(withJSONObject: message) + [0])
    while true {
      let answer = try receive()
      guard answer["id"] as? Int == number else { continue }
      if let error = answer["error"] { throw Failure(description: "\(method): \(error)") }
      return answer["result"] as? [String: Any] ?? [:]
    }
  }

  /// Returns the next message, and notes it if it is an event.
  private func receive() throws -> [String: Any] {
    while true {
      if let end = received.firstIndex(of: 0) {
        let text = received[..<end]
        received = Data(received[received.index(after: end)...])
        let message = try JSONSerialization.jsonObject(with: text) as? [String: Any] ?? [:]
        note(message)
        return message
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Failure(description: "the browser ended") }
      received += more
    }
  }

  private func note(_ message: [String: Any]) {
    guard let method = message["method"] as? String else { return }
    events.append(method)
    if ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"].contains(method) {
      messages.append("\(message["params"] ?? method)")
    }
  }

  /// Returns the value of a JavaScript expression.
  func value<Value>(_ expression: String, as type: Value.Type = Value.self) throws -> Value {
    let answer = try send(
      "Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
    let result = answer["result"] as? [String: Any]
    guard let value = result?["value"] as? Value else {
      throw Failure(
        description: "\(expression) is no \(type): \(answer["exceptionDetails"] ?? result ?? [:])")
    }
    return value
  }

  /// Runs JavaScript that returns nothing.
  func run(_ statements: String) throws {
    _ = try value("(() => {\(statements)\nreturn 0;})()", as: Int.self)
  }
}

// MARK: - Input

extension Browser {
  /// A point in the window, in pixels.
  typealias Point = (x: Double, y: Double)

  /// Scrolls an element to the top and returns a point of it.
  func point(in selector: String, x: Double, y: Double) throws -> Point {
    let corner: [Double] = try value(
      """
      (() => {
        const element = document.querySelector('\(selector)');
        scrollTo(0, element.getBoundingClientRect().top + scrollY - 200);
        const rect = element.getBoundingClientRect();
        return [rect.x, rect.y];
      })()
      """)
    return (corner[0] + x, corner[1] + y)
  }

  func click(_ point: Point, count: Int = 1) throws {
    for click in 1...count {
      try mouse("mousePressed", point, clicks: click)
      try mouse("mouseReleased", point, clicks: click)
    }
  }

  func drag(from start: Point, to end: Point) throws {
    try mouse("mousePressed", start)
    try mouse("mouseMoved", end)
    try mouse("mouseReleased", end)
  }

  func mouse(_ type: String, _ point: Point, clicks: Int = 1) throws {
    try send(
      "Input.dispatchMouseEvent",
      [
        "type": type, "x": point.x, "y": point.y, "button": "left",
        "buttons": type == "mouseReleased" ? 0 : 1, "clickCount": clicks,
      ])
  }

  /// Presses keys, each a character or a name such as `Tab`.
  func press(_ keys: String...) throws {
    let codes = ["Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40]
    for key in keys {
      var event: [String: Any] = ["type": "keyDown", "key": key]
      event["windowsVirtualKeyCode"] = codes[key]
      event["text"] = key == "Enter" ? "\r" : key.count == 1 ? key : nil
      try send("Input.dispatchKeyEvent", event)
      event["type"] = "keyUp"
      event["text"] = nil
      try send("Input.dispatchKeyEvent", event)
    }
  }

  func type(_ text: String, into selector: String) throws {
    try run("document.querySelector('\(selector)').focus()")
    try send("Input.insertText", ["text": text])
  }

  func text(of selector: String) throws -> String {
    try value("document.querySelector('\(selector)').textContent")
  }
}
