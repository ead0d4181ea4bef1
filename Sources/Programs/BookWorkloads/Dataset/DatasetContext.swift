internal import PerfWorkload

/// The properties that the contexts of `setup` and `init` share, so that both find the same data.
protocol DatasetContext {
  var parameters: ParameterValues { get }
  var seed: UInt64 { get }
  var cacheDirectory: String { get }
}

extension SetupContext: DatasetContext {}
extension PreparationContext: DatasetContext {}

extension BookDataset {
  /// Locates the books that the parameters of `DatasetRequest` describe.
  init(_ context: some DatasetContext) {
    self.init(DatasetRequest(context.parameters, seed: context.seed), cache: context.cacheDirectory)
  }
}

extension StoreDataset {
  /// Locates a number of works, each with a number of editions.
  init(_ context: some DatasetContext, works: Int, editions: Int) {
    self.init(works: works, editions: editions, seed: context.seed, cache: context.cacheDirectory)
  }
}

extension PaletteCovers {
  /// Locates the pictures of a width.
  init(
    _ context: some DatasetContext, pictures: PictureSet = .designs, width: Int,
    isProgressive: Bool = false
  ) {
    self.init(
      pictures: pictures, width: width, isProgressive: isProgressive, seed: context.seed,
      cache: context.cacheDirectory)
  }

  /// Creates the first pictures in the setup of a workload and returns the paths of their files.
  func setUp(
    _ context: SetupContext, count: Int = .max, label: String = "covers"
  ) throws -> [String] {
    try prepare(count) { context.progress(label, done: $0, total: $1) }
  }
}
