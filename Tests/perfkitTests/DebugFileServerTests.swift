import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// `perfkit record --debuginfod`.
struct DebugFileServerTests {
  /// The build id of the stripped program and of its debug file.
  private static let id = "0123456789abcdef0123456789abcdef01234567"

  private let perfkit: TestCommand

  init() throws {
    perfkit = try TestCommand()
    try perfkit.copy(program: "work.c")
    let link = "-Wl,--build-id=0x\(Self.id)"
    try perfkit.compile("work.c", "-g", link, "-o", "work.debug")
    try perfkit.compile("work.c", "-s", link, "-o", "work")
  }

  /// Runs the built command with a server's client in PATH, which has the program's debug file only.
  private func run(_ words: String...) throws -> (output: String, errors: String) {
    let client = """
      #!/bin/sh
      if [ "$1 $2" != "debuginfo \(Self.id)" ]; then
        echo "Server query failed: No such file or directory" >&2
        exit 1
      fi
      mkdir -p "$DEBUGINFOD_CACHE_PATH/$2"
      cp '\(perfkit.folder("work.debug"))' "$DEBUGINFOD_CACHE_PATH/$2/debuginfo"
      echo "$DEBUGINFOD_CACHE_PATH/$2/debuginfo"
      """
    try Executable.write(client, to: perfkit.folder("bin/debuginfod-find"))
    let (_, output, errors) = try perfkit.runProcess(
      TestCommand.programs + "/perfkit", words,
      variables: [
        "PATH": perfkit.folder("bin") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
        "DEBUGINFOD_URLS": "server", "DEBUGINFOD_CACHE_PATH": perfkit.folder("cache"),
      ])
    return (output, errors)
  }

  @Test func `the functions of a stripped program get their names from a server`() throws {
    let without = try run("record", "--all", "--no-report", "--", perfkit.folder("work"))
    #expect(without.errors.contains("is in functions without names, most of it in 'work'"))
    #expect(without.errors.contains("--debuginfod"))
    let with = try run("record", "--debuginfod", "--no-report", "--", perfkit.folder("work"))
    #expect(!with.errors.contains("without names"), "\(with.errors)")
    #expect(try run("annotate", "latest", "work").output.contains("sum += i * i;"))
  }

  @Test func `a missing server and a missing client are errors`() {
    let server = perfkit("record", "--debuginfod", "--", "/bin/true")
    #expect(server.status == .failed && server.says("DEBUGINFOD_URLS names no server"))
    let client = perfkit(
      "record", "--debuginfod", "--", "/bin/true",
      variables: ["DEBUGINFOD_URLS": "server", "PATH": perfkit.folder("none")])
    #expect(client.status == .failed && client.says("Install the package debuginfod."))
  }
}
