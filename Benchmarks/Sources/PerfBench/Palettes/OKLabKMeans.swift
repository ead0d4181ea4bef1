internal import CoverCache
internal import CoverPalette
internal import PerfModel

/// Lloyd's k-means of all pixels in OKLab, seeded by k-means++.
///
/// Sources: S. P. Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory
/// 28(2), 1982, doi:10.1109/TIT.1982.1056489; D. Arthur, S. Vassilvitskii, "k-means++: the advantages
/// of careful seeding", SODA 2007.
enum OKLabKMeans {
  private static let mostSteps = 30
  /// The sum of squared moves below which the centres are final.
  private static let leastMove: Float = 1e-7

  private struct Cluster {
    var place = SIMD4<Float>.zero
    var colour = SIMD4<Float>.zero
    var count: Float = 0
  }

  /// Returns the mean colours of the clusters of a picture; equal pictures give equal colours.
  static func colours(of picture: PixelBuffer, count: Int) -> [RGBA] {
    let colours = picture.withPixels { pixels in
      pixels.indices.map { pixels[$0] }
    }
    let places = colours.map { colour in
      let lab = OKLab(colour)
      return SIMD4(Float(lab.lightness), Float(lab.greenRed), Float(lab.blueYellow), 0)
    }
    var centres = seeds(places, count: count)
    var clusters: [Cluster] = []
    for _ in 0..<mostSteps {
      clusters = Array(repeating: Cluster(), count: centres.count)
      for (colour, place) in zip(colours, places) {
        let index = nearest(place, centres).index
        clusters[index].place += place
        clusters[index].colour +=
          SIMD4(Float(colour.red), Float(colour.green), Float(colour.blue), 0)
        clusters[index].count += 1
      }
      let moved = clusters.indices.map { index in
        clusters[index].count > 0
          ? clusters[index].place / clusters[index].count : centres[index]
      }
      let move = zip(moved, centres).reduce(0) { $0 + squared($1.0 - $1.1) }
      centres = moved
      if move < leastMove { break }
    }
    return clusters.filter { $0.count > 0 }.map { cluster in
      let mean = (cluster.colour / cluster.count).rounded(.toNearestOrAwayFromZero)
      return RGBA(red: UInt8(mean.x), green: UInt8(mean.y), blue: UInt8(mean.z))
    }
  }

  /// Draws each centre with a probability in proportion to its squared distance from the others.
  private static func seeds(_ places: [SIMD4<Float>], count: Int) -> [SIMD4<Float>] {
    var random = SeededGenerator(seed: 1)
    var centres = [places[Int(random.next() % UInt64(places.count))]]
    while centres.count < count {
      let squares = places.map { nearest($0, centres).square }
      var rest = Float(random.next() >> 40) * 0x1p-24 * squares.reduce(0, +)
      let index = squares.firstIndex { square in
        rest -= square
        return rest < 0
      }
      centres.append(places[index ?? places.count - 1])
    }
    return centres
  }

  private static func nearest(
    _ place: SIMD4<Float>, _ centres: [SIMD4<Float>]
  ) -> (index: Int, square: Float) {
    var best = (index: 0, square: Float.infinity)
    for index in centres.indices {
      let square = squared(place - centres[index])
      if square < best.square { best = (index, square) }
    }
    return best
  }

  private static func squared(_ vector: SIMD4<Float>) -> Float { (vector * vector).sum() }
}
