import Glibc
import Testing

@testable import PerfProfile

/// llvm-symbolizer, the demangler and other programs that the toolkit runs.
@Suite struct SymbolToolTests {
  @Test func `answers with inlined frames, missing files and unknown code are parsed`() {
    let text = """
      inner
      /books/a:b.swift:12:7
      outer
      <compiler-generated>:0:0

      ??
      ??:0:0


      """
    typealias Frame = StackFrame
    #expect(
      LLVMSymbolizer.read(Array(text.utf8)) == [
        [
          Frame(name: "inner", file: "/books/a:b.swift", line: 12),
          Frame(name: "outer", file: nil, line: 0),
        ], [],
      ])
    #expect(LLVMSymbolizer.read([]).isEmpty)
  }

  @Test(arguments: [2, 3, 7, 100])
  func `several processes give the same answers in the same order as one`(processes: Int) throws {
    let rich = try TestProgram.build("rich", ["stacks.c", "capture.c"], flags: ["-g"])
    let requests = ElfSymbols(try image(rich.path)).starts.map {
      LLVMSymbolizer.Request(path: rich.path, address: $0)
    }
    let tool = LLVMSymbolizer(path: try #require(ToolPaths.found().symbolizer))
    let answers = try tool.symbolize(requests, processes: 1)
    #expect(answers.count == requests.count)
    #expect(answers.contains { $0.contains { $0.name == "leaf" && $0.line > 0 } })
    #expect(try tool.symbolize(requests, processes: processes) == answers)
    #expect(try tool.symbolize([], processes: processes) == [])
    #expect(throws: PerfProfileError.self) {
      try LLVMSymbolizer(path: "/bin/false").symbolize(requests, processes: processes)
    }
  }

  private func image(_ path: String) throws -> ElfImage {
    try ElfImage(path: path, memory: ImageMemory(path: path))
  }

  @Test func `the symbolizer and the demangler are found beside swift`() {
    let tools = ToolPaths.found()
    #expect(tools.symbolizer.map { access($0, X_OK) } == 0)
    #expect(tools.demangler.map { access($0, X_OK) } == 0)
  }

  @Test func `a tool that answers megabytes does not block`() throws {
    let line = String(repeating: "0123456789abcde\n", count: 1 << 18)
    let answer = try Tool(path: "/bin/cat", arguments: []).run(line)
    #expect(answer.count == 4 << 20)
    #expect(answer.elementsEqual(line.utf8))
  }

  @Test func `a tool that fails or hangs is an error with the tool's path`() {
    let failing = Tool(path: "/bin/ls", arguments: ["/dev/null/none"])
    let message = #expect(throws: PerfProfileError.self) { try failing.run("") }
    #expect(message?.description.contains("'/bin/ls' failed") == true)
    #expect(message?.description.contains("/dev/null/none") == true)
    let hanging = Tool(path: "/bin/sleep", arguments: ["1000"], seconds: 0)
    #expect(throws: PerfProfileError.self) { try hanging.run("") }
  }
}
