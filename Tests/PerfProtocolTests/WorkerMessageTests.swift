import Testing

@testable import PerfProtocol

struct WorkerMessageTests {
  private func message(_ text: String) throws -> WorkerMessage {
    try WorkerMessage(line: Array(text.utf8))
  }

  private static let usage = WorkerMessage.Usage(
    wall: 11, cpu: 12, user: 8, system: 4, allocations: 3, allocated: 96)

  private static let hello = Hello(
    suite: "S", build: Hello.Build(configuration: "release", compiler: "6.3"),
    workloads: [
      Hello.Workload(
        name: "w", summary: "does", startsAtLaunch: true,
        parameters: [
          Hello.Parameter(
            name: "n", kind: .int, defaultValue: .int(3), summary: "how many", minimum: 1,
            maximum: 9),
          Hello.Parameter(
            name: "mode", kind: .string, defaultValue: .string("a"), summary: "", choices: ["a"]),
        ],
        counters: [
          Hello.Counter(
            name: "c", unit: "ratio", direction: "higher", scale: "difference", summary: "",
            isDeterministic: false)
        ])
    ])

  @Test(
    arguments: [
      .hello(hello), .progress(label: "covers", done: 1, total: 2),
      .warning(WorkerMessage.Warning(code: "a.b", message: "m", remedy: "r")),
      .ready(files: ["/a/b"], notes: ["k": "v"]), .prepared,
      .done(WorkerMessage.Completion(usage: (usage, usage), counters: ["c": 0.5])),
      .done(WorkerMessage.Completion(usage: nil, counters: [:])),
      .failed(stage: "setup", message: "no disk"),
    ] as [WorkerMessage])
  func `a message equals itself after encoding and decoding`(message: WorkerMessage) throws {
    let line = try message.line()
    #expect(!line.contains(UInt8(ascii: "\n")))
    #expect(try WorkerMessage(line: line) == message)
  }

  @Test func `a hello has the documented keys`() throws {
    let line = String(decoding: try WorkerMessage.hello(Self.hello).line(), as: UTF8.self)
    #expect(
      line
        == #"{"build":{"compiler":"6.3","configuration":"release"},"protocol":1,"suite":"S","#
        + #""type":"hello","workloads":[{"counters":[{"deterministic":false,"#
        + #""direction":"higher","name":"c","scale":"difference","summary":"","unit":"ratio"}],"#
        + #""name":"w","parameters":[{"default":3,"maximum":9,"minimum":1,"name":"n","#
        + #""summary":"how many","type":"int"},{"choices":["a"],"default":"a","name":"mode","#
        + #""summary":"","type":"string"}],"starts_at_launch":true,"summary":"does"}]}"#)
  }

  @Test func `only the version is read from a hello of another version`() throws {
    guard case .hello(let hello) = try message(#"{"type":"hello","protocol":2,"new":"shape"}"#)
    else {
      Issue.record("the message is not a hello")
      return
    }
    #expect(hello.version == 2)
  }

  @Test func `optional keys may be missing`() throws {
    #expect(
      try message(#"{"type":"warning","message":"m"}"#)
        == .warning(WorkerMessage.Warning(code: "worker", message: "m", remedy: "")))
    #expect(try message(#"{"type":"ready"}"#) == .ready(files: [], notes: [:]))
    #expect(
      try message(#"{"type":"done"}"#)
        == .done(WorkerMessage.Completion(usage: nil, counters: [:])))
  }

  @Test(arguments: [
    "", "garbage", "{}", #"{"type":"unheard-of"}"#, #"{"type":"hello"}"#, "[1,2]",
    #"{"type":"progress","done":1}"#,
    #"{"type":"hello","protocol":1,"suite":"S","workloads":[{"name":"w","parameters":[{"name":"p","type":"date","default":1}]}]}"#,
  ])
  func `a line that is not a message of a worker is refused`(text: String) {
    #expect(throws: MalformedMessage.self) { try message(text) }
  }

  @Test func `done contains both readings and the counters`() throws {
    let line = """
      {"type":"done","began":{"wall":1,"cpu":2,"user":1,"system":1},
      "ended":{"wall":11,"cpu":12,"user":8,"system":4},"counters":{"cache.hits":7}}
      """
    guard case .done(let completion) = try message(line) else {
      Issue.record("the message is not a done")
      return
    }
    #expect(completion.usage?.began.wall == 1)
    #expect(completion.usage?.ended.user == 8)
    #expect(completion.counters == ["cache.hits": 7])
  }
}
