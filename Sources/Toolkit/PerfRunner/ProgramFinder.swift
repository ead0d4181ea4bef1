internal import Foundation
internal import Glibc
public import PerfModel

/// Finds workers, commands and the agent on this machine.
public struct ProgramFinder: Sendable {
  /// The folder of the `perfkit` program.
  public let programDirectory: String
  /// The environment variables.
  public let environment: [String: String]
  /// The folder of a project's workers, for names that are not beside the command.
  public var products: String?
  /// How the project builds its workers, for messages, such as "`make` in '/project'"; nil if unknown.
  public var build: String?

  /// Creates a finder.
  public init(programDirectory: String, environment: [String: String]) {
    self.programDirectory = programDirectory
    self.environment = environment
  }

  /// Returns the path of a scenario's program.
  ///
  /// - Parameters:
  ///   - worker: The worker of the scenario; relative paths start at `directory`.
  ///   - directory: The folder of the scenario file.
  ///   - other: Another folder for relative paths of commands: the working directory.
  /// - Returns: An absolute path of an executable file.
  /// - Throws: `RunnerError.workerNotFound` or `commandNotFound` with the searched places, or
  ///   `notExecutable`.
  public func path(
    of worker: Scenario.Worker, directory: String, or other: String? = nil
  ) throws(RunnerError) -> String {
    switch worker {
    case .product(let name):
      let folders = [programDirectory, products, Self.isFolder(installed) ? installed : nil]
        .compactMap(\.self)
      return try first(of: folders.map { "\($0)/\(name)" }, name: name)
    case .path(let path):
      return try first(of: [absolute(path, in: directory)], name: path)
    case .command(let words):
      guard let name = words.first, !name.isEmpty else {
        throw .commandNotFound(name: "", searched: [])
      }
      let places =
        name.contains("/")
        ? [directory, other].compactMap { $0.map { absolute(name, in: $0) } }.uniqued()
        : Self.places(of: name, environment)
      guard let found = places.first(where: Self.isExecutableFile) else {
        if let file = places.first(where: { access($0, F_OK) == 0 }) {
          throw Self.isFolder(file) ? .folder(path: file) : .notExecutable(path: file)
        }
        throw .commandNotFound(name: name, searched: places)
      }
      return found
    }
  }

  /// Returns the path of an agent library.
  ///
  /// - Parameter library: The library.
  /// - Returns: An absolute path, or the value of its environment variable.
  /// - Throws: `RunnerError.agentNotFound` with the searched places, or `agentUnloadable`.
  public func agent(_ library: AgentLibrary) throws(RunnerError) -> String {
    let name = library.rawValue
    let places =
      environment[library.variable].flatMap { $0.isEmpty ? nil : [$0] }
      ?? ["\(programDirectory)/\(name)", "\(installed)/\(name)"]
    guard let found = places.first(where: { access($0, R_OK) == 0 }) else {
      throw .agentNotFound(library, searched: places)
    }
    // By ld.so(8) there is no escape for these characters, and unloadable libraries are ignored.
    if found.contains(where: { $0 == " " || $0 == ":" }) {
      throw .agentUnloadable(library, path: found)
    }
    return found
  }

  /// The folder of an installation's agent libraries and workers; a checkout has none.
  private var installed: String {
    URL(fileURLWithPath: "\(programDirectory)/../lib/perfkit").standardizedFileURL.path
  }

  /// The path of a Swift package with the library PerfWorkload: the installed one, or the checkout
  /// that contains the program; nil if there is neither.
  public var supportPackage: String? {
    let places =
      ["\(programDirectory)/../share/perfkit/PerfWorkload"]
      + (1...4).map { programDirectory + String(repeating: "/..", count: $0) }
    return places.first { place in
      ["Package.swift", "Sources"].allSatisfy { access("\(place)/\($0)", R_OK) == 0 }
        && ["", "/Agent"].contains { access("\(place)/Sources\($0)/PerfWorkload", R_OK) == 0 }
    }.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
  }

  /// Returns the path of a program in PATH, or nil.
  static func path(of name: String, _ environment: [String: String]) -> String? {
    places(of: name, environment).first(where: isExecutableFile)
  }

  private static func places(of name: String, _ environment: [String: String]) -> [String] {
    (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
  }

  private func absolute(_ path: String, in directory: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    let place = "\(directory)/\(path)"
    // An older revision may lack the folder of the scenario, from which the path starts.
    return Self.isFolder(directory) ? place : URL(fileURLWithPath: place).standardizedFileURL.path
  }

  private func first(of places: [String], name: String) throws(RunnerError) -> String {
    guard let found = places.first(where: Self.isExecutableFile) else {
      throw .workerNotFound(name: name, searched: places, build: build)
    }
    return found
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  private static func isExecutableFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && access(path, X_OK) == 0
  }
}
