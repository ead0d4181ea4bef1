internal import ArgumentParser
internal import CoverCache
internal import CoverPalette
internal import Foundation
internal import PerfModel

/// The quality and the time of palettes, compared with k-means, Pillow and ColorThief.
struct PalettesBench: ParsableCommand {
  /// A part of the benchmark.
  enum Part: String, ExpressibleByArgument, CaseIterable {
    case quality
    case time
    case roles
    case scales
    case study
  }

  static let configuration = CommandConfiguration(
    commandName: "palettes",
    abstract: "Measure palettes of photographs against k-means, Pillow's quantize and ColorThief.",
    discussion: """
      Parts: \(Part.allCases.map(\.rawValue).joined(separator: ", ")). The pictures are 25 photograph-like \
      ones that BookWorkloads paints, or those of a folder. Pillow and ColorThief are used if the first \
      python3 in PATH has the packages Pillow and colorthief. Distances are in OKLab, where black and white \
      are 1 apart. Times are medians of one interleaved run.
      """)

  @Option(parsing: .upToNextOption, help: "Run only these parts, e.g. --only quality time.")
  var only: [Part] = Part.allCases

  @Option(help: "Rounds of the times, each of which measures every candidate once.")
  var rounds = 9

  @Option(help: "Width of the painted pictures in pixels; their height is 3/2 of it.")
  var width = 4_000

  @Option(help: "Folder of *.jpg files to measure instead of the painted pictures.")
  var folder: String?

  @Option(help: "Largest number of pictures.")
  var count = 25

  @Option(help: "Write the figures to this Markdown file.")
  var output: String?

  func run() throws {
    let pictures = try BenchPicture.load(folder: folder, width: width, count: count)
    let table = FigureTable()
    for part in Part.allCases where only.contains(part) {
      table.begin(part.rawValue)
      switch part {
      case .quality: try quality(pictures, table)
      case .time: try time(pictures, table)
      case .roles: try roles(pictures, table)
      case .scales: try scales(pictures, table)
      case .study: try study(pictures, table)
      }
    }
    if let output {
      try table.write(
        title: "Palettes of photographs",
        method: "Distances are in OKLab, where black and white are 1 apart",
        order: Part.allCases.map(\.rawValue), to: output)
    }
  }

  // MARK: - Quality

  /// The number of colours of every candidate: a palette has five roles.
  static let colours = 5

  private func quality(_ pictures: [BenchPicture], _ table: FigureTable) throws {
    func mean(_ colours: (BenchPicture) throws -> [RGBA]) throws -> Double {
      try pictures.map { $0.reference.distance(toNearestOf: try colours($0)) }.mean
    }
    let own = try mean { try PaletteExtractor().palette(of: $0.bytes, cover: $0.name).roles }
    let clusters = try mean { OKLabKMeans.colours(of: try $0.eighth(), count: Self.colours) }
    var peers = ["k-means in OKLab \(Self.distance(clusters))"]
    for peer in PythonPalette.allCases {
      guard let found = try peer.results(for: pictures, colours: Self.colours) else {
        peers.append(peer.missing)
        continue
      }
      let distance = zip(pictures, found).map { $0.reference.distance(toNearestOf: $1.colours) }
        .mean
      peers.append("\(peer.title) \(Self.distance(distance))")
    }
    table.add(
      "mean distance from a pixel to the nearest of \(Self.colours) colours, \(pictures.count) pictures",
      target: "<= 0.045", measured: Self.distance(own), peer: peers.joined(separator: "; "),
      isMet: own <= 0.045)
  }

  // MARK: - Time

  private func time(_ pictures: [BenchPicture], _ table: FigureTable) throws {
    let timed = Array(pictures.prefix(3))
    var times: [String: [Double]] = [:]
    let own = "a palette"
    let decode = "libturbojpeg's 1/8 decode"
    // The first round is a warm-up.
    for round in 0...rounds {
      var candidates: [(String, () throws -> Double?)] = [
        (
          own,
          {
            try Self.nanoseconds(timed) {
              _ = try PaletteExtractor().palette(of: $0.bytes, cover: $0.name)
            }
          }
        ),
        (decode, { try Self.nanoseconds(timed) { _ = try $0.eighth() } }),
        (
          "k-means of the 1/8 decode",
          {
            try Self.nanoseconds(timed) {
              _ = OKLabKMeans.colours(of: try $0.eighth(), count: Self.colours)
            }
          }
        ),
      ]
      for peer in PythonPalette.allCases {
        candidates.append(
          (
            peer.title,
            {
              try peer.results(for: timed, colours: Self.colours)?.map(\.nanoseconds).mean
            }
          ))
      }
      for (name, measure) in candidates.shuffled() {
        guard let value = try measure(), round > 0 else { continue }
        times[name, default: []].append(value)
      }
    }
    let ratios = zip(times[own] ?? [], times[decode] ?? []).map { $0 / $1 }
    let peers = times.filter { $0.key != own }.map { name, values in
      "\(name) \(NumberFormat.human(values.median, .time))"
    }
    let missing = PythonPalette.allCases.filter { times[$0.title] == nil }.map(\.missing)
    table.add(
      "time of a palette from a file, per picture", target: "<= 1 x libturbojpeg's 1/8 decode",
      measured: "\(try AuditSummary.text(ratios, .ratio)) of the decode; "
        + NumberFormat.human((times[own] ?? []).median, .time),
      peer: (peers.sorted() + missing).joined(separator: "; "), isMet: ratios.median <= 1)
  }

  private static func nanoseconds(
    _ pictures: [BenchPicture], _ body: (BenchPicture) throws -> Void
  ) throws -> Double {
    let began = DispatchTime.now()
    for picture in pictures { try body(picture) }
    let elapsed = DispatchTime.now().uptimeNanoseconds - began.uptimeNanoseconds
    return Double(elapsed) / Double(pictures.count)
  }

  static func distance(_ value: Double) -> String { String(format: "%.4f", value) }
}
