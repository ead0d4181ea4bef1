/// The input of a workload's `init`.
public struct PreparationContext: Sendable {
  /// The parameter values of the run.
  public let parameters: ParameterValues
  /// The seed of the run, which is the same in all its launches.
  public let seed: UInt64
  /// The number of the launch in its run, from 0.
  public let launch: Int
  /// The absolute path of the folder in which `setup` stored its data.
  public let cacheDirectory: String
  /// The absolute path of an empty folder for this launch, which the harness removes.
  public let scratchDirectory: String

  private let sink: @Sendable (WorkerMessage.Warning) -> Void

  package init(
    parameters: ParameterValues, seed: UInt64, launch: Int, cacheDirectory: String,
    scratchDirectory: String,
    warning: @escaping @Sendable (WorkerMessage.Warning) -> Void = { _ in }
  ) {
    self.parameters = parameters
    self.seed = seed
    self.launch = launch
    self.cacheDirectory = cacheDirectory
    self.scratchDirectory = scratchDirectory
    sink = warning
  }

  /// Returns the value of a parameter.
  ///
  /// - Precondition: The workload lists the parameter in its `parameters`.
  public subscript<Value>(parameter: Parameter<Value>) -> Value { parameters[parameter] }

  /// Adds a warning to the run's report, from any thread, as
  /// ``SetupContext/warn(code:message:remedy:)`` does.
  public func warn(code: String, message: String, remedy: String) {
    sink(WorkerMessage.Warning(code: code, message: message, remedy: remedy))
  }
}
