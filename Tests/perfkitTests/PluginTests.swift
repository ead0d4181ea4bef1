import Foundation
import PerfTestSupport
import Testing

/// `swift package perfkit` in a package that depends on a package with the plugin.
///
/// The script of the dependency only prints its arguments, so that nothing of PerfKit is built. The tests share
/// both packages, so that the plugin is compiled once.
@Suite(.serialized)
struct PluginTests {
  /// The manifest of the package that depends on the package with the plugin.
  private static let manifest = """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "books", dependencies: [.package(path: "../perfkit")],
      targets: [.executableTarget(name: "books")])

    """

  private let folder: TemporaryFolder

  init() throws {
    folder = try Self.packages.get()
    try Self.write(Self.manifest, to: folder("books/Package.swift"))
  }

  /// The folder of both packages.
  private static let packages = Result<TemporaryFolder, any Error> {
    let folder = try TemporaryFolder.forAllTests()
    try Executable.write(
      """
      #!/bin/sh
      printf '<%s>' "$@"
      printf ' in %s, built in %s\\n' "$PWD" "$PERFKIT_SCRATCH"
      [ "$1" != gate ] || exit 3
      """, to: folder("perfkit/Scripts/perfkit"))
    try write(
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "perfkit",
        products: [
          .library(name: "PerfWorkload", targets: ["PerfWorkload"]),
          .plugin(name: "PerfKitCommand", targets: ["PerfKitCommand"]),
        ],
        targets: [
          .target(name: "PerfWorkload"),
          .plugin(
            name: "PerfKitCommand",
            capability: .command(
              intent: .custom(verb: "perfkit", description: "Measure."),
              permissions: [.writeToPackageDirectory(reason: "It stores runs.")])),
        ])
      """, to: folder("perfkit/Package.swift"))
    try write("public let one = 1\n", to: folder("perfkit/Sources/PerfWorkload/One.swift"))
    let source = DocumentFile.root.appending(path: "Plugins/PerfKitCommand/PerfKitCommand.swift")
    try write(
      String(contentsOf: source, encoding: .utf8),
      to: folder("perfkit/Plugins/PerfKitCommand/PerfKitCommand.swift"))
    try write("print(1)\n", to: folder("books/Sources/books/main.swift"))
    return folder
  }

  private static func write(_ text: String, to path: String) throws {
    let file = URL(fileURLWithPath: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  /// Runs `swift package` in the package and returns its exit status and its output.
  private func swiftPackage(_ words: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift", "package"] + words
    process.currentDirectoryURL = URL(fileURLWithPath: folder("books"))
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  @Test(.enabled(if: TestCommand.hasTool("swift"), "there is no swift"))
  func `the plugin runs perfkit of the dependency, and needs the permission to write`() throws {
    let refused = try swiftPackage(["perfkit", "init"])
    #expect(refused.status == 1)
    #expect(refused.output.contains("--allow-writing-to-package-directory"), "\(refused.output)")
    let allowed = "--allow-writing-to-package-directory"
    let done = try swiftPackage([allowed, "perfkit", "diff", "main", "--label", "a b"])
    #expect(done.status == 0, "\(done.output)")
    #expect(done.output.contains("<diff><main><--label><a b> in "), "\(done.output)")
    #expect(done.output.contains("/books, built in "), "\(done.output)")
    let failed = try swiftPackage([allowed, "perfkit", "gate"])
    #expect(failed.status == 1)
    #expect(failed.output.contains("perfkit exited with 3"), "\(failed.output)")
  }

  @Test(.enabled(if: TestCommand.hasTool("swift"), "there is no swift"))
  func `the plugin refuses suites whose build would wait for its end`() throws {
    let words = ["--allow-writing-to-package-directory", "perfkit", "run", "--package-benchmark"]
    let outside = try swiftPackage(words)
    #expect(outside.status == 0, "\(outside.output)")
    #expect(outside.output.contains("<run><--package-benchmark> in "), "\(outside.output)")
    let comment = "// .plugin(name: \"BenchmarkPlugin\")\n"
    try Self.write(Self.manifest + comment, to: folder("books/Package.swift"))
    let inside = try swiftPackage(words)
    #expect(inside.status == 1)
    #expect(inside.output.contains("keeps its build folder locked"), "\(inside.output)")
    #expect(!inside.output.contains("<run>"))
  }
}
