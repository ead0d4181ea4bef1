internal import CoverCache
internal import CoverPalette
internal import PerfWorkload

/// Gets the palettes of covers of all impressions, in one of the ways that there are.
struct PaletteExtract: Workload {
  static let name = "book.palette"
  static let summary = "Gets the palettes of up to six large covers from their files."
  static let parameters: [ParameterDeclaration] = [
    .choice("method", default: PaletteMethod.blockMeans, "How a file is read."),
    .choice("counting", default: ColorCounting.meanCube, "How its colours are counted."),
    .int("width", default: 4_000, in: 16...10_000, "Pixels across; the height is half more."),
    .int(
      "covers", default: 6, in: 1...6,
      "How many: light, dark, noisy, saturated, photographic, grey."),
    .bool("progressive", default: false, "Whether the files are progressive."),
    .int("rounds", default: 5, in: 1...1_000, "How often the palette of each cover is got."),
    .bool("reference", default: false, "Whether libturbojpeg's 1/8 decode is timed in between."),
  ]
  static let counters = [
    CounterDeclaration(
      "palette.time", unit: .nanoseconds, direction: .lower, scale: .ratio,
      "Time of a palette from the file's bytes: the median over rounds, the mean over covers."),
    CounterDeclaration(
      "palette.distance", unit: .ratio, direction: .lower, isDeterministic: true,
      "Mean distance from the palette of all pixels in OKLab, where black and white are 1 apart."),
    CounterDeclaration(
      "palette.distance_max", unit: .ratio, direction: .lower, isDeterministic: true,
      "The largest such distance."),
    CounterDeclaration(
      "palette.memory", unit: .bytes, direction: .lower,
      "Memory at its peak over what was held before, the files among it."),
    CounterDeclaration(
      "palette.decode_time", unit: .nanoseconds, direction: .neutral, scale: .ratio,
      "Time of libturbojpeg's 1/8 decode of the same covers, in the same rounds; if asked for."),
    CounterDeclaration(
      "palette.time_ratio", unit: .ratio, direction: .lower, scale: .ratio,
      "palette.time by palette.decode_time; if asked for."),
  ]

  private let extractor: PaletteExtractor
  private let covers: [PaletteCovers.Cover]
  private let rounds: Int
  private let hasReference: Bool

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    extractor = PaletteExtractor(
      method: try parameters.choice("method"), counting: try parameters.choice("counting"))
    covers = try Self.covers(context).load(try parameters.int("covers"))
    rounds = try parameters.int("rounds")
    hasReference = try parameters.bool("reference")
  }

  func measure(_ context: MeasurementContext) throws {
    let before = try ProcessMemory.now().resident
    var palettes: [Palette?] = covers.map { _ in nil }
    var times = covers.map { _ in [Int]() }
    var references = times
    for _ in 0..<rounds {
      for (index, cover) in covers.enumerated() {
        times[index].append(
          try Self.time {
            palettes[index] = try Phase.palette.measure { () throws(CoverError) in
              try extractor.palette(of: cover.bytes, cover: cover.impression.rawValue)
            }
          })
        if hasReference {
          references[index].append(try Self.time { try Self.decodeAtAnEighth(cover) })
        }
      }
    }
    context.report("palette.memory", max(0, try ProcessMemory.now().peak - before))
    let time = Self.mean(times.map(Self.median))
    context.report("palette.time", time)
    let distances = zip(palettes, covers).map { $0?.distance(to: $1.truth) ?? 1 }
    context.report("palette.distance", Self.mean(distances))
    context.report("palette.distance_max", distances.max() ?? 1)
    guard hasReference else { return }
    let reference = Self.mean(references.map(Self.median))
    context.report("palette.decode_time", reference)
    context.report("palette.time_ratio", time / reference)
  }

  static func setup(_ context: SetupContext) throws -> SetupResult {
    let covers = try Self.covers(context)
    let files = try covers.prepare { context.progress("covers", done: $0, total: $1) }
    return SetupResult(files: files)
  }

  private static func covers(_ context: some DatasetContext) throws -> PaletteCovers {
    PaletteCovers(
      width: try context.parameters.int("width"),
      isProgressive: try context.parameters.bool("progressive"), seed: context.seed,
      cache: context.cacheDirectory)
  }

  /// What an eighth is at all: the same pixels, but every one of them decoded.
  private static func decodeAtAnEighth(_ cover: PaletteCovers.Cover) throws(CoverError) {
    _ = try JPEGDecoder().decode(
      cover.bytes, covering: PixelSize(width: 1, height: 1), cover: cover.impression.rawValue)
  }

  private static func time<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure)
    -> Int
  {
    let began = ContinuousClock.now
    try body()
    return (ContinuousClock.now - began).nanoseconds
  }

  private static func median(_ times: [Int]) -> Double {
    let sorted = times.sorted()
    let middle = sorted.count / 2
    let isOdd = !sorted.count.isMultiple(of: 2)
    return isOdd ? Double(sorted[middle]) : Double(sorted[middle - 1] + sorted[middle]) / 2
  }

  private static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
  }
}
