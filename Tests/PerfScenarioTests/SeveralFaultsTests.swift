import PerfModel
import PerfScenario
import Testing

/// The faults of one file, which are reported together.
struct SeveralFaultsTests {
  /// Returns the places of the faults in a message, which follow its first line.
  private func places(in message: String) -> [Substring] {
    message.split(separator: "\n").dropFirst().map { $0.prefix { $0 != " " } }
  }

  @Test func `all faults of a scenario file are reported in the order of its lines`() throws {
    let text = """
      scenario: s
      summary: A test.
      workload: book.scroll
      worker: BookWorkloads
      iterations: many
      colour: red
      timeout: 60
      variants: { a: { page_cache: cool }, b/c: {} }
      budgets:
        - rss.peak <= 150 Mb
        - wall <= 1 s
        - rss.peak = 150 MB
      gate: { margin: 1 ms, count: perhaps, metrics: { wall: { margin: 0% } } }
      """
    let lines = try #require(complaint(text)).split(separator: "\n")
    #expect(lines.first == "'s.yml' has 10 faults:")
    let places = lines.dropFirst().map { Int($0.split(separator: ":")[1]) }
    // The variants are not named again, as one of them has no name.
    #expect(places == [5, 6, 7, 8, 8, 10, 12, 13, 13, 13], "\(lines)")
    #expect(lines[3] == "s.yml:7:10: '60' has no unit. Write it like '60s'.")
    #expect(lines[4] == "s.yml:8:30: 'page_cache' cannot be 'cool'. Choices: warm, cold.")
  }

  @Test func `parameters of a command are faults beside an unknown metric`() throws {
    let text = """
      scenario: s
      summary: A test.
      command: [./any]
      parameters: { books: 5, page_cache: cold }
      quick: { pages: 3 }
      variants: { a: { words: 3, page_cache: cool } }
      budgets: [wal <= 1 s]
      """
    let lines = try #require(complaint(text)).split(separator: "\n")
    #expect(lines.first == "'s.yml' has 5 faults:", "\(lines)")
    let places = lines.dropFirst().map { Int($0.split(separator: ":")[1]) }
    #expect(places == [4, 5, 6, 6, 7], "\(lines)")
  }

  @Test func `repeated keys hide no other fault`() throws {
    let text = """
      scenario: s
      "summary": A test.
      summary: A test.
      workload: book.scroll
      worker: BookWorkloads
      iterations: many
      parameters: { größe: 1, größe: 2, größe: 3, page_cache: cool }
      """
    let lines = try #require(complaint(text)).split(separator: "\n")
    #expect(
      lines == [
        "'s.yml' has 5 faults:",
        "s.yml:2:1: the key 'summary' is given twice. Remove one.",
        "s.yml:6:13: 'iterations' must be a whole number, not 'many'.",
        "s.yml:7:15: the key 'größe' is given twice. Remove one.",
        "s.yml:7:25: the key 'größe' is given twice. Remove one.",
        "s.yml:7:57: 'page_cache' cannot be 'cool'. Choices: warm, cold.",
      ], "\(lines)")
  }

  @Test func `all faults within a section are reported together`() throws {
    let text = """
      scenario: s
      summary: A test.
      command: [a]
      metrics: { m: { pattern: '([', unit: mz, better: up } }
      controls: { metrics: [3, [4]], functions: 3, scenarios: 4 }
      variants: { a: {} }
      calibrate: { parameter: [x], variant: b, target: 3, range: x }
      """
    let message = try #require(complaint(text))
    #expect(
      places(in: message) == [
        "s.yml:4:26:", "s.yml:4:38:", "s.yml:4:50:", "s.yml:5:23:", "s.yml:5:26:", "s.yml:5:43:",
        "s.yml:5:57:", "s.yml:7:12:", "s.yml:7:25:", "s.yml:7:39:", "s.yml:7:50:", "s.yml:7:60:",
      ], "\(message)")
  }

  @Test func `all faults within the lists and mappings of a command are reported together`()
    throws
  {
    let text = """
      scenario: s
      summary: A test.
      command: [a]
      environment: { A: [1], B: {} }
      accept_exit: [300, x]
      pressure: [{ at: 1, level: 3, hold: 2 }, { at: 3, level: 1, hold: 1s }]
      controls: { functions: [[1], [2]] }
      case_study: { study: [1], statement: [2] }
      metrics: { good: { pattern: 'a (.*)', unit: s }, bad: { pattern: 'b (.*)', unit: mz } }
      gate: { metrics: { bad: {}, gone: {} } }
      """
    let message = try #require(complaint(text))
    #expect(
      places(in: message) == [
        "s.yml:4:19:", "s.yml:4:27:", "s.yml:5:15:", "s.yml:5:20:", "s.yml:6:18:", "s.yml:6:28:",
        "s.yml:6:37:", "s.yml:6:48:", "s.yml:7:25:", "s.yml:7:30:", "s.yml:8:22:", "s.yml:8:38:",
        "s.yml:9:82:", "s.yml:10:29:",
      ], "\(message)")
    #expect(message.contains("'gone'") && !message.contains("'bad' is"), "\(message)")
  }

  @Test(arguments: ["\"\\x77armup\": 1\nwarmup: 2", "!!str warmup: 1\nwarmup: 2"])
  func `a repeated key that is not written as it is read is reported alone`(keys: String) {
    #expect(complaint(head + keys) == "s.yml:5:1: the key 'warmup' is given twice. Remove one.")
  }

  @Test func `a misspelled key is one fault, although a required key is missing by it`() throws {
    let message = try #require(complaint("scenario: s\nsumary: A.\nworkload: w\nworker: W\n"))
    #expect(!message.contains("\n"), "\(message)")
    #expect(message.contains("did you mean 'summary'?"), "\(message)")
  }

  @Test func `the names of faulty variants are not looked up`() throws {
    let message = try #require(
      complaint(
        head + """
          variants: { a/b: {}, c: {} }
          default_variant: d
          expects: [wall(d) < wall(c)]
          """))
    #expect(message.hasPrefix("s.yml:5:13: "), "\(message)")
    #expect(!message.contains("\n"), "\(message)")
  }

  @Test func `all names that the worker does not know are reported together`() throws {
    let message = try #require(
      workerComplaint(
        head + """
          parameters: { bookz: 5, columns: none }
          variants: { a: { decode: half }, b: {} }
          default_variant: a
          budgets: [covers.loded <= 3 ms]
          """))
    let places = message.split(separator: "\n").dropFirst().map { $0.prefix { $0 != " " } }
    #expect(
      places == ["s.yml:5:15:", "s.yml:5:34:", "s.yml:6:26:", "s.yml:8:11:"],
      "\(message)")
  }

  @Test func `all faults of a project file are reported together`() throws {
    var message = ""
    do throws(ScenarioError) {
      _ = try ProjectFile(
        text: "biuld: [make]\nproducts: ../out\ngate: { max_time: 5, quick: 1 }\n",
        path: "perfkit.yml")
    } catch {
      message = error.description
    }
    let places = message.split(separator: "\n").dropFirst().map { $0.prefix { $0 != " " } }
    #expect(
      places == [
        "perfkit.yml:1:1:", "perfkit.yml:2:11:", "perfkit.yml:3:19:", "perfkit.yml:3:29:",
      ], "\(message)")
  }
}
