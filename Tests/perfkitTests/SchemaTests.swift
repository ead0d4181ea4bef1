import Foundation
import PerfGate
import PerfReport
import PerfTestSupport
import Testing

@testable import perfkit

/// The schemas of `Documentation/schemas` and the JSON that the verbs print.
struct SchemaTests {
  /// Returns the JSON on standard output.
  private static func json(_ result: TestCommand.Result) throws -> JSONValue {
    try #require(JSONValue(parsing: result.output.utf8), "\(result.errors)")
  }

  // MARK: - The schemas and their validator

  @Test func `every schema names its file and uses only keywords that the validator knows`() throws
  {
    let schemas = try JSONSchema.published()
    #expect(schemas.count > 20)
    for (file, schema) in schemas {
      #expect(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema", "\(file)")
      #expect(schema["$id"] == .string(file))
      for key in ["title", "description"] { #expect(schema[key]?.text != nil, "\(file)") }
      let name = String(file.dropLast(".schema.json".count))
      #expect(JSONSchema(name, in: schemas).faults.isEmpty, "\(file)")
    }
  }

  private static func schema(_ text: String) throws -> JSONSchema {
    JSONSchema("a", in: ["a.schema.json": try #require(JSONValue(parsing: text.utf8))])
  }

  @Test(arguments: [
    #"{"pattern": "x"}"#, #"{"properties": {"a": {"minLength": 1}}}"#, #"{"type": "float"}"#,
    ##"{"items": {"$ref": "#/$defs/b"}}"##, #"{"anyOf": [{"$ref": "b.schema.json"}]}"#,
    #"{"$defs": {"a": {"format": "date"}}}"#, "[]",
  ])
  func `a schema with an unknown keyword, type or target is refused`(text: String) throws {
    #expect(try !Self.schema(text).faults.isEmpty)
  }

  @Test(arguments: [
    (#"{"type": "integer"}"#, "1", "1.5"), (#"{"type": ["string", "null"]}"#, "null", "1"),
    (#"{"type": "boolean"}"#, "true", "1"), (#"{"type": "number"}"#, "1", "true"),
    (#"{"const": "a"}"#, #""a""#, #""b""#), (#"{"enum": [1, null]}"#, "null", "2"),
    (#"{"minimum": 2}"#, "2", "1"), (#"{"maximum": 2}"#, "2", "3"),
    (#"{"items": {"type": "string"}}"#, #"["a"]"#, #"["a", 1]"#),
    (#"{"required": ["a"]}"#, #"{"a": 1}"#, "{}"),
    (#"{"properties": {"a": {"type": "null"}}}"#, #"{"a": null}"#, #"{"a": 1}"#),
    (#"{"properties": {"a": {}}}"#, #"{"a": 1}"#, #"{"b": 1}"#),
    (#"{"additionalProperties": {"type": "string"}}"#, #"{"b": "1"}"#, #"{"b": 1}"#),
    (#"{"anyOf": [{"type": "null"}, {"const": 3}]}"#, "3", "4"),
    (##"{"$ref": "#/$defs/x", "$defs": {"x": {"type": "null"}}}"##, "null", "1"),
  ])
  func `the validator accepts values that match a schema and refuses others`(
    schema: String, match: String, mismatch: String
  ) throws {
    let schema = try Self.schema(schema)
    #expect(schema.faults.isEmpty)
    #expect(try schema.mismatches(of: #require(JSONValue(parsing: match.utf8))).isEmpty)
    #expect(try !schema.mismatches(of: #require(JSONValue(parsing: mismatch.utf8))).isEmpty)
  }

  // MARK: - The verbs

  @Test func `runs, their lists and their changes match the schemas`() throws {
    let perfkit = try TestCommand.measuring(
      "work", "[sh, -c, exit 0]", more: "budgets: [wall <= 10 s]")
    try expect(
      Self.json(perfkit("run", "work", "--no-report", "--format", "json")), matches: "run")
    try expect(
      Self.json(
        perfkit(
          "run", "--no-report", "--iterations", "2", "--format", "json", "--", "sh", "-c",
          "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done")), matches: "run")
    let shown = try Self.json(perfkit("show", "--format", "json"))
    try expect(shown, matches: "run")
    #expect(shown["functions"]?.elements.isEmpty == false)
    _ = perfkit("run", "work", "--no-report", "--format", "json")
    try expect(
      Self.json(perfkit("compare", "work:plain", "latest~1", "--format", "json")),
      matches: "comparison")
    try expect(
      Self.json(perfkit("history", "work", "--metric", "wall", "--format", "json")),
      matches: "history")
    try expect(
      Self.json(perfkit("history", "--regressions", "--format", "json")), matches: "regressions")
    #expect(perfkit("baseline", "save", "main", "work:plain").status == .done)
    try expect(
      Self.json(perfkit("baseline", "list", "--format", "json")), matches: "baselines")
    for arguments in [["--dry-run"], []] {
      let gate = perfkit.run(["gate", "--against", "main", "--format", "json"] + arguments)
      try expect(Self.json(gate), matches: arguments.isEmpty ? "verdict" : "plan")
    }
    for kind in ["runs", "baselines", "scenarios", "variants", "metrics", "comparisons"] {
      let list = try Self.json(perfkit("list", kind, "--format", "json"))
      try expect(list, matches: kind)
      #expect(kind == "comparisons" || !list.elements.isEmpty, "\(kind)")
    }
  }

  @Test func `comparisons of pairs, their report and a decision match the schemas`() throws {
    let perfkit = try TestCommand()
    try perfkit.scenario(
      "work",
      """
      scenario: work
      summary: A command.
      command: [sh, -c, exit 0]
      variants: { plain: {}, other: {} }
      default_variant: plain
      iterations: 2
      """)
    let diff = perfkit(
      "diff", "--scenario", "work", "--variant", "plain", "--variant", "other", "--max-pairs", "11",
      "--report", "Reports", "--format", "json")
    try expect(Self.json(diff), matches: "comparison")
    try expect(
      Self.json(perfkit("list", "comparisons", "--format", "json")), matches: "comparisons")
    let report = try #require(
      FileManager.default.contentsOfDirectory(atPath: perfkit.folder("Reports")).first {
        $0.hasSuffix(".html")
      })
    let verification = try Self.json(
      perfkit("verify", "Reports/\(report)", "--format", "json"))
    try expect(verification, matches: "verification")
    #expect(verification["differences"] == .array([]))
    let decision = try Self.json(
      perfkit("decide", "latest", "--keep", "--because", "So.", "--format", "json"))
    try expect(decision, matches: "decision")
    #expect(decision["because"] == "So.")
    #expect(
      FileManager.default.fileExists(atPath: perfkit.folder(decision["page"]?.text ?? "-")))
    try expect(Self.json(perfkit("list", "decisions", "--format", "json")), matches: "decisions")
    try expect(
      Self.json(perfkit("store", "prune", "--keep", "0", "--format", "json")),
      matches: "store-prune")
  }

  @Test func `the machine, the store and a new project match the schemas`() throws {
    let perfkit = try TestCommand()
    try expect(Self.json(perfkit("doctor", "--format", "json")), matches: "doctor")
    try expect(
      Self.json(perfkit("init", "--format", "json", "--", "./work")), matches: "init")
    // The second call keeps the files.
    try expect(
      Self.json(perfkit("init", "--format", "json", "--", "./work")), matches: "init")
    _ = perfkit("run", "--no-report", "--iterations", "1", "--", "true")
    try expect(Self.json(perfkit("store", "check", "--format", "json")), matches: "store-check")
  }

  @Test
  func `verbs that confirm their effect match the schemas, and print no JSON without --format`()
    throws
  {
    let perfkit = try TestCommand()
    for _ in 0..<2 {
      _ = perfkit("run", "--no-report", "--no-profile", "--iterations", "1", "--", "true")
    }
    let other = ["--store", "other.sqlite"]
    let exported = perfkit("baseline", "save", "old", "latest")
    #expect(exported.status == .done && exported.output.isEmpty, "\(exported.errors)")
    #expect(perfkit("baseline", "export", "old", "-o", "old.json").status == .done)
    for (words, kind, member, value) in [
      (["baseline", "save", "main", "latest", "latest~1"], "baseline-change", "effect", "saved"),
      (["baseline", "remove", "main"], "baseline-change", "effect", "removed"),
      (["store", "export", "runs.sqlite"], "transfer", "to", perfkit.folder("runs.sqlite")),
      (["store", "import", "runs.sqlite"] + other, "transfer", "to", perfkit.folder(other[1])),
      (["baseline", "import", "old.json"] + other, "baseline-change", "effect", "imported"),
      (["store", "backup", "copy.sqlite"], "store-file", "file", perfkit.folder("copy.sqlite")),
      (["store", "vacuum"], "store-file", "file", perfkit.folder(".perfkit/perfkit.sqlite")),
    ] as [([String], String, String, String)] {
      let result = perfkit.run(words + ["--format", "json"])
      #expect(result.status == .done, "\(words): \(result.errors)")
      let document = try Self.json(result)
      try expect(document, matches: kind)
      #expect(document[member]?.text == value, "\(words)")
      // The first store has two runs.
      if words[1] == "export" || words[1] == "import", kind == "transfer" {
        #expect(document["runs"] == .int(2), "\(words)")
      }
    }
    let again = try Self.json(
      perfkit.run(["store", "import", "runs.sqlite", "--format", "json"] + other))
    #expect(again["runs"] == .int(0) && again["known"] == .int(2))
  }

  @Test func `a try matches its schema`() throws {
    let repository = try TestRepository()
    try repository.write("notes", "one\n")
    let tried = repository.perfkit(
      "try", "--scenario", "work", "--because", "So.", "--max-pairs", "14", "--format", "json")
    try expect(Self.json(tried), matches: "try")
  }

  @Test
  func `the case study, the workloads and the scenarios of this repository match the schemas`()
    throws
  {
    let perfkit = try TestCommand()
    try FileManager.default.removeItem(atPath: perfkit.folder("Scenarios"))
    try FileManager.default.createSymbolicLink(
      atPath: perfkit.folder("Scenarios"),
      withDestinationPath: DocumentFile.root.appendingPathComponent("Scenarios").path)
    try expect(Self.json(perfkit("show", "photos", "--format", "json")), matches: "study")
    for kind in ["scenarios", "variants", "workloads", "metrics"] {
      try expect(Self.json(perfkit("list", kind, "--format", "json")), matches: kind)
    }
  }
}
