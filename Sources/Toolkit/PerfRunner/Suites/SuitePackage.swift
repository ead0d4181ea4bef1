internal import Foundation

/// A Swift package with suites of package-benchmark.
public struct SuitePackage: Sendable {
  /// The folder of the package.
  public let folder: String
  /// The targets that are suites, in the manifest's order; at least one.
  public let targets: [String]

  /// The folder of the built programs, relative to the package.
  public static let products = ".build/release"

  /// Finds the package in a folder, or in its folder `Benchmarks`, where suites usually are.
  ///
  /// - Parameters:
  ///   - place: The folder.
  ///   - variables: The environment variables of `swift package`.
  ///   - isCancelled: Whether the user wants to stop.
  /// - Throws: `RunnerError.noSuitePackage` if neither folder has suites, or if the manifest is invalid.
  public init(
    near place: String, variables: [String: String], isCancelled: @Sendable () -> Bool
  ) throws(RunnerError) {
    let folders = [place, "\(place)/Benchmarks"]
    // The manifest of a large package takes a second, so that the text is looked at first.
    guard let folder = folders.first(where: Self.usesPlugin) else {
      let nested = Self.nestedPackages(in: place)
      let hasManifest = folders.contains { SystemCalls.read("\($0)/Package.swift") != nil }
      throw .noSuitePackage(
        folder: place,
        reason: "neither it nor its folder Benchmarks has a Package.swift"
          + (hasManifest ? " that uses \(Self.plugin)" : "")
          + (nested.isEmpty
            ? "" : ". Suites are in the packages of \(nested.joined(separator: ", "))"))
    }
    let run = try Self.swift(
      ["package", "dump-package"], in: folder, variables, seconds: 600, isCancelled)
    guard run.status == 0, let targets = Self.targets(of: run.output), !targets.isEmpty else {
      let lines = run.errors.split(separator: "\n").suffix(3).joined(separator: " ")
      throw .noSuitePackage(
        folder: folder,
        reason: "`swift package dump-package` "
          + (run.status == 0 ? "lists no target with \(Self.plugin)" : "failed: \(lines)"))
    }
    (self.folder, self.targets) = (folder, targets)
  }

  /// The plugin that makes a target a suite.
  private static let plugin = "BenchmarkPlugin"

  /// Returns whether the text of the manifest in a folder names the plugin.
  private static func usesPlugin(_ folder: String) -> Bool {
    SystemCalls.read("\(folder)/Package.swift")?.contains("\"\(plugin)\"") ?? false
  }

  /// Returns the folders in a folder and in its `Benchmarks` that have suites, by their paths from there.
  private static func nestedPackages(in place: String) -> [String] {
    ["", "Benchmarks/"].flatMap { parent in
      let names = try? FileManager.default.contentsOfDirectory(atPath: "\(place)/\(parent)")
      return (names ?? []).sorted().map { parent + $0 }.filter { usesPlugin("\(place)/\($0)") }
    }
  }

  /// Returns the suites of a manifest that `swift package dump-package` printed; nil for other text.
  static func targets(of manifest: String) -> [String]? {
    struct Manifest: Decodable {
      struct Target: Decodable {
        struct Usage: Decodable {
          /// The names of the plugin and of its package.
          let plugin: [String?]?
        }

        let name: String
        let pluginUsages: [Usage]?
      }

      let targets: [Target]
    }
    guard let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(manifest.utf8)) else {
      return nil
    }
    return manifest.targets.filter { target in
      (target.pluginUsages ?? []).contains { $0.plugin?.first == plugin }
    }.map(\.name)
  }

  /// Returns the commands that build suites, to be run in the package.
  public static func build(_ targets: [String]) -> [[String]] {
    targets.map { ["swift", "build", "-c", "release", "-Xswiftc", "-g", "--product", $0] }
  }

  /// Builds suites where they are.
  ///
  /// - Parameters:
  ///   - targets: The targets.
  ///   - variables: The environment variables of the build.
  ///   - isCancelled: Whether the user wants to stop.
  ///   - begin: Called with each command before it runs.
  /// - Throws: `RunnerError.suiteNotBuilt` with the end of the output; `CancellationError`.
  public func build(
    _ targets: [String], variables: [String: String], isCancelled: @Sendable () -> Bool,
    begin: (_ command: String) -> Void
  ) throws {
    for command in Self.build(targets) {
      let text = command.joined(separator: " ")
      begin(text)
      let run = try Self.swift(
        Array(command.dropFirst()), in: folder, variables, seconds: 7200, isCancelled)
      if run.wasStopped { throw CancellationError() }
      guard run.status == 0 else {
        let lines = (run.output + "\n" + run.errors).split(separator: "\n").suffix(12)
        throw RunnerError.suiteNotBuilt(
          folder: folder, command: text, output: lines.map { "  \($0)" }.joined(separator: "\n"))
      }
    }
  }

  private static func swift(
    _ arguments: [String], in folder: String, _ variables: [String: String], seconds: UInt64,
    _ isCancelled: @Sendable () -> Bool
  ) throws(RunnerError) -> CommandRun {
    guard let swift = ProgramFinder.path(of: "swift", variables) else {
      throw .noSuitePackage(folder: folder, reason: "the program 'swift' is not in PATH")
    }
    return try CommandRun(
      swift, arguments, in: folder, environment: variables, seconds: seconds,
      isCancelled: isCancelled)
  }
}
