import Foundation
import PerfModel
import Testing

@testable import PerfProfile

/// Symbolication in a child process that fails, and its messages.
@Suite struct SymbolicationTests {
  private static let noTools = ToolPaths(symbolizer: nil, demangler: nil)

  private func capture() throws -> Capture {
    try TestProgram.stacks().run(["descend", "2"], in: CaptureSegment(.small())).capture
  }

  private func profile(_ child: SymbolicationChild) throws -> Profile {
    let builder = ProfileBuilder(tools: Self.noTools, symbolication: .child(child))
    try builder.add(capture(), launch: 0, measured: 0 ... .max)
    return builder.finish()
  }

  /// Returns a request for all functions of some programs.
  private func request(_ programs: [TestProgram]) throws -> SymbolRequest {
    SymbolRequest(
      files: try programs.map { program in
        let image = try ElfImage(path: program.path, memory: ImageMemory(path: program.path))
        return SymbolRequest.File(
          path: program.path, buildID: image.buildID,
          addresses: Array(Set(ElfSymbols(image).starts)).sorted())
      }, tools: Self.noTools)
  }

  @Test(arguments: [
    (Duration.milliseconds(30_900), 30), (.seconds(500), 120), (.zero, 1), (.seconds(-3), 1),
  ])
  func `an attempt after a failure has the remaining time, at least a second`(
    remaining: Duration, seconds: Int
  ) {
    let child = SymbolicationChild(path: "/bin/false", arguments: [])
    #expect(child.limited(to: remaining).seconds == seconds)
  }

  /// A program that fails, is killed by a signal, answers nonsense, or does not exist.
  @Test(arguments: [
    SymbolicationChild(path: "/bin/false", arguments: []),
    SymbolicationChild(path: "/bin/sh", arguments: ["-c", "kill -SEGV $$"]),
    SymbolicationChild(path: "/bin/echo", arguments: ["{}"]),
    SymbolicationChild(path: "/bin/true", arguments: []),
    SymbolicationChild(path: "/nonexistent/perfkit", arguments: []),
  ])
  func `a child that fails costs names and gives one warning`(child: SymbolicationChild) throws {
    let profile = try profile(child)
    let names = try #require(profile.stacks().first)
    // `leaf`, three times `descend`, `main` and the C library.
    #expect(names.count > 5)
    #expect(names.prefix(5).allSatisfy { $0.hasPrefix("stacks+0x") }, "\(names)")
    #expect(profile.audit.complete == 1)
    let warnings = profile.audit.warnings.filter { $0.code.hasPrefix("symbols.") }
    #expect(warnings.map(\.code) == ["symbols.child"])
    #expect(warnings.first?.message.contains("'\(child.path)' failed") == true)
    // The C library, and on some systems the loader.
    #expect(warnings.first?.message.contains("other file") == true)
  }

  @Test func `a child that exceeds its time limit is killed`() throws {
    let child = SymbolicationChild(path: "/bin/sleep", arguments: ["1000"], seconds: 0)
    let answer = Symbolication.child(child).answer(try request([TestProgram.stacks()]))
    #expect(answer.files.count == 1 && answer.files[0] == nil)
    #expect(
      answer.warnings.map(\.message) == [
        "cannot read the symbols of '\(try TestProgram.stacks().path)': '/bin/sleep' failed: "
          + "it took more than 0 seconds"
      ])
  }

  @Test func `a tool that exceeds its memory limit fails`() throws {
    // tail(1) keeps a line in memory, and this line has no end.
    let tool = Tool(
      path: "/usr/bin/tail", arguments: ["-n", "1", "/dev/zero"], memoryBytes: 256 << 20)
    let error = #expect(throws: PerfProfileError.self) { try tool.run("") }
    #expect(error?.description.contains("it ended with") == true)
  }

  @Test func `a file at which the child fails does not cost the names of other files`() throws {
    let good = try TestProgram.stacks()
    let bad = try TestProgram.build("bad", ["nothing.c"])
    let folder = NSTemporaryDirectory() + "perfkit-child-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // A child that crashes if the request contains the bad file, and else answers about the good one.
    let expected = FileSymbolizer.answer(try request([good]))
    try expected.data().write(to: URL(fileURLWithPath: "\(folder)/answer"))
    let script = """
      if grep -q '/bad"'; then kill -SEGV $$; fi
      cat \(folder)/answer
      """
    let child = SymbolicationChild(path: "/bin/sh", arguments: ["-c", script])
    let answer = Symbolication.child(child).answer(try request([bad, good]))
    #expect(answer.files[0] == nil)
    let names = answer.files[1]?.frames.values.flatMap { $0.map(\.name) } ?? []
    #expect(Set(names).isSuperset(of: ["leaf", "descend", "main"]))
    #expect(answer.warnings.map(\.code) == ["symbols.child"])
    #expect(answer.warnings[0].message.contains("of '\(bad.path)': '/bin/sh' failed"))
  }

  @Test func `an encoded answer is decoded unchanged`() throws {
    let request = try request([TestProgram.stacks(), TestProgram.build("bad", ["nothing.c"])])
    var answer = FileSymbolizer.answer(request)
    answer.warnings = [RunWarning(code: "a", message: "b", remedy: "c")]
    let decoded = try SymbolAnswer(answer.data(), to: request)
    #expect(decoded.warnings == answer.warnings)
    for (found, wanted) in zip(decoded.files, answer.files) {
      #expect(found?.frames == wanted?.frames)
      #expect(found?.final == wanted?.final)
    }
    #expect(answer.files.allSatisfy { $0?.frames.isEmpty == false })
    // An answer to another request is refused.
    #expect(throws: DecodingError.self) {
      try SymbolAnswer(answer.data(), to: SymbolRequest(files: [], tools: Self.noTools))
    }
  }
}
