internal import CLinux
internal import Glibc
internal import Synchronization

/// The bytes of an ELF file: mapped, or a copy of the kernel's page of code.
///
/// If the file is truncated while it is mapped, e.g. because another file is copied over it, the
/// rest reads as zeros.
///
/// Safety of `@unchecked Sendable`: the bytes never change.
final class ImageMemory: @unchecked Sendable {
  /// A mapped file.
  fileprivate struct Mapping {
    let device: UInt
    let inode: UInt
    let size: Int
  }

  /// All mappings of this process, by address.
  fileprivate static let mappings = Mutex<[UInt: Mapping]>([:])

  let bytes: UnsafeRawBufferPointer
  private let isMapped: Bool
  /// The number of the guard; negative without one.
  private let guardNumber: Int32

  /// Whether the file was truncated after it was mapped.
  var isCutOff: Bool { guardNumber >= 0 && clinux_is_cut_off(guardNumber) }

  /// Maps a file.
  ///
  /// - Throws: `image` if it cannot be opened or is empty.
  init(path: String) throws(PerfProfileError) {
    // O_NONBLOCK, because the path from the program may be a named pipe that no process writes.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { throw .image(path: path, reason: systemMessage(errno)) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
      throw .image(path: path, reason: "it is empty or no regular file")
    }
    let size = Int(status.st_size)
    guard let base = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), base != MAP_FAILED else {
      throw .image(path: path, reason: systemMessage(errno))
    }
    bytes = UnsafeRawBufferPointer(start: base, count: size)
    isMapped = true
    let mapping = Mapping(device: UInt(status.st_dev), inode: UInt(status.st_ino), size: size)
    Self.mappings.withLock { $0[UInt(bitPattern: base)] = mapping }
    guardNumber = clinux_guard_mapping(base, size)
  }

  /// Copies the vDSO of this process, which is the same in every process.
  ///
  /// - Throws: `image` if the kernel provides none.
  init(kernelPage: Void) throws(PerfProfileError) {
    guard let range = Self.kernelPageRange(),
      let start = UnsafeRawPointer(bitPattern: range.lowerBound)
    else {
      throw .image(path: "linux-vdso.so.1", reason: "this process has none")
    }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: range.count, alignment: 4096)
    copy.copyMemory(from: UnsafeRawBufferPointer(start: start, count: range.count))
    bytes = UnsafeRawBufferPointer(copy)
    isMapped = false
    guardNumber = -1
  }

  deinit {
    if isMapped {
      Self.mappings.withLock { _ = $0.removeValue(forKey: UInt(bitPattern: bytes.baseAddress)) }
      if guardNumber >= 0 { clinux_release_mapping(guardNumber) }
      munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    } else {
      bytes.deallocate()
    }
  }

  /// Returns the bytes of a section of this file.
  func bytes(of section: ElfImage.Section) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[section.range])
  }

  private static func kernelPageRange() -> Range<UInt>? {
    RunningProcess(getpid()).mappings().first { $0.path == EventModules.vdso }
      .map { UInt($0.address)..<UInt($0.address + $0.bytes) }
  }
}

/// The files that this process maps to read symbols and unwind tables.
package enum MappedImages {
  /// Drops the pages of a file from the mappings of this process, so that the kernel can evict them.
  ///
  /// The mappings stay: a page is read again when it is needed.
  ///
  /// - Parameter descriptor: The open file.
  package static func release(fileOf descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return }
    // A mapping cannot end while the lock is held.
    ImageMemory.mappings.withLock { mappings in
      for (address, mapping) in mappings
      where mapping.device == UInt(status.st_dev) && mapping.inode == UInt(status.st_ino) {
        madvise(UnsafeMutableRawPointer(bitPattern: address), mapping.size, MADV_DONTNEED)
      }
    }
  }
}
