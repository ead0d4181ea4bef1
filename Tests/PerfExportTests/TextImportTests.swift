import PerfModel
import Testing

@testable import PerfExport

/// The formats that are lines of text.
struct TextImportTests {
  @Test func `a line of collapsed stacks counts samples without a unit`() throws {
    let read = try ProfileImport(text: ImportFixtures.collapsed)
    #expect(read.format == .collapsed)
    #expect(
      read.profile.weights() == [
        "all threads: main;draw;blend": 3, "all threads: main;draw;memcpy": 2,
        "all threads: main": 1,
      ])
    #expect(read.profile.samples() == read.profile.weights())
    #expect(read.profile.measure == .samples)
    #expect(read.profile.audit.samples == 6)
    #expect(read.profile.functions.first { $0.name == "memcpy" }?.module == Profile.kernelModule)
    // Without a unit, no CPU time is known.
    #expect(read.profile.threads == [Profile.Thread(name: "all threads", cpu: 0)])
  }

  @Test func `a stated interval turns samples into CPU time`() throws {
    let read = try ProfileImport(text: ImportFixtures.collapsed, interval: 10_000_000)
    #expect(read.profile.measure == .cpuTime)
    // Three samples of 10 ms.
    #expect(read.profile.weights()["all threads: main;draw;blend"] == 30_000_000)
    #expect(read.profile.threads[0].cpu == 60_000_000)
    #expect(read.profile.audit.rateAsked == 100)
    #expect(throws: ImportError.hasUnit(.speedscope, measure: "time")) {
      try ProfileImport(text: ImportFixtures.speedscope, interval: 1)
    }
  }

  @Test func `decimal weights are no numbers of samples`() throws {
    let read = try ProfileImport(text: "a;b 1.5\na;b 2\na;c_[i] 1\n")
    #expect(read.profile.measure == .init(name: "units", dimension: .count, hasSamples: false))
    #expect(read.profile.weights() == ["all threads: a;b": 3.5, "all threads: a;c": 1])
    #expect(read.profile.nodes.map(\.isInlined) == [false, false, true])
  }

  @Test func `spaces, separators and numbers in names stay in the names`() throws {
    let read = try ProfileImport(
      text: "std::f(int, 3);operator() const;;[k] 4\r\n\r\n", as: .collapsed)
    #expect(
      read.profile.weights() == ["all threads: std::f(int, 3);operator() const;[unknown];[k]": 4])
  }

  @Test(arguments: [
    "main;draw\n", "main;draw -3\n", "main nan\n", "main 0x10\n", "main 1e400\n",
    "main 1\nmain;x\n",
    "main 99999999999999999999999\n", "main 9999999999999\nmain 1\n", "main 0\n", " 5\n",
  ])
  func `a line without a possible number of samples is refused`(text: String) {
    #expect(ProfileImport.error(text, as: .collapsed)?.contains("as collapsed") == true)
  }

  @Test func `a text that ends within a line has a warning`() throws {
    let cut = try ProfileImport(text: "main;draw 12")
    #expect(cut.profile.audit.warnings.map(\.code) == ["import.truncated"])
    #expect(try ProfileImport(text: "main;draw 12\n").profile.audit.warnings.isEmpty)
  }

  @Test func `samples of perf script have threads, times and CPU time`() throws {
    let read = try ProfileImport(text: ImportFixtures.perfScript)
    #expect(read.format == .perfScript)
    #expect(read.profile.measure == .cpuTime)
    #expect(
      read.profile.weights() == [
        "App Main: main;draw;std::copy(char*, char (&) [4])": 250_000,
        "App Main: main;[unknown];file_close_fd": 500_000, "worker 1: run()": 250_000,
      ])
    #expect(read.profile.threads.map(\.cpu) == [750_000, 250_000])
    let modules = Dictionary(
      uniqueKeysWithValues: read.profile.functions.map { ($0.name, $0.module) })
    #expect(
      modules == [
        "main": "App", "draw": "App", "std::copy(char*, char (&) [4])": "libApp.so.1",
        "[unknown]": "App", "file_close_fd": "[kernel]", "run()": "[generated]",
      ])
    #expect(read.profile.nodes.filter(\.isInlined).count == 1)
    // In nanoseconds since the first sample, in the order of time.
    let moments = try #require(read.profile.timeline[0])
    #expect(moments.map(\.time) == [0, 500_000, 1_000_000])
    #expect(moments.map(\.serial) == [1, 2, 1])
    #expect(read.profile.audit.seconds == 0.001)
    #expect(read.profile.audit.warnings.isEmpty)
  }

  @Test func `periods of other events are counts of the event`() throws {
    let text = """
      app 7 [003] 1.5: 1000 cpu_core/cycles/P: 
      \tabc f+0x1 (/bin/app)
      app 7 [003] 1.6: 3000 cpu_atom/cycles/P: 
      \tabc f+0x1 (/bin/app)
      app 7 [003] 1.6: 9 instructions:u: 
      \tabc g+0x1 (/bin/app)

      """
    let read = try ProfileImport(text: text)
    #expect(read.profile.measure == .init(name: "cycles", dimension: .count))
    #expect(read.profile.weights() == ["app: f": 4000])
    #expect(read.profile.samples() == ["app: f": 2])
    #expect(read.profile.audit.warnings.map(\.code) == ["import.events"])
    let timed = try ProfileImport(text: text, interval: 1000)
    #expect(timed.profile.weights() == ["app: f": 2000])
  }

  @Test(arguments: [
    // The time, the period or the event is missing, or the frame is on the line of the header.
    "app 7 [001] cycles: \n\tabc f+0x1 (/bin/app)\n",
    "app 7/8 1.25: cycles: \n\tabc f+0x1 (/bin/app)\n",
    "app 7 1.25: \n\tabc f (/bin/app)\n",
    "app 7 1.25: cycles:  abc f+0x1 (/bin/app (deleted))\n",
    "      app     7 1.25: cycles:  abc f+0x1 (/bin/app)\n",
    "app 7 1.25: cycles: \n\tabc f+0x1 (/bin/app)\n\t  app.c:12\n",
  ])
  func `fields of perf script may be missing`(text: String) throws {
    let read = try ProfileImport(text: text)
    #expect(read.format == .perfScript)
    #expect(read.profile.weights() == ["app: f": 1])
    #expect(read.profile.functions[0].module == "app")
    #expect(read.profile.measure == .samples)
  }

  @Test func `the source lines of perf script belong to the frame before them`() throws {
    let read = try ProfileImport(
      text: "app 7 1.25: 5 cycles: \n\tabc f+0x1 (/bin/app)\n  app.c:12\n\tdef main (/bin/app)\n")
    #expect(read.profile.nodes.map(\.line) == [0, 12])
    #expect(read.profile.functions.map(\.file) == [nil, "app.c"])
    let missing = try ProfileImport(
      text: "app 7 1.25: cycles: \n\tabc f\n  app[abc]\n\tdef main\n  [kernel.kallsyms][def]\n")
    #expect(missing.profile.weights() == ["app: main;f": 1])
    #expect(missing.profile.audit.warnings.isEmpty)
  }

  @Test func `other lines of perf script are skipped with a warning`() throws {
    let read = try ProfileImport(text: ImportFixtures.perfScript + "some text\nmore text\n")
    #expect(read.profile.audit.samples == 3)
    let warning = try #require(read.profile.audit.warnings.first)
    #expect(warning.message.contains("2 lines"))
    // The text has a comment, four lines, a blank, ... : 15 lines before them.
    #expect(warning.message.contains("the first is line 15"))
  }
}
