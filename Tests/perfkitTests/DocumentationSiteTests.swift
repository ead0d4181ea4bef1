import Foundation
import PerfTestSupport
import Testing

/// The scripts of `Scripts/docs`, without the compiler of the documentation.
struct DocumentationSiteTests {
  /// Runs a script with Python in the root of the repository; returns its exit status and its messages.
  private static func run(_ script: String, _ argument: String) throws -> (Int32, String) {
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-B", "Scripts/documentation/\(script)", argument]
    process.currentDirectoryURL = DocumentFile.root
    process.standardError = errors
    try process.run()
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  private static func write(_ text: String, to path: String) throws {
    let file = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  @Test func `the catalogue contains every page of the documentation with links between them`()
    throws
  {
    let folder = try TemporaryFolder()
    let catalogue = folder("PerfKit.docc")
    let (status, messages) = try Self.run("catalogue.py", catalogue)
    #expect(status == 0, "\(messages)")
    let root = try String(contentsOfFile: catalogue + "/PerfKit.md", encoding: .utf8)
    for document in DocumentFile.all where document.path.hasPrefix("Documentation/") {
      let name = document.path.dropFirst("Documentation/".count).dropLast(".md".count)
        .replacing("/README", with: "").replacing("/", with: "-")
      #expect(root.contains("<doc:\(name)>"), "\(document.path)")
      let page = try String(contentsOfFile: "\(catalogue)/\(name).md", encoding: .utf8)
      #expect(!page.contains(/\]\([^)\s]*\.md[)#]/), "\(document.path) has a link to a file")
    }
    let tour = try String(contentsOfFile: catalogue + "/Tour.md", encoding: .utf8)
    #expect(tour.contains("[Verdicts.md](doc:Verdicts)"))
    // Anchors are those of DocC: the words of the heading without punctuation.
    let gates = try String(contentsOfFile: catalogue + "/CI.md", encoding: .utf8)
    #expect(gates.contains("[Workloads.md](doc:Workloads#perfkityml)"))
  }

  @Test(arguments: [
    ("/documentation/b", true), ("/documentation/b#Units", true), ("https://example.org", true),
    ("/documentation/c", false), ("/documentation/b#Sizes", false),
  ])
  func `a link to a missing page or heading of the site is an error`(
    url: String, isRight: Bool
  ) throws {
    let site = try TemporaryFolder()
    try Self.write(
      """
      {"references": {"x": {"url": "\(url)"}, "y": {"url": "/documentation/a"}, "z": {}}}
      """, to: site("data/documentation/a.json"))
    try Self.write(
      #"{"primaryContentSections": [{"content": [{"anchor": "Units", "type": "heading"}]}]}"#,
      to: site("data/documentation/b.json"))
    for page in ["a", "b"] { try Self.write("", to: site("documentation/\(page)/index.html")) }
    let (status, messages) = try Self.run("links.py", site.path)
    #expect(status == (isRight ? 0 : 1), "\(messages)")
    #expect(isRight || messages.contains("/documentation/a links to \(url)"))
  }

  @Test func `a page without an HTML file and a site without links are errors`() throws {
    let site = try TemporaryFolder()
    try Self.write("{}", to: site("data/documentation/a.json"))
    let (status, messages) = try Self.run("links.py", site.path)
    #expect(status == 1)
    #expect(messages.contains("/documentation/a has no HTML file"))
  }
}
