import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import PerfProfile

struct PreloadCheckTests {
  private func program(_ flags: [String]) throws -> String {
    // Use the GNU linker: gold cannot link static position-independent programs.
    try TestProgram.build(
      "nothing" + flags.joined().replacing("/", with: "_"), ["nothing.c"],
      flags: flags + ["-fuse-ld=bfd"]
    ).path
  }

  @Test func `a dynamically linked program can be preloaded`() throws {
    #expect(PreloadCheck.obstacle(of: try program([])) == nil)
    #expect(PreloadCheck.obstacle(of: try program(["-pie"])) == nil)
  }

  @Test(arguments: ["-static", "-static-pie"])
  func `a static program cannot be preloaded, position-independent or not`(flag: String) throws {
    #expect(PreloadCheck.obstacle(of: try program([flag])) == .staticallyLinked)
  }

  @Test func `a script has the obstacle of its interpreter`() throws {
    let folder = try TemporaryFolder()
    let inner = try program(["-static"])
    let script = folder("script")
    try "#! \(inner) -x\n".write(toFile: script, atomically: true, encoding: .utf8)
    #expect(
      PreloadCheck.obstacle(of: script) == .interpreter(path: inner, .staticallyLinked))
    // For scripts that name each other the kernel gives up too.
    try "#!\(script)\n".write(toFile: script, atomically: true, encoding: .utf8)
    #expect(PreloadCheck.obstacle(of: script) != nil)
    try "#!\(folder("none"))\n".write(toFile: script, atomically: true, encoding: .utf8)
    #expect(PreloadCheck.obstacle(of: script) == .interpreter(path: folder("none"), .missing))
    // A script that names a pipe does not block the check.
    try #require(mkfifo(folder("pipe"), 0o700) == 0)
    try "#!\(folder("pipe"))\n".write(toFile: script, atomically: true, encoding: .utf8)
    #expect(
      PreloadCheck.obstacle(of: script)
        == .interpreter(path: folder("pipe"), .unknownFormat))
  }

  @Test func `a sanitizer and another C library keep the agent out, but not the kernel`() throws {
    // The name of ThreadSanitizer's function is exported by each program that contains it.
    let sanitized = try program(["-rdynamic", "-Wl,--defsym=__tsan_init=main"])
    #expect(PreloadCheck.obstacle(of: sanitized) == .sanitized("ThreadSanitizer"))
    #expect(PreloadCheck.Obstacle.sanitized("ThreadSanitizer").isOfAgent)
    #expect(PreloadCheck.Obstacle.otherLibrary("musl").isOfAgent)
    #expect(PreloadCheck.Obstacle.interpreter(path: "a", .staticallyLinked).isOfAgent)
    #expect(!PreloadCheck.Obstacle.interpreter(path: "a", .missing).isOfAgent)
    let folder = try TemporaryFolder()
    let loader = folder("ld-musl-x86_64.so.1")
    try Executable.write("loader", to: loader)
    #expect(
      PreloadCheck.obstacle(of: try program(["-Wl,--dynamic-linker=\(loader)"]))
        == .otherLibrary("musl"))
  }

  @Test(
    arguments: [
      ("libasan.so.8", PreloadCheck.Obstacle.sanitized("gcc's AddressSanitizer")),
      ("libtsan.so.2", .sanitized("ThreadSanitizer")), ("libubsan.so.1", nil),
    ] as [(String, PreloadCheck.Obstacle?)])
  func `a program of gcc is refused for the sanitizers that must be loaded first`(
    library: String, obstacle: PreloadCheck.Obstacle?
  ) throws {
    let sanitizer = try TestProgram.build(
      library, ["library.c"], flags: ["-shared", "-fPIC", "-Wl,-soname,\(library)"])
    let linked = try program(["-Wl,--no-as-needed", sanitizer.path])
    #expect(PreloadCheck.obstacle(of: linked) == obstacle)
  }

  @Test func `the engine that needs no agent is a remedy only where the kernel can sample`() {
    func remedy(_ obstacle: PreloadCheck.Obstacle) -> String {
      obstacle.remedy(or: "Use --engine perf")
    }
    #expect(
      remedy(.staticallyLinked)
        == "Use --engine perf, or link it dynamically, without -static or -static-pie.")
    #expect(
      remedy(.interpreter(path: "a", .sanitized("ThreadSanitizer")))
        == "Use --engine perf, or build it without the sanitizer.")
    #expect(remedy(.otherLibrary("musl")) == "Use --engine perf, or build it with glibc.")
    #expect(remedy(.foreignArchitecture) == "Build it for this machine.")
  }

  @Test func `a program that marks phases is known by the agent's function`() throws {
    #expect(try !PreloadCheck.usesMarks(program([])))
    #expect(
      try PreloadCheck.usesMarks(
        program(["-rdynamic", "-Wl,--defsym=perf_agent_phase_enter=main"])))
    #expect(!PreloadCheck.usesMarks("/dev/null"))
  }

  @Test func `a program with a missing loader reports the loader`() throws {
    let loader = "/lib/ld-of-another-library.so"
    #expect(
      PreloadCheck.obstacle(of: try program(["-Wl,--dynamic-linker=\(loader)"]))
        == .interpreter(path: loader, .missing))
  }

  @Test(.enabled(if: getuid() == 0, "only root gives files away"))
  func `the setuid bit is an obstacle for a program but not for a script`() throws {
    let folder = try TemporaryFolder()
    let (script, binary) = (folder("script"), try program([]))
    try "#!\(binary)\n".write(toFile: script, atomically: true, encoding: .utf8)
    for path in [script, binary] {
      try #require(chown(path, 1, 0) == 0 && chmod(path, 0o4755) == 0)
    }
    #expect(PreloadCheck.obstacle(of: binary) == .privileged)
    #expect(PreloadCheck.obstacle(of: script) == .interpreter(path: binary, .privileged))
    try #require(chmod(binary, 0o755) == 0)
    #expect(PreloadCheck.obstacle(of: script) == nil)
  }

  @Test func `a foreign program is distinguished from other files`() throws {
    let folder = try TemporaryFolder()
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: try program([]))))
    // e_machine, System V ABI, chapter 4: 8 is MIPS.
    bytes[18] = 8
    try Data(bytes).write(to: URL(fileURLWithPath: folder("foreign")))
    #expect(PreloadCheck.obstacle(of: folder("foreign")) == .foreignArchitecture)
    try Data("hello".utf8).write(to: URL(fileURLWithPath: folder("text")))
    #expect(PreloadCheck.obstacle(of: folder("text")) == .unknownFormat)
    try Data().write(to: URL(fileURLWithPath: folder("empty")))
    #expect(PreloadCheck.obstacle(of: folder("empty")) == .unknownFormat)
    bytes[18] = try #require(FileManager.default.contents(atPath: try program([])))[18]
    // The file ends within its program headers.
    try Data(bytes[..<100]).write(to: URL(fileURLWithPath: folder("cut")))
    #expect(PreloadCheck.obstacle(of: folder("cut")) == .unknownFormat)
  }

  @Test(.enabled(if: getuid() == 0, "only root can give a file to somebody else"))
  func `a program that gains another user's rights cannot be preloaded`() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: try program([]), toPath: folder("p"))
    #expect(chown(folder("p"), 1, 1) == 0)
    #expect(chmod(folder("p"), 0o4755) == 0)
    #expect(PreloadCheck.obstacle(of: folder("p")) == .privileged)
  }
}
