internal import CoverCache
internal import CoverPalette
internal import PerfWorkload

/// Extracts the palettes of painted or of the user's pictures with a selectable method.
struct PaletteExtract: Workload {
  static let name = "book.palette"
  static let summary = "Extracts the palettes of large covers from their files."
  static let method = Parameter(
    "method", default: PaletteMethod.blockMeans, "Method of reading a file.")
  static let counting = Parameter(
    "counting", default: ColorCounting.meanCube, "Method of counting colours.")
  static let width = Parameter(
    "width", default: 4_000, in: 16...10_000, "Width of a cover in pixels; its height is 3/2 of it."
  )
  static let pictures = Parameter(
    "pictures", default: PictureSet.designs,
    "Painted pictures: six designs (light, dark, noisy, saturated, photographic, grey) or 25 photographs."
  )
  static let folder = Parameter(
    "folder", default: "", "Folder of your pictures; empty for painted pictures.")
  static let count = Parameter(
    "count", default: 6, in: 1...1_000, "Largest number of pictures, the first ones of the set.")
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
    method, counting, pictures, folder, count, width, progressive, rounds, reference, burn,
  ]
  static let counters: [CounterDeclaration] = [
    .time(
      "palette.time", .lower, scale: .ratio,
      "Time to extract a palette from a file's bytes: mean over covers of the median over rounds."),
    .ratio(
      "palette.distance", .lower, isExact: true,
      "OKLab distance from the palette that the same histogram gives for all pixels: mean over roles and covers."
    ),
    .ratio(
      "palette.distance_max", .lower, isExact: true,
      "Largest mean over the roles of a cover in palette.distance."),
    .ratio(
      "palette.pixel_distance", .lower, isExact: true,
      "Mean OKLab distance from a pixel of the whole cover to the palette's nearest colour."),
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
  /// The palette of all pixels of each cover.
  private let references: [Palette]
  private let rounds: Int
  private let hasReference: Bool
  private let burn: Int

  init(_ context: PreparationContext) throws {
    let parameters = context.parameters
    let extractor = PaletteExtractor(
      method: parameters[Self.method], counting: parameters[Self.counting])
    let covers =
      try Self.folder(context)?.load() ?? Self.painted(context).load(parameters[Self.count])
    references = covers.map { extractor.palette(ofAll: $0.colours) }
    (self.extractor, self.covers) = (extractor, covers)
    rounds = parameters[Self.rounds]
    hasReference = parameters[Self.reference]
    burn = parameters[Self.burn]
  }

  func measure(_ context: MeasurementContext) throws {
    let before = try ProcessMemory.now().resident
    var palettes: [Palette?] = covers.map { _ in nil }
    var times = covers.map { _ in [Int]() }
    var decodings = times
    for _ in 0..<rounds {
      for (index, cover) in covers.enumerated() {
        times[index].append(
          try Self.time {
            palettes[index] = try Phase.palette.measure { () throws(CoverError) in
              try extractor.palette(of: cover.bytes, cover: cover.name)
            }
          })
        if hasReference {
          decodings[index].append(try Self.time { try Self.decodeAtAnEighth(cover) })
        }
      }
    }
    context.report("palette.memory", max(0, try ProcessMemory.now().peak - before))
    precondition(SelftestWork.stir(1, burn) != 0, "xorshift never yields zero")
    let time = Self.mean(times.map(Self.median))
    context.report("palette.time", time)
    let distances = zip(palettes, references).map { $0?.distance(to: $1) ?? 1 }
    context.report("palette.distance", Self.mean(distances))
    context.report("palette.distance_max", distances.max() ?? 1)
    let pixelDistances = zip(palettes, covers).map { palette, cover in
      cover.colours.distance(toNearestOf: palette?.roles ?? [])
    }
    context.report("palette.pixel_distance", Self.mean(pixelDistances))
    guard hasReference else { return }
    let reference = Self.mean(decodings.map(Self.median))
    context.report("palette.decode_time", reference)
    context.report("palette.time_ratio", time / reference)
  }

  static func setup(_ context: SetupContext) throws -> SetupResult {
    let report = DatasetReport(context)
    if let folder = Self.folder(context) {
      return SetupResult(files: try folder.prepare(report))
    }
    let count = context.parameters[Self.count]
    let files = try Self.painted(context).setUp(context, count: count)
    if files.count < count { report.warn(.fewerPictures(files.count, wanted: count)) }
    return SetupResult(files: files)
  }

  private static func painted(_ context: some DatasetContext) -> PaletteCovers {
    PaletteCovers(
      context, pictures: context.parameters[Self.pictures],
      width: context.parameters[Self.width],
      isProgressive: context.parameters[Self.progressive])
  }

  /// The user's pictures; nil without a folder.
  private static func folder(_ context: some DatasetContext) -> FolderPictures? {
    let folder = context.parameters[Self.folder]
    guard !folder.isEmpty else { return nil }
    return FolderPictures(
      folder: folder, count: context.parameters[Self.count], cache: context.cacheDirectory)
  }

  /// Decodes a cover at an eighth of its size, which still decodes every pixel.
  private static func decodeAtAnEighth(_ cover: PaletteCovers.Cover) throws(CoverError) {
    _ = try JPEGDecoder().decode(
      cover.bytes, covering: PixelSize(width: 1, height: 1), cover: cover.name)
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
