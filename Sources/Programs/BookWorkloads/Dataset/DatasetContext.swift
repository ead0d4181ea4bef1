internal import PerfWorkload

/// The properties that the contexts of `setup` and `init` share, so that both find the same data.
protocol DatasetContext {
  /// The parameter values of the run.
  var parameters: ParameterValues { get }
  /// The seed of the run.
  var seed: UInt64 { get }
  /// The absolute path of the folder that is kept between runs.
  var cacheDirectory: String { get }
}

extension SetupContext: DatasetContext {}
extension PreparationContext: DatasetContext {}

extension BookDataset {
  /// Locates the books that the parameters of `DatasetRequest` describe.
  init(_ context: some DatasetContext) {
    self.init(
      DatasetRequest(context.parameters, seed: context.seed), cache: context.cacheDirectory)
  }
}

extension StoreDataset {
  /// Locates a number of works, each with a number of editions.
  init(_ context: some DatasetContext, works: Int, editions: Int) {
    self.init(works: works, editions: editions, seed: context.seed, cache: context.cacheDirectory)
  }
}
