internal import Glibc

/// The names of the JPEG files in a folder of any size, in bounded memory.
struct FolderEntries {
  /// The first names in alphabetic order.
  private(set) var names: [String] = []
  /// The number of *.jpg and *.jpeg entries of any type.
  private(set) var count = 0
  /// The number of entries with other names.
  private(set) var others = 0

  /// The largest number of names.
  private let limit: Int

  /// Reads a folder, which a parameter names, without opening its entries.
  init(of folder: String, limit: Int, parameter: String) throws(DatasetError) {
    self.limit = limit
    guard let directory = opendir(folder) else {
      throw .unreadableCovers(
        path: folder, reason: String(cString: strerror(errno)), parameter: parameter)
    }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
      }
      if isJPEGName(name) {
        add(name)
      } else if name != "." && name != ".." {
        others += 1
      }
    }
    names = Array(names.sorted().prefix(limit))
  }

  private mutating func add(_ name: String) {
    count += 1
    names.append(name)
    // Sorting now and then instead of at every name takes constant time per name.
    if names.count >= 2 * limit { names = Array(names.sorted().prefix(limit)) }
  }
}
