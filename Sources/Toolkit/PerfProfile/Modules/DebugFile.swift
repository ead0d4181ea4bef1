internal import Glibc

/// Where the debug information of a file is: in it, or in a file of its own.
enum DebugFile {
  private static let folder = "/usr/lib/debug"
  private static let sections: Set = [".debug_info", ".zdebug_info", ".debug_line"]

  /// Whether there is debug information of an image in any of the places that debuggers look at.
  ///
  /// They are the image itself, `/usr/lib/debug/.build-id`, and what its `.gnu_debuglink` names:
  /// beside the image, in `.debug` there, and in the image's folder under `/usr/lib/debug`.
  static func isThere(for image: ElfImage) -> Bool {
    let all = image.sections()
    if all.contains(where: { sections.contains($0.name) && $0.section.bytes > 0 }) { return true }
    if exists(buildID: image.buildID) { return true }
    guard let link = all.first(where: { $0.name == ".gnu_debuglink" })?.section,
      let name = ByteReader(bytes: image.memory.bytes).text(link.offset), !name.isEmpty
    else { return false }
    let place = image.path.lastIndex(of: "/").map { image.path[..<$0] } ?? ""
    let places = ["\(place)/\(name)", "\(place)/.debug/\(name)", "\(folder)\(place)/\(name)"]
    return places.contains { $0 != image.path && access($0, R_OK) == 0 }
  }

  /// Whether there is a debug file by build id where packages put it.
  static func exists(buildID: [UInt8]) -> Bool {
    guard buildID.count > 1 else { return false }
    let name = hexadecimal(buildID)
    return access("\(folder)/.build-id/\(name.prefix(2))/\(name.dropFirst(2)).debug", R_OK) == 0
  }
}
