/// What a workload's `init` is given.
public struct PreparationContext: Sendable {
  /// The parameters of the run.
  public let parameters: ParameterValues
  /// The seed of the run; the same for all its iterations.
  public let seed: UInt64
  /// The number of the iteration, from 0.
  public let iteration: Int
  /// The absolute path of the folder that `setup` had.
  public let cacheDirectory: String
  /// The absolute path of an empty folder of this iteration alone; the harness removes it.
  public let scratchDirectory: String

  private let sink: @Sendable (WorkloadWarning) -> Void

  /// Creates a context.
  public init(
    parameters: ParameterValues, seed: UInt64, iteration: Int, cacheDirectory: String,
    scratchDirectory: String, warning: @escaping @Sendable (WorkloadWarning) -> Void = { _ in }
  ) {
    self.parameters = parameters
    self.seed = seed
    self.iteration = iteration
    self.cacheDirectory = cacheDirectory
    self.scratchDirectory = scratchDirectory
    sink = warning
  }

  /// Adds a warning to the run.
  ///
  /// Any thread.
  public func warn(_ code: String, _ message: String, remedy: String) {
    sink(WorkloadWarning(code: code, message: message, remedy: remedy))
  }
}
