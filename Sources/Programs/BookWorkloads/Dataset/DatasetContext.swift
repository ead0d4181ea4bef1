internal import PerfWorkload

/// What the setup of a workload and its preparation know alike, so that both find the same data set.
protocol DatasetContext {
  /// The parameters of the run.
  var parameters: ParameterValues { get }
  /// The seed of the run.
  var seed: UInt64 { get }
  /// The absolute path of the folder that is kept between runs.
  var cacheDirectory: String { get }
}

extension SetupContext: DatasetContext {}
extension PreparationContext: DatasetContext {}

extension BookDataset {
  /// Finds the place of the books that the parameters of `DatasetRequest` ask for.
  init(_ context: some DatasetContext) throws {
    self.init(
      try DatasetRequest(context.parameters, seed: context.seed), cache: context.cacheDirectory)
  }
}

extension StoreDataset {
  /// Finds the place of as many works as the parameter says, each with so many editions.
  init(_ context: some DatasetContext, editions: Int) throws {
    self.init(
      works: try context.parameters.int("works"), editions: editions, seed: context.seed,
      cache: context.cacheDirectory)
  }

  /// The same, with as many editions as the parameter says.
  init(_ context: some DatasetContext) throws {
    try self.init(context, editions: try context.parameters.int("editions"))
  }
}
