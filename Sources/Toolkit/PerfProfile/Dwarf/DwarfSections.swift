/// The debug sections of a file that has them in itself and in plain form.
final class DwarfSections: Sendable {
  /// Keeps the bytes alive.
  private let memory: ImageMemory
  let info: DwarfSection
  let abbreviations: DwarfSection
  let texts: DwarfSection
  let textOffsets: DwarfSection
  let lines: DwarfSection
  let lineTexts: DwarfSection
  let ranges: DwarfSection
  let rangeLists: DwarfSection
  let addresses: DwarfSection

  /// Returns nil when there is no debug information in the file, or it is compressed.
  init?(_ image: ElfImage) {
    var found: [String: ElfImage.Section] = [:]
    for (name, section) in image.sections() where name.hasPrefix(".debug_") && section.bytes > 0 {
      if section.isCompressed { return nil }
      found[name] = section
    }
    let section = { (name: String) -> DwarfSection in
      let place = found[".debug_\(name)"]
      return DwarfSection(offset: place?.offset ?? 0, count: place?.bytes ?? 0)
    }
    memory = image.memory
    info = section("info")
    abbreviations = section("abbrev")
    texts = section("str")
    textOffsets = section("str_offsets")
    lines = section("line")
    lineTexts = section("line_str")
    ranges = section("ranges")
    rangeLists = section("rnglists")
    addresses = section("addr")
    if info.count == 0 || abbreviations.count == 0 { return nil }
  }

  /// Reads a section from an offset in it on.
  func cursor(_ section: DwarfSection, at offset: UInt64) -> DwarfCursor {
    let bytes = UnsafeRawBufferPointer(
      rebasing: memory.bytes[section.offset..<(section.offset + section.count)])
    return DwarfCursor(bytes, at: Int(clamping: offset))
  }

  /// Returns the text at an offset of a section, or nil where there is none.
  func text(_ section: DwarfSection, at offset: UInt64) -> String? {
    var cursor = cursor(section, at: offset)
    let text = cursor.text()
    return cursor.isPastEnd ? nil : String(decoding: text, as: UTF8.self)
  }
}

/// Where a section lies in its file.
struct DwarfSection: Hashable, Sendable {
  let offset: Int
  let count: Int
}
