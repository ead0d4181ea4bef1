internal import CoverCache
internal import CoverPalette
internal import PerfWorkload

/// Extracts the palettes of covers of all impressions with a selectable method.
struct PaletteExtract: Workload {
  static let name = "book.palette"
  static let summary = "Extracts the palettes of up to six large covers from their files."
  static let method = Parameter(
    "method", default: PaletteMethod.blockMeans, "Method of reading a file.")
  static let counting = Parameter(
    "counting", default: ColorCounting.meanCube, "Method of counting colours.")
  static let width = Parameter(
    "width", default: 4_000, in: 16...10_000, "Width of a cover in pixels; its height is 3/2 of it."
  )
  static let covers = Parameter(
    "covers", default: 6, in: 1...6,
    "Covers, in the order light, dark, noisy, saturated, photographic, grey.")
  static let progressive = Parameter(
    "progressive", default: false, "Whether the files are progressive.")
  static let rounds = Parameter(
    "rounds", default: 5, in: 1...1_000, "Times that each palette is extracted.")
  static let reference = Parameter(
    "reference", default: false, "Whether libturbojpeg's 1/8 decode is also timed.")
  static let burn = Parameter(
    "burn", default: 0, in: 0...1_000_000_000,
    "Steps of unrelated work at the end, by which a change of known size is simulated.")
  static let parameters: [any WorkloadParameter] = [
    method, counting, width, covers, progressive, rounds, reference, burn,
  ]
  static let counters: [CounterDeclaration] = [
    .time(
      "palette.time", .lower, scale: .ratio,
      "Time to extract a palette from a file's bytes: mean over covers of the median over rounds."),
    .ratio(
      "palette.distance", .lower, isExact: true,
      "Mean OKLab distance from the palette of all pixels; black and white have distance 1."),
    .ratio(
      "palette.distance_max", .lower, isExact: true,
      "Largest OKLab distance from the palette of all pixels."),
    .bytes("palette.memory", .lower, "Peak memory above the memory before the extraction."),
    .time(
      "palette.decode_time", .neutral, scale: .ratio,
      "Time of libturbojpeg's 1/8 decode of the same covers, if 'reference' is set."),
    .ratio(
      "palette.time_ratio", .lower, scale: .ratio,
      "palette.time divided by palette.decode_time, if 'reference' is set."),
  ]

  private let extractor: PaletteExtractor
  private let covers: [PaletteCovers.Cover]
  private let rounds: Int
  private let hasReference: Bool
  private let burn: Int

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    extractor = PaletteExtractor(
      method: parameters[Self.method], counting: parameters[Self.counting])
    covers = try Self.covers(context).load(parameters[Self.covers])
    rounds = parameters[Self.rounds]
    hasReference = parameters[Self.reference]
    burn = parameters[Self.burn]
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
    precondition(SelftestWork.stir(1, burn) != 0, "xorshift never yields zero")
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
    SetupResult(files: try covers(context).setUp(context))
  }

  private static func covers(_ context: some DatasetContext) -> PaletteCovers {
    PaletteCovers(
      context, width: context.parameters[Self.width],
      isProgressive: context.parameters[Self.progressive])
  }

  /// Decodes a cover at an eighth of its size, which still decodes every pixel.
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
