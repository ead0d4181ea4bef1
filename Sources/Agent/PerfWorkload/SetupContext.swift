/// The input of a workload's `setup`.
public struct SetupContext: Sendable {
  /// The parameter values of the run.
  public let parameters: ParameterValues
  /// The seed of the run, from which all random data must be made.
  public let seed: UInt64
  /// The absolute path of a folder that is kept between runs and may not exist yet.
  public let cacheDirectory: String

  private let report: @Sendable (_ label: String, _ done: Int, _ total: Int) -> Void
  private let sink: @Sendable (WorkerMessage.Warning) -> Void

  /// Creates a context; any thread may call `progress` and `warning`.
  package init(
    parameters: ParameterValues, seed: UInt64, cacheDirectory: String,
    progress: @escaping @Sendable (_ label: String, _ done: Int, _ total: Int) -> Void = {
      _, _, _ in
    },
    warning: @escaping @Sendable (WorkerMessage.Warning) -> Void = { _ in }
  ) {
    self.parameters = parameters
    self.seed = seed
    self.cacheDirectory = cacheDirectory
    report = progress
    sink = warning
  }

  /// Returns the value of a parameter.
  ///
  /// - Precondition: The workload lists the parameter in its `parameters`.
  public subscript<Value>(parameter: Parameter<Value>) -> Value { parameters[parameter] }

  /// Reports progress, which `perfkit` shows to the user.
  ///
  /// Any thread.
  ///
  /// - Parameters:
  ///   - label: The kind of the items, e.g. `covers`.
  ///   - done: The number of finished items.
  ///   - total: The number of all items.
  public func progress(_ label: String, done: Int, total: Int) {
    report(label, done, total)
  }

  /// Adds a warning to the run's report.
  ///
  /// Any thread.
  ///
  /// - Parameters:
  ///   - code: A stable dotted code, e.g. `cover.skipped`.
  ///   - message: What happened, in one sentence.
  ///   - remedy: How the user can respond, in one sentence.
  public func warn(code: String, message: String, remedy: String) {
    sink(WorkerMessage.Warning(code: code, message: message, remedy: remedy))
  }
}

/// The result of a workload's `setup`.
public struct SetupResult: Equatable, Sendable {
  /// Absolute paths of the files that the launches read.
  ///
  /// A scenario with a cold page cache removes them from the kernel's page cache before each launch.
  public var files: [String]
  /// Facts that are stored with the run, such as the version of a data set.
  public var notes: [String: String]

  /// Creates a result.
  public init(files: [String] = [], notes: [String: String] = [:]) {
    self.files = files
    self.notes = notes
  }
}
