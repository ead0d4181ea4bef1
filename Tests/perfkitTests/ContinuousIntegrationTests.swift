import Foundation
import PerfGate
import PerfTestSupport
import Testing

@testable import perfkit

/// The templates that users copy into their CI.
///
/// Their scripts are run unchanged, with replacements for the programs that they call.
struct ContinuousIntegrationTests {
  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/Programs/perfkit/Resources")

  private static let hasJQ = ["/usr/bin/jq", "/usr/local/bin/jq"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  /// Returns the first YAML block after a line that contains a text.
  private static func script(_ name: String, after mark: String) throws -> String {
    let lines = try text(name).split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.contains(mark) })
    let head = try #require(lines[start...].firstIndex { $0.hasSuffix("|") })
    let indent = { (line: Substring) in line.prefix { $0 == " " }.count }
    let depth = indent(lines[head + 1])
    return lines[(head + 1)...].prefix { $0.isEmpty || indent($0) >= depth }
      .map { $0.dropFirst(depth) }.joined(separator: "\n")
  }

  /// A folder with a script and replacements for its programs, which record their calls.
  private struct Job {
    struct Result {
      let status: Int32
      let output: String
    }

    let folder: TemporaryFolder

    init(gate status: Int32 = 0, leavesComment: Bool = true) throws {
      folder = try TemporaryFolder()
      let comment = leavesComment ? "echo '<!-- perfkit-gate -->' > comment.md" : ""
      try program("perfkit", "\(comment)\nexit \(status)")
    }

    /// Replaces a program by shell commands; the last replacement of a name counts.
    ///
    /// The commands are a function: a file that another thread's child still has open cannot be run.
    func program(_ name: String, _ commands: String) throws {
      let path = folder("programs.sh")
      let earlier = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      let function = "\(name)() (\n  echo \"\(name) $*\" >> calls.txt\n\(commands)\n)\n"
      try (earlier + function).write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func run(
      _ script: String, shell: [String], _ variables: [String: String]
    ) throws -> Result {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      try script.write(toFile: folder("script.sh"), atomically: true, encoding: .utf8)
      process.arguments = shell + ["script.sh"]
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      process.environment = [
        "PATH": "/usr/local/bin:/usr/bin:/bin", "BASH_ENV": "programs.sh",
      ].merging(variables) { _, own in own }
      let output = Pipe()
      process.standardOutput = output
      process.standardError = output
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return Result(
        status: process.terminationStatus, output: String(decoding: data, as: UTF8.self))
    }

    /// Runs a step like GitHub.
    func github(_ step: String) throws -> Result {
      try run(
        ContinuousIntegrationTests.script("github.yml", after: "name: \(step)"), shell: ["-e"],
        [
          "GITHUB_BASE_REF": "main", "GITHUB_STEP_SUMMARY": "summary.md",
          "GITHUB_REPOSITORY": "reader/books", "PULL_REQUEST": "7", "GH_TOKEN": "t",
        ])
    }

    /// Runs the job like a GitLab runner.
    func gitlab(token: String? = nil) throws -> Result {
      var variables = [
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": "main", "CI_API_V4_URL": "https://lab.example/api/v4",
        "CI_PROJECT_ID": "3", "CI_MERGE_REQUEST_IID": "9",
      ]
      variables["PERFKIT_TOKEN"] = token
      return try run(
        ContinuousIntegrationTests.script("gitlab.yml", after: "script:"),
        shell: ["-e", "-o", "pipefail"], variables)
    }

    func calls(_ program: String) throws -> [String] {
      try String(contentsOfFile: folder("calls.txt"), encoding: .utf8).split(separator: "\n")
        .map(String.init).filter { $0.hasPrefix(program + " ") }
    }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder(name)) }
  }

  @Test(arguments: ["github.yml", "gitlab.yml"])
  func `the gate of each template is valid in a repository`(
    name: String
  ) throws {
    let text = try Self.text(name)
    let line = try #require(
      text.split(separator: "\n").first { $0.contains("perfkit gate") })
    let start = try #require(line.range(of: "perfkit gate"))
    let words = line[start.lowerBound...].split(separator: " ").dropFirst()
      .prefix { $0 != "||" }
      // The CI system replaces this variable by the target branch or its commit.
      .map { $0.hasPrefix("\"") ? "main" : String($0) }
    let repository = try TestRepository()
    let result = repository.perfkit.run(words + ["--dry-run"])
    #expect(result.status == .done, "\(result.errors)")
    #expect(result.output.contains("1 scenario against main, small parameter sets"))
    #expect(text.contains(".perfkit/builds"))
    #expect(text.contains(GateDigest.marker))
  }

  @Test(arguments: [(0, 0), (1, 1), (2, 2), (3, 0), (4, 4)] as [(Int32, Int32)])
  func `the GitHub step has the status of its gate, and passes an undecided one`(
    gate: Int32, step: Int32
  ) throws {
    let job = try Job(gate: gate)
    let result = try job.github("Gate")
    #expect(result.status == step, "\(result.output)")
    #expect(result.output.contains("::warning title=perfkit::some metrics") == (gate == 3))
    #expect(job.has("summary.md"))
  }

  @Test func `a gate without a comment keeps its status`() throws {
    let job = try Job(gate: 64, leavesComment: false)
    #expect(try job.github("Gate").status == 64)
    #expect(try job.github("Comment").status == 0)
    #expect(try job.gitlab().status == 64)
  }

  @Test func `the GitHub comment is created once and then updated`() throws {
    let job = try Job()
    _ = try job.github("Gate")
    try job.program("gh", "")
    #expect(try job.github("Comment").status == 0)
    let made = try #require(try job.calls("gh").last)
    #expect(made.contains("--method POST repos/reader/books/issues/7/comments "), "\(made)")
    #expect(made.hasSuffix(" --field body=@comment.md"))
    // The first of two comments of the bot is the gate's.
    try job.program("gh", #"case "$*" in *--paginate*) printf '41\n42\n';; esac"#)
    #expect(try job.github("Comment").status == 0)
    let changed = try #require(try job.calls("gh").last)
    #expect(changed.contains("--method PATCH repos/reader/books/issues/comments/41 "), "\(changed)")
    #expect(changed.hasSuffix(" --field body=@comment.md"))
    let list = try #require(try job.calls("gh").first)
    #expect(list.contains("issues/7/comments?per_page=100"))
    #expect(list.contains(#"startswith("<!-- perfkit-gate -->")"#))
  }

  @Test func `a GitHub token without the right to comment causes a warning`() throws {
    let job = try Job()
    _ = try job.github("Gate")
    try job.program("gh", "exit 1")
    let result = try job.github("Comment")
    #expect(result.status == 0)
    #expect(result.output.contains("::warning title=perfkit::cannot write the comment"))
  }

  @Test(arguments: [0, 1, 2, 3, 4] as [Int32])
  func `the GitLab job has the status of the gate and names the place of its note`(gate: Int32)
    throws
  {
    let job = try Job(gate: gate)
    let result = try job.gitlab()
    #expect(result.status == gate, "\(result.output)")
    #expect(result.output.contains("PERFKIT_TOKEN is not set; see the artifact comment.md"))
  }

  @Test(.enabled(if: hasJQ))
  func `the GitLab note is created once and then updated`() throws {
    let job = try Job(gate: 1)
    let answer = { (first: String, second: String) in
      """
      case "$*" in
        */user) echo '{"id": 5}' ;;
        *'&page=1') \(first) ;;
        *'&page=2') \(second) ;;
      esac
      """
    }
    let notes = "https://lab.example/api/v4/projects/3/merge_requests/9/notes"
    // Another user quotes the mark, and the token's user has written another note.
    try job.program(
      "curl",
      answer(
        #"""
        printf %s '[{"id": 1, "author": {"id": 6}, "body": "<!-- perfkit-gate --> I saw"},
          {"id": 2, "author": {"id": 5}, "body": "Hello"}]'
        """#, ""))
    #expect(try job.gitlab(token: "t").status == 1)
    var last = try #require(try job.calls("curl").last)
    #expect(last.hasSuffix("POST --data-urlencode body@comment.md \(notes)"), "\(last)")
    // The note of the gate is on the second page.
    try job.program(
      "curl",
      answer(
        #"jq -nc '[range(100) | {id: ., author: {id: 6}, body: "Hello"}]'"#,
        #"""
        printf %s '[{"id": 777, "author": {"id": 5}, "body": "<!-- perfkit-gate -->\n### red"}]'
        """#))
    #expect(try job.gitlab(token: "t").status == 1)
    last = try #require(try job.calls("curl").last)
    #expect(last.hasSuffix("PUT --data-urlencode body@comment.md \(notes)/777"), "\(last)")
  }

  @Test func `a GitLab note that cannot be written keeps the status of the gate`() throws {
    let job = try Job(gate: 3)
    try job.program("curl", "exit 22")
    let result = try job.gitlab(token: "t")
    #expect(result.status == 3, "\(result.output)")
    #expect(result.output.contains("cannot write the note; see the artifact comment.md"))
  }
}
