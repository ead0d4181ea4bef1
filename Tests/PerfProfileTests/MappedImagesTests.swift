import Foundation
import Glibc
import PerfTestSupport
import Testing

@testable import PerfProfile

/// The files that the profiler maps.
struct MappedImagesTests {
  /// Reads all bytes of a mapping, and returns their sum and the page faults of this thread meanwhile.
  private func read(_ image: ImageMemory) -> (sum: Int, faults: Int) {
    func faults() -> Int {
      var usage = rusage()
      // RUSAGE_THREAD, by getrusage(2).
      getrusage(__rusage_who_t(1), &usage)
      return usage.ru_minflt + usage.ru_majflt
    }
    let before = faults()
    var sum = 0
    for byte in image.bytes { sum += Int(byte) }
    return (sum, faults() - before)
  }

  @Test func `released pages of a mapped file are read again when they are needed`() throws {
    let folder = try TemporaryFolder()
    let files = ["one", "other"].map { folder($0) }
    for file in files {
      try Data(repeating: 7, count: 1 << 16).write(to: URL(fileURLWithPath: file))
    }
    let images = try files.map { try ImageMemory(path: $0) }
    for image in images { #expect(read(image).sum == 7 << 16) }
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: files[0]))
    MappedImages.release(fileOf: file.fileDescriptor)
    let (released, kept) = (read(images[0]), read(images[1]))
    #expect(released.sum == 7 << 16 && kept.sum == 7 << 16)
    #expect(released.faults > kept.faults)
  }
}
