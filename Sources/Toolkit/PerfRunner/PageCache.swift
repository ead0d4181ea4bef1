internal import Glibc
internal import PerfModel
internal import PerfProfile

/// Evicts files from the kernel's page cache without privileges.
enum PageCache {
  /// Asks the kernel to drop the pages of some files, and checks the result.
  ///
  /// Pages that another process maps stay in memory. Therefore only the worker's binary and data
  /// are evicted, not shared libraries that the harness uses as well.
  ///
  /// - Returns: A warning if more than 5 % of the pages stayed, or a file cannot be opened.
  static func evict(_ files: [String]) -> [RunWarning] {
    var pages = 0
    var resident = 0
    var warnings: [RunWarning] = []
    for file in files {
      let descriptor = open(file, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        warnings.append(
          RunWarning(
            code: "page_cache.unreadable",
            message: "cannot evict '\(file)' from the page cache: "
              + SystemCalls.text(of: errno)))
        continue
      }
      defer { close(descriptor) }
      // The profiler maps programs to read their symbols.
      MappedImages.release(fileOf: descriptor)
      fdatasync(descriptor)
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
      let count = residency(of: descriptor)
      pages += count.pages
      resident += count.resident
    }
    if resident * 20 > pages {
      warnings.append(
        RunWarning(
          code: "page_cache.stayed",
          message: "\(resident) of \(pages) pages stayed in the page cache",
          remedy: "The start is only partly cold. Close other programs that use the files."))
    }
    return warnings
  }

  /// Counts the pages of a file, and those in the page cache; 0 if the file cannot be mapped.
  static func residency(of descriptor: Int32) -> (pages: Int, resident: Int) {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return (0, 0) }
    let size = Int(status.st_size)
    guard let map = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), map != MAP_FAILED
    else { return (0, 0) }
    defer { munmap(map, size) }
    let pages = (size + SystemCalls.pageBytes - 1) / SystemCalls.pageBytes
    var bits = [UInt8](repeating: 0, count: pages)
    guard mincore(map, size, &bits) == 0 else { return (0, 0) }
    return (pages, bits.count { $0 & 1 == 1 })
  }
}
