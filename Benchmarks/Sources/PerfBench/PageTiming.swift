internal import Foundation

/// The time that a page needs in headless Chromium, measured by a script at its end.
struct PageTiming: Decodable {
  /// Milliseconds from the start of the navigation until everything is drawn.
  let ready: Double
  /// Milliseconds of a search in the flame graph with its drawing, one for each search.
  let searches: [Double]

  static let program = ["chromium", "chromium-browser", "google-chrome"].lazy
    .map { "/usr/bin/\($0)" }.first(where: FileManager.default.isExecutableFile(atPath:))

  private static let script = """
    <script>
    addEventListener("load", () => {
      const ready = performance.now(), searches = [];
      const search = document.querySelector("#flame [data-flame=search]");
      for (const term of ["a", "burn", "swift", "no function has this name", "e"]) {
        const began = performance.now();
        search.value = term;
        search.dispatchEvent(new Event("input"));
        document.querySelector("#flame canvas").getContext("2d").getImageData(0, 0, 1, 1);
        searches.push(performance.now() - began);
      }
      document.body.dataset.timing = JSON.stringify({ ready, searches });
    });
    </script>
    """

  /// Opens a copy of a page.
  ///
  /// - Throws: `BenchError` if Chromium does not report the times.
  init(of path: String, in workshop: BenchWorkshop) throws {
    let page = try String(contentsOfFile: path, encoding: .utf8)
    let copy = workshop.file("timed.html")
    try (page + Self.script).write(toFile: copy, atomically: true, encoding: .utf8)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: Self.program ?? "")
    process.arguments = [
      "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,1000",
      "--user-data-dir=\(workshop.file("chromium"))", "--dump-dom", "file://\(copy)",
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let dump = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    guard let start = dump.range(of: "data-timing=\""),
      let end = dump[start.upperBound...].firstIndex(of: "\"")
    else { throw BenchError(description: "Chromium did not report the times of '\(path)'") }
    let json = dump[start.upperBound..<end].replacing("&quot;", with: "\"")
    self = try JSONDecoder().decode(Self.self, from: Data(json.utf8))
  }
}
