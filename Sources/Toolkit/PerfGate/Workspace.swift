internal import Foundation
public import PerfModel
public import PerfProfile
internal import PerfReport
public import PerfRunner
public import PerfScenario

/// The surroundings of a measurement: its folders, its environment variables and the wish to stop.
public struct Workspace: Sendable {
  /// The environment variables.
  public var variables: [String: String]
  /// The folder that relative paths start from.
  public var workingDirectory: String
  /// The folder of the built programs: workers and agent libraries are located in it.
  public var programDirectory: String
  /// The arguments of the command line, stored with each run so that it can be repeated.
  public var arguments: [String]
  /// The servers of missing debug files; nil for none.
  public var debugFileServers: DebugFileServers?
  /// The version of the harness, stored with each run.
  public let version: String
  /// Whether the user wants to stop.
  public private(set) var isCancelled: @Sendable () -> Bool

  /// Creates the surroundings of a measurement.
  public init(
    variables: [String: String], workingDirectory: String, programDirectory: String,
    arguments: [String] = [], version: String, isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.variables = variables
    self.workingDirectory = workingDirectory
    self.programDirectory = programDirectory
    self.arguments = arguments
    self.version = version
    self.isCancelled = isCancelled
  }

  /// The same surroundings, in which the user's stop has no effect.
  public var unstoppable: Workspace {
    var workspace = self
    workspace.isCancelled = { false }
    return workspace
  }

  /// The verb of the command that answers requests for symbols.
  public static let symbolicationVerb = "symbolicate"

  /// The path of the command for child processes: the built command, or else this program.
  public var program: String {
    let path = "\(programDirectory)/perfkit"
    return FileManager.default.isExecutableFile(atPath: path) ? path : "/proc/self/exe"
  }

  /// The child process that names addresses.
  public var symbolication: Symbolication {
    .child(
      SymbolicationChild(
        path: program, arguments: [Self.symbolicationVerb], servers: debugFileServers))
  }

  /// Finds workers and agent libraries in the folder of the built programs.
  public var finder: ProgramFinder {
    ProgramFinder(programDirectory: programDirectory, environment: variables)
  }

  /// Returns a finder that also looks for workers where a project builds them.
  ///
  /// - Parameters:
  ///   - products: The folder of the built workers; nil for none.
  ///   - build: The commands that build them, for messages.
  ///   - folder: The folder of the commands; nil without a project.
  /// - Returns: The finder, whose errors name the commands.
  public func projectFinder(
    products: String?, build: [[String]], in folder: String?
  ) -> ProgramFinder {
    var finder = finder
    finder.products = products
    if let folder, !build.isEmpty {
      let commands = build.map(Wording.command).joined(separator: " && ")
      finder.build = "`\(commands)` in '\(folder)'"
    }
    return finder
  }

  /// Returns the facts of the machine and of the checkout that contains the working directory.
  public func environment() -> Environment {
    EnvironmentProbe(directory: workingDirectory, variables: variables).environment()
  }

  /// Finds the checkout that contains the working directory.
  ///
  /// - Parameters:
  ///   - store: The path of the run store, which never counts as a change.
  ///   - isStoppable: Whether queries throw after the user's stop.
  /// - Returns: The checkout.
  /// - Throws: `RevisionError`.
  public func checkout(
    store: String? = nil, isStoppable: Bool = true
  ) throws(RevisionError) -> GitCheckout {
    try GitCheckout(
      containing: workingDirectory, variables: variables, store: store,
      isCancelled: isStoppable ? isCancelled : unstoppable.isCancelled)
  }

  /// Reads the project of a checkout that contains the working directory; nil if there is none.
  ///
  /// - Throws: `ScenarioError` for an invalid file.
  public func project(in checkout: GitCheckout) throws(ScenarioError) -> ProjectFile? {
    try ProjectFile.ofTree(checkout.root, at: workingDirectory)
  }

  /// Returns the time of the wall clock.
  public func now() -> Timestamp {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }

  /// Runs git queries, and throws when the user stops meanwhile.
  ///
  /// A cancelled query may return an incomplete answer, so that no answer counts after a stop.
  ///
  /// - Parameter query: Queries a checkout that observes `isCancelled`.
  /// - Returns: The result of the query.
  /// - Throws: The error of the query; `CancellationError` when the user wants to stop.
  public func unlessStopped<Value>(_ query: () throws -> Value) throws -> Value {
    let result = Result { try query() }
    guard !isCancelled() else { throw CancellationError() }
    return try result.get()
  }

  /// Returns a path that does not depend on the working directory.
  public func absolute(_ path: String) -> String {
    path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)"
  }

  /// Returns an absolute path relative to the working directory if the file is inside it.
  public func shown(_ path: String) -> String {
    path.hasPrefix(workingDirectory + "/")
      ? String(path.dropFirst(workingDirectory.count + 1)) : path
  }
}
