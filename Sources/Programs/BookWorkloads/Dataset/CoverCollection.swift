internal import CoverCache
internal import Dispatch
internal import Foundation
internal import Synchronization

/// The generated covers of a seed: files that are created once and checked at each use.
struct CoverCollection: Sendable {
  /// The estimated size of a cover file of `real` size in bytes; the mean of 5,000 covers is 129
  /// kB.
  private static let meanBytes = 150_000
  /// The number of checksums that are compared per block at each use.
  private static let sample = 4

  let folder: String
  let seed: UInt64
  let sizes: CoverSizes

  /// Creates the missing or damaged files among the first covers.
  ///
  /// All CPUs create whole blocks of a hundred covers. A crash leaves complete blocks; if the disk
  /// is full, the files of this call are removed. `progress` is called in order, on any thread.
  func complete(
    upTo count: Int, progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void
  ) throws(DatasetError) {
    let blocks = checkedBlocks((count + CoverBlock.count - 1) / CoverBlock.count)
      .filter { !$0.missing.isEmpty }
    guard !blocks.isEmpty else { return }
    removeTemporaryFiles(in: folder)
    let mean = sizes == .real ? Self.meanBytes : Self.meanBytes / 32
    let needed = blocks.reduce(0) { $0 + $1.missing.count } * mean
    if let available = freeBytes(at: folder), available < needed {
      throw .diskFull(path: folder, neededBytes: needed, availableBytes: available)
    }
    do throws(DatasetError) {
      try make(blocks, progress: progress)
    } catch .diskFull {
      throw .diskFull(path: folder, neededBytes: needed, availableBytes: freeBytes(at: folder) ?? 0)
    }
  }

  /// Reads the manifests and compares sizes and some checksums; after a mismatch, all checksums.
  private func checkedBlocks(_ count: Int) -> [CoverBlock] {
    var blocks = (0..<count).map { CoverBlock(number: $0, folder: folder) }
    var isDamaged = false
    for index in blocks.indices where blocks[index].check(in: folder, sample: Self.sample) {
      isDamaged = true
    }
    if isDamaged {
      for index in blocks.indices {
        _ = blocks[index].check(in: folder, sample: CoverBlock.count)
      }
    }
    return blocks
  }

  private func make(
    _ blocks: [CoverBlock], progress: @escaping @Sendable (Int, Int) -> Void
  ) throws(DatasetError) {
    let fresh = blocks.filter { $0.missing.count == CoverBlock.count }
    let queue = CoverQueue(blocks, formats: CoverWorkshop(seed: seed, sizes: sizes))
    DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
      let workshop = CoverWorkshop(seed: seed, sizes: sizes)
      while let index = queue.next() {
        do throws(DatasetError) {
          let file = try makeCover(index, in: workshop)
          try queue.finish(index, file: file, folder: folder, progress: progress)
        } catch {
          queue.fail(error)
        }
      }
    }
    guard let failure = queue.failure else { return }
    if case .diskFull = failure {
      for block in fresh { block.remove(from: folder) }
    }
    throw failure
  }

  private func makeCover(
    _ index: Int, in workshop: CoverWorkshop
  ) throws(DatasetError) -> CoverBlock.File {
    let name = BookGenerator.coverName(of: index)
    let contents: [UInt8]
    do {
      contents = try workshop.encodedCover(index)
    } catch {
      throw .cover(name: name, reason: error.description)
    }
    try writeWhole(contents, to: "\(folder)/\(name)")
    return CoverBlock.File(contents)
  }
}

/// The queue of covers to create, shared by the creating threads.
private final class CoverQueue: Sendable {
  private struct State {
    var blocks: [Int: CoverBlock]
    var position = 0
    var done = 0
    var failure: DatasetError?
  }

  private let indices: [Int]
  private let state: Mutex<State>

  /// Orders the covers of each block by size, because a large one at the end would leave CPUs idle.
  init(_ blocks: [CoverBlock], formats: CoverWorkshop) {
    indices = blocks.flatMap { block in
      block.missing
        .map { (index: $0, size: formats.format(of: $0).size) }
        .sorted { $0.size.width * $0.size.height > $1.size.width * $1.size.height }
        .map(\.index)
    }
    state = Mutex(State(blocks: Dictionary(uniqueKeysWithValues: blocks.map { ($0.number, $0) })))
  }

  /// The error that stopped the work.
  var failure: DatasetError? { state.withLock { $0.failure } }

  /// Returns the next cover to create; nil at the end and after a failure.
  func next() -> Int? {
    state.withLock { state in
      guard state.failure == nil, state.position < indices.count else { return nil }
      state.position += 1
      return indices[state.position - 1]
    }
  }

  /// Records the file of a cover, and writes the manifest after the last cover of a block.
  func finish(
    _ index: Int, file: CoverBlock.File, folder: String, progress: (Int, Int) -> Void
  ) throws(DatasetError) {
    let number = index / CoverBlock.count
    let finished = state.withLock { state -> CoverBlock? in
      state.blocks[number]?.files[index % CoverBlock.count] = file
      state.done += 1
      progress(state.done, indices.count)
      return state.blocks[number].flatMap { $0.missing.isEmpty ? $0 : nil }
    }
    try finished?.save(in: folder)
  }

  /// Stops the work; only the first failure is reported.
  func fail(_ error: DatasetError) {
    state.withLock { $0.failure = $0.failure ?? error }
  }
}
