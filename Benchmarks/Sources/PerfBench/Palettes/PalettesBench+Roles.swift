internal import CoverCache
internal import CoverPalette
internal import PerfModel

/// The properties of the roles of a palette, and their change with the scale of the picture.
extension PalettesBench {
  /// The least OKLab distance of colours that are clearly different: twice the just visible difference.
  private static let clearly = 0.04
  /// A colour occurs in a picture if this share of its pixels is within two just visible differences.
  private static let occurrence = (share: 0.001, distance: 0.04)
  /// The just visible difference.
  private static let visible = 0.02

  func roles(_ pictures: [BenchPicture], _ table: FigureTable) throws {
    var three = 0
    var occurring = 0
    var contrasts: [Double] = []
    for picture in pictures {
      let palette = try PaletteExtractor().palette(of: picture.bytes, cover: picture.name)
      let colours = [palette.primary, palette.secondary, palette.accent]
      if Self.leastDistance(colours) >= Self.clearly { three += 1 }
      let least = (colours + [palette.background]).map {
        picture.reference.share(within: Self.occurrence.distance, of: $0)
      }
      if least.allSatisfy({ $0 >= Self.occurrence.share }) { occurring += 1 }
      contrasts.append(palette.text.contrast(with: palette.background))
    }
    let all = pictures.count
    table.add(
      "primary, secondary and accent are at least \(Self.clearly) apart",
      target: "\(all) of \(all)",
      measured: "\(three) of \(all)", isMet: three == all)
    table.add(
      "primary, secondary, accent and background occur in the picture", target: "\(all) of \(all)",
      measured: "\(occurring) of \(all)", isMet: occurring == all)
    let least = contrasts.min() ?? 0
    table.add(
      "least contrast of the text", target: ">= 4.5", measured: NumberFormat.human(least, .count),
      isMet: least >= 4.5)
  }

  private static func leastDistance(_ colours: [RGBA]) -> Double {
    let places = colours.map { OKLab($0) }
    return places.indices.flatMap { one in
      places[..<one].map { $0.distance(to: places[one]) }
    }.min() ?? 0
  }

  /// Compares the palette of each file with those of its thumbnails.
  func scales(_ pictures: [BenchPicture], _ table: FigureTable) throws {
    for side in [200, 400, 1_600] {
      var distances: [Double] = []
      for picture in pictures {
        let whole = try PaletteExtractor().palette(of: picture.bytes, cover: picture.name)
        // A box of this height limits the width of upright and of wide pictures.
        let box = PixelSize(width: side, height: side * 3 / 2)
        let small = try JPEGDecoder().decode(picture.bytes, fitting: box, cover: picture.name)
        let file = try JPEGEncoder(quality: 85).encode(small)
        let palette = try PaletteExtractor().palette(of: file, cover: picture.name)
        distances.append(palette.distance(to: whole))
      }
      let same = distances.count { $0 <= Self.visible }
      table.add(
        "a thumbnail of \(side) pixels has the palette of its file",
        target: "\(distances.count) of \(distances.count) within 0.02",
        measured:
          "\(same) of \(distances.count); median \(Self.distance(distances.median)), largest "
          + Self.distance(distances.max() ?? 0), isMet: same == distances.count)
    }
  }

  // MARK: - The case study

  /// Compares the case study's methods with the palette that their own histogram gives for all pixels.
  func study(_ pictures: [BenchPicture], _ table: FigureTable) throws {
    func distances(_ method: PaletteMethod) throws -> [Double] {
      let extractor = PaletteExtractor(method: method, counting: .nestedCube)
      return try pictures.map { picture in
        try extractor.palette(of: picture.bytes, cover: picture.name)
          .distance(to: extractor.palette(ofAll: picture.reference))
      }
    }
    let single = try distances(.singleScale)
    let multiple = try distances(.multiScale)
    let further = zip(single, multiple).count { $0 < $1 }
    let nearer = zip(single, multiple).count { $0 > $1 }
    table.add(
      "three scales are further from all pixels than one scale, in one histogram",
      measured: "further in \(further), nearer in \(nearer) of \(pictures.count); mean "
        + "\(Self.distance(multiple.mean)) with three, \(Self.distance(single.mean)) with one")
  }
}
