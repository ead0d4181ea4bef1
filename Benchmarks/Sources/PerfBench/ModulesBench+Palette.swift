internal import CoverCache
internal import CoverPalette
internal import Foundation
internal import PerfModel

/// The time and memory of palettes, and their distance from the palette of all pixels.
extension ModulesBench {
  /// Covers of one kind made by the worker: of 24 megapixels and with different impressions.
  private struct Covers {
    let files: [[UInt8]]
    let paths: [String]
  }

  private static let seeds: [UInt64] = [1, 2, 3]

  func palette(_ table: FigureTable) throws {
    let workshop = try BenchWorkshop()
    defer { workshop.close() }
    let cache = FileManager.default.currentDirectoryPath + "/.perfkit/data"
    let found = try quality(workshop, cache)
    try times(isProgressive: false, cache, table)
    try times(isProgressive: true, cache, table)
    table.add(
      "OKLab distance of a palette from that of all pixels, \(found.covers) covers",
      target: "<= 0.02 in the mean",
      measured: "baseline \(Self.distance(found.baseline)), progressive "
        + "\(Self.distance(found.progressive)), most \(Self.distance(found.most))",
      peer: "three scales in nested arrays \(Self.distance(found.multiScale))",
      isMet: max(found.baseline, found.progressive) <= 0.02)
    try memory(workshop, cache, table)
    try tiers(workshop, cache, table)
  }

  // MARK: - Quality

  private struct Quality {
    var covers = 0
    var baseline = 0.0
    var progressive = 0.0
    var most = 0.0
    var multiScale = 0.0
  }

  /// Makes missing covers, which takes a minute, and extracts each palette once.
  private func quality(_ workshop: BenchWorkshop, _ cache: String) throws -> Quality {
    var quality = Quality()
    let part = 1 / Double(Self.seeds.count)
    for seed in Self.seeds {
      func distance(_ parameters: Parameters, _ metric: String) throws -> Double {
        try Self.launch("book.palette", parameters, workshop, cache, seed: seed)[metric] ?? .nan
      }
      for isProgressive in [false, true] {
        let parameters: Parameters = ["rounds": .int(1), "progressive": .bool(isProgressive)]
        let mean = try distance(parameters, "palette.distance") * part
        if isProgressive { quality.progressive += mean } else { quality.baseline += mean }
        quality.most = max(quality.most, try distance(parameters, "palette.distance_max"))
      }
      let old: Parameters = [
        "rounds": .int(1), "method": .string(PaletteMethod.multiScale.rawValue),
        "counting": .string(ColorCounting.nestedCube.rawValue),
      ]
      quality.multiScale += try distance(old, "palette.distance") * part
      quality.covers += 6
    }
    return quality
  }

  private static func distance(_ value: Double) -> String { String(format: "%.4f", value) }

  // MARK: - Time

  private func times(isProgressive: Bool, _ cache: String, _ table: FigureTable) throws {
    let covers = try Self.covers(isProgressive: isProgressive, cache)
    let extractor = PaletteExtractor()
    let means = "means of blocks"
    let decode = "libturbojpeg's 1/8 decode"
    let times = try interleaved([
      (means, { try Self.time(covers) { _ = try extractor.palette(of: $0, cover: "cover") } }),
      (
        decode,
        {
          try Self.time(covers) { file in
            let box = PixelSize(width: 1, height: 1)
            _ = try JPEGDecoder().decode(file, covering: box, cover: "cover")
          }
        }
      ),
    ])
    let ratios = zip(times[means] ?? [], times[decode] ?? []).map { $0 / $1 }
    table.add(
      "palette of a \(isProgressive ? "progressive" : "baseline") JPEG of 24 megapixels",
      target: "<= 1 x libturbojpeg's 1/8 decode",
      measured: "\(try AuditSummary.text(ratios, .ratio)) of the decode; "
        + "\(NumberFormat.human((times[means] ?? []).median, .time)) per cover",
      peer: "the decode \(NumberFormat.human((times[decode] ?? []).median, .time)); "
        + (isProgressive ? "" : try peers(covers)),
      isMet: ratios.median <= 1)
  }

  private func peers(_ covers: Covers) throws -> String {
    let naive = PaletteExtractor(method: .everyPixel)
    let time = try Self.time(covers) { _ = try naive.palette(of: $0, cover: "cover") }
    let scripts = [
      ("Pillow draft + quantize", "PIL", Self.pillow), ("ColorThief", "colorthief", Self.thief),
    ]
    return try
      (["every pixel \(NumberFormat.human(time, .time))"]
      + scripts.map { name, module, script in
        try Self.python(script, covers).map { "\(name) \(NumberFormat.human($0, .time))" }
          ?? "\(name): not installed (Python module \(module))"
      }).joined(separator: "; ")
  }

