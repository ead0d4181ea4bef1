/// What a workload's `setup` is given.
public struct SetupContext: Sendable {
  /// The parameters of the run.
  public let parameters: ParameterValues
  /// The seed of the run, for everything that is made up.
  public let seed: UInt64
  /// The absolute path of a folder that is kept between runs; it may not exist yet.
  public let cacheDirectory: String

  private let report: @Sendable (_ label: String, _ done: Int, _ total: Int) -> Void
  private let sink: @Sendable (WorkloadWarning) -> Void

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - parameters: The parameters of the run.
  ///   - seed: The seed of the run.
  ///   - cacheDirectory: The absolute path of a folder that is kept between runs.
  ///   - progress: Takes the progress that is reported; any thread.
  ///   - warning: Takes the warnings; any thread.
  public init(
    parameters: ParameterValues, seed: UInt64, cacheDirectory: String,
    progress: @escaping @Sendable (_ label: String, _ done: Int, _ total: Int) -> Void = {
      _, _, _ in
    },
    warning: @escaping @Sendable (WorkloadWarning) -> Void = { _ in }
  ) {
    self.parameters = parameters
    self.seed = seed
    self.cacheDirectory = cacheDirectory
    report = progress
    sink = warning
  }

  /// Says how far the setup has come, for the user's progress bar.
  ///
  /// Any thread.
  public func progress(_ label: String, done: Int, total: Int) {
    report(label, done, total)
  }

  /// Adds a warning to the run.
  ///
  /// Any thread.
  public func warn(_ code: String, _ message: String, remedy: String) {
    sink(WorkloadWarning(code: code, message: message, remedy: remedy))
  }
}

/// What a workload's `setup` has made.
public struct SetupResult: Equatable, Sendable {
  /// Absolute paths of the files that a cold page cache is to be without.
  public var files: [String]
  /// What is stored with the run, as the version of a data set.
  public var notes: [String: String]

  /// Creates a result.
  public init(files: [String] = [], notes: [String: String] = [:]) {
    self.files = files
    self.notes = notes
  }
}
