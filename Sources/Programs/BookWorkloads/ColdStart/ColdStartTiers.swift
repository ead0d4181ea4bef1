internal import CoverCache
internal import CoverPalette
internal import Foundation

/// The disk tiers that a start finds if the app has run before.
enum ColdStartTiers {
  /// Opens the cache of covers, with or without its disk tier.
  static func covers(of dataset: BookDataset, disk: Bool) throws(CoverError) -> CoverCache {
    let tier = disk ? try DiskTier(directory: dataset.startFolders[0]) : nil
    return try CoverCache(source: dataset.covers, disk: tier)
  }

  /// Opens the cache of palettes, with or without its disk tier.
  static func palettes(of dataset: BookDataset, disk: Bool) throws(CoverError) -> PaletteCache {
    guard disk else { return PaletteCache() }
    return PaletteCache(
      disk: try DiskTier(
        directory: dataset.startFolders[1], maximumAge: PaletteCache.maximumAge))
  }

  /// Fills both tiers as an earlier start would have.
  ///
  /// They are filled for each run, because the covers of a user's folder may have changed and
  /// because objects expire.
  ///
  /// - Returns: The files of the tiers.
  static func fill(for names: [String], of dataset: BookDataset) throws -> [String] {
    let folders = dataset.startFolders
    for folder in folders where FileManager.default.fileExists(atPath: folder) {
      try FileManager.default.removeItem(atPath: folder)
    }
    let covers = try covers(of: dataset, disk: true)
    let palettes = try palettes(of: dataset, disk: true)
    for name in names {
      try palettes.palette(for: name) { () throws(CoverError) in try covers.load(name) }
    }
    // The tiers' lock files have no content.
    return try folders.flatMap { folder in
      try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        .filter { !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }
    }
  }
}

extension BookDataset {
  /// The folders of the covers and the palettes of a start.
  fileprivate var startFolders: [String] { ["\(folder)/start-covers", "\(folder)/start-palettes"] }
}