  private static let pillow = """
    import sys, time
    from PIL import Image
    began = time.perf_counter()
    for path in sys.argv[1:]:
        image = Image.open(path)
        image.draft("RGB", (500, 750))
        image.convert("RGB").quantize(colors=16)
    print(int((time.perf_counter() - began) * 1e9))
    """

  private static let thief = """
    import sys, time
    from colorthief import ColorThief
    began = time.perf_counter()
    for path in sys.argv[1:]:
        ColorThief(path).get_palette(color_count=6)
    print(int((time.perf_counter() - began) * 1e9))
    """

  /// Returns the nanoseconds per cover that a script prints; nil when it does not run.
  private static func python(_ script: String, _ covers: Covers) throws -> Double? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script] + covers.paths
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    return Double(text).map { $0 / Double(covers.paths.count) }
  }

  /// Returns the mean time per cover in nanoseconds.
  private static func time(_ covers: Covers, _ body: ([UInt8]) throws -> Void) throws -> Double {
    let began = DispatchTime.now()
    for file in covers.files { try body(file) }
    let elapsed = DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds
    return Double(elapsed) / Double(covers.files.count)
  }

  /// Reads the covers that a launch has left in the folder of data sets.
  private static func covers(isProgressive: Bool, _ cache: String) throws -> Covers {
    let kind = isProgressive ? "progressive" : "baseline"
    let folders = try FileManager.default.contentsOfDirectory(atPath: cache)
      .filter { $0.hasPrefix("palettes-") && $0.hasSuffix("-4000x6000-\(kind)-seed\(seeds[0])") }
    guard let folder = folders.max() else {
      throw BenchError(description: "book.palette left no covers in '\(cache)'")
    }
    let paths = try FileManager.default.contentsOfDirectory(atPath: "\(cache)/\(folder)").sorted()
      .filter { $0.hasSuffix(".jpg") }.map { "\(cache)/\(folder)/\($0)" }
    return Covers(
      files: try paths.map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0))) }, paths: paths
    )
  }

  // MARK: - Memory and tiers

  private func memory(
    _ workshop: BenchWorkshop, _ cache: String, _ table: FigureTable
  ) throws {
    func peak(_ parameters: Parameters) throws -> Double {
      let all = try (0..<3).map { _ in
        try Self.launch(
          "book.palette", parameters.merging(["rounds": .int(1)]) { $1 }, workshop, cache,
          seed: Self.seeds[0])["palette.memory"] ?? .nan
      }
      return all.max() ?? .nan
    }
    let own = try peak([:])
    let progressive = try peak(["progressive": .bool(true)])
    let naive = try peak(["method": .string(PaletteMethod.everyPixel.rawValue)])
    table.add(
      "peak memory of a palette beyond the file", target: "<= 8 MB baseline",
      measured: "baseline \(NumberFormat.human(own, .size)), progressive "
        + NumberFormat.human(progressive, .size),
      peer: "every pixel \(NumberFormat.human(naive, .size))", isMet: own <= 8e6)
  }

  private func tiers(
    _ workshop: BenchWorkshop, _ cache: String, _ table: FigureTable
  ) throws {
    let launches = try (0..<5).map { _ in
      try Self.launch("book.palettes", [:], workshop, cache, seed: Self.seeds[0])
    }
    let limits = [("memory", 1e4), ("disk", 1e6), ("extraction", 25e6)]
    let times = limits.map { tier, _ in
      launches.map { $0["palettes.\(tier)_time"] ?? .nan }.median
    }
    let counts = ["from_memory", "from_disk", "extracted"].map { name in
      "\(Int(launches[0]["palettes.\(name)"] ?? 0))"
    }
    table.add(
      "1,247 palette requests: \(counts.joined(separator: ", ")) from memory, disk, covers",
      target: "<= 0.01, 1, 25 ms",
      measured: times.map { NumberFormat.human($0, .time) }.joined(separator: ", "),
      peer: "case study: under 1, 8, 82 ms",
      isMet: zip(times, limits).allSatisfy { $0 <= $1.1 })
  }

  private static func launch(
    _ workload: String, _ parameters: Parameters, _ workshop: BenchWorkshop, _ cache: String,
    seed: UInt64
  ) throws -> [String: Double] {
    try workshop.launch(
      workload, worker: "BookWorkloads", parameters: parameters,
      setting: BenchWorkshop.Setting(name: "palette"), cache: cache, seed: seed
    ).launch.metrics
  }
}
