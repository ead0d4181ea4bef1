/// The debug sections of a file, inflated where they are compressed.
final class DwarfSections {
  /// Keep the bytes alive.
  private var owners: [AnyObject]
  let addressRanges: DwarfSection
  let info: DwarfSection
  let abbreviations: DwarfSection
  let texts: DwarfSection
  let textOffsets: DwarfSection
  let lines: DwarfSection
  let lineTexts: DwarfSection
  let ranges: DwarfSection
  let rangeLists: DwarfSection
  let addresses: DwarfSection
  /// What may still be read of them.
  let allowance: ReadAllowance
  /// Those of the file that several files share.
  var shared: DwarfSections?
  /// Whether something was asked for that is in such a file, and cannot be read.
  var lacksShared = false

  /// Those that are read; others, as that of variables' places, are as large.
  private static let names: Set = [
    "aranges", "info", "abbrev", "str", "str_offsets", "line", "line_str", "ranges", "rnglists",
    "addr",
  ]

  /// Finds the sections.
  ///
  /// It is nil when the file has no debug information, or such that is compressed in another way than
  /// zlib's.
  ///
  /// - Parameters:
  ///   - image: The file.
  ///   - needsEntries: False when there may be nothing but texts.
  /// - Throws: `image` when a compressed section cannot be read.
  init?(_ image: ElfImage, needsEntries: Bool = true) throws(PerfProfileError) {
    var found: [String: DwarfSection] = [:]
    var compressed: [(name: String, section: ElfImage.Section)] = []
    for (name, section) in image.sections() where name.hasPrefix(".debug_") && section.bytes > 0 {
      let name = String(name.dropFirst(".debug_".count))
      guard Self.names.contains(name) else { continue }
      found[name] = DwarfSection(bytes: image.memory.bytes(of: section))
      if section.isCompressed { compressed.append((name, section)) }
    }
    var owners: [AnyObject] = [image.memory]
    for (name, result) in Self.inflate(compressed, of: image.memory) {
      do throws(InflatedSection.Failure) {
        let section = try result.get()
        owners.append(section)
        found[name] = DwarfSection(bytes: section.bytes)
      } catch {
        switch error {
        case .otherMethod: return nil
        case .unreadable(let reason):
          throw .image(path: image.path, reason: "in section .debug_\(name) \(reason)")
        }
      }
    }
    self.owners = owners
    let section = { found[$0] ?? DwarfSection(bytes: .init(start: nil, count: 0)) }
    addressRanges = section("aranges")
    info = section("info")
    abbreviations = section("abbrev")
    texts = section("str")
    textOffsets = section("str_offsets")
    lines = section("line")
    lineTexts = section("line_str")
    ranges = section("ranges")
    rangeLists = section("rnglists")
    addresses = section("addr")
    allowance = ReadAllowance(bytes: found.values.reduce(0) { $0 + $1.count })
    if needsEntries && (info.count == 0 || abbreviations.count == 0) { return nil }
  }

  /// Inflates sections on all CPUs.
  private static func inflate(
    _ sections: [(name: String, section: ElfImage.Section)], of memory: ImageMemory
  ) -> [(name: String, result: Result<InflatedSection, InflatedSection.Failure>)] {
    // The longest first, that no CPU is left alone with it.
    sections.sorted { $0.section.bytes > $1.section.bytes }.concurrentMap { name, section in
      let result = Result { () throws(InflatedSection.Failure) in
        try InflatedSection(memory.bytes(of: section))
      }
      return (name, result)
    }
  }

  /// Reads a section from an offset in it on.
  func cursor(_ section: DwarfSection, at offset: UInt64) -> DwarfCursor {
    DwarfCursor(section.bytes, at: Int(clamping: offset))
  }

  /// Returns the sections of the file that several files share; nil, and remembers that, without one
  /// that may be read.
  func sharedSections() -> DwarfSections? {
    guard let shared, !shared.allowance.isSpent else {
      lacksShared = true
      return nil
    }
    return shared
  }

  /// Returns the text at an offset of a section, or nil where there is none, or nothing may be read.
  func text(_ section: DwarfSection, at offset: UInt64) -> String? {
    guard !allowance.isSpent else { return nil }
    var cursor = cursor(section, at: offset)
    let text = cursor.text()
    allowance.take(from: 0, to: text.count)
    return cursor.isPastEnd ? nil : String(decoding: text, as: UTF8.self)
  }
}

/// Where the bytes of a section are; empty when there is no such section.
struct DwarfSection {
  let bytes: UnsafeRawBufferPointer
  var count: Int { bytes.count }
}
