import Foundation
import PerfTestSupport
import Testing

@testable import PerfProfile

@Suite struct ProgramImageTests {
  /// Builds a program in a simulated folder, with a hash in the Swift compiler's section for hashes
  /// of modules.
  private func program(
    _ name: String, _ sources: [String] = ["nothing.c"], folder: String = "/here",
    hash: String = "aaaaaaa"
  ) throws -> TestProgram {
    let files = try TemporaryFolder()
    let header = files("hash.h")
    try """
    __attribute__((section(".swift_modhash"), used)) static const char hash[8] = "\(hash)";
    """.write(toFile: header, atomically: true, encoding: .utf8)
    return try TestProgram.build(
      "image-\(name)", sources,
      flags: [
        "-g", "-lpthread", "-fdebug-compilation-dir=\(folder)", "-include", header,
        "-Wl,--build-id",
      ])
  }

  private func bytes(_ program: TestProgram) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: program.path))
  }

  @Test func `the image of a program is the same wherever it was built`() throws {
    let here = try program("here")
    let there = try program("there", folder: "/some/where/else/and/longer")
    #expect(try bytes(here) != bytes(there))
    #expect(try ElfImage(path: here.path, memory: ImageMemory(path: here.path)).buildID != [])
    #expect(try ProgramImage(path: here.path) == ProgramImage(path: there.path))
    let hashed = try program("hashed", hash: "bbbbbbb")
    #expect(try ProgramImage(path: here.path) == ProgramImage(path: hashed.path))
    let other = try program("other", ["stacks.c", "capture.c"])
    let fingerprints = [here, there, hashed, other].map {
      ProgramImage.fingerprint(ofFile: $0.path)
    }
    #expect(fingerprints[0] != nil)
    #expect(fingerprints[1] == fingerprints[0] && fingerprints[2] == fingerprints[0])
    #expect(fingerprints[3] != fingerprints[0])
    #expect(try ProgramImage(path: here.path) != ProgramImage(path: other.path))
  }

  @Test func `one changed byte of a constant changes the image`() throws {
    let program = try program("here")
    var bytes = try bytes(program)
    let image = try ElfImage(path: program.path, memory: ImageMemory(path: program.path))
    let constants = try #require(image.sections().first { $0.name == ".rodata" }?.section)
    try #require(constants.bytes > 0)
    bytes[constants.offset] ^= 1
    let folder = try TemporaryFolder()
    try bytes.write(to: URL(fileURLWithPath: folder("changed")))
    #expect(try ProgramImage(path: folder("changed")) != ProgramImage(path: program.path))
  }

  @Test func `an incomplete program has no image`() throws {
    let folder = try TemporaryFolder()
    #expect(throws: PerfProfileError.self) { try ProgramImage(path: folder("nothing")) }
    try Data("#!/bin/sh\n".utf8).write(to: URL(fileURLWithPath: folder("script")))
    #expect(throws: PerfProfileError.self) { try ProgramImage(path: folder("script")) }
    // A script is identified by its text.
    let script = ProgramImage.fingerprint(ofFile: folder("script"))
    try Data("#!/bin/sh -e\n".utf8).write(to: URL(fileURLWithPath: folder("script")))
    #expect(script != nil && ProgramImage.fingerprint(ofFile: folder("script")) != script)
    #expect(ProgramImage.fingerprint(ofFile: folder("nothing")) == nil)
    // A truncated file has no image, and no read exceeds its end.
    let bytes = try bytes(program("here"))
    for length in [0, 10, 64, 100, 600, 2000] {
      try bytes.prefix(length).write(to: URL(fileURLWithPath: folder("cut")))
      #expect(throws: PerfProfileError.self) { try ProgramImage(path: folder("cut")) }
    }
  }
}
