import Glibc
import PerfModel
import Testing

@testable import PerfProfile

@Suite struct UnwindingTests {
  /// What glibc and the linker put around `main` and a thread's function.
  private static let programStart = ["__libc_start_call_main", "__libc_start_main", "_start"]

  private func profile(
    _ words: [String], stackBytes: Int = 16 << 10
  ) throws -> Profile {
    let segment = try CaptureSegment(.small(stackBytes: stackBytes))
    let (status, capture) = try TestProgram.stacks().run(words, in: segment)
    try #require(status == 0)
    #expect(capture.garbage == 0)
    return try ProfileBuilder.profile(of: capture)
  }

  /// The names without versions and what differs between releases of glibc.
  private func plain(_ names: [String]) -> [String] {
    names.map { String($0.prefix { $0 != "@" }) }
      .map { $0.hasPrefix("__libc_start_main") ? "__libc_start_main" : $0 }
  }

  @Test(arguments: [0, 1, 40])
  func `a leaf without a frame below a known number of calls is unwound to the start`(
    depth: Int
  ) throws {
    let profile = try profile(["descend", "\(depth)"])
    let names = try #require(profile.stacks().first)
    // `leaf`, depth + 1 times `descend`, `main`, and what starts a program.
    let calls = Array(repeating: "descend", count: depth + 1)
    #expect(plain(names) == ["leaf"] + calls + ["main"] + Self.programStart)
    #expect(profile.audit.complete == 1)
    #expect(profile.audit.samples == 1)
  }
}
