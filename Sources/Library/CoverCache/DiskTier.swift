internal import Glibc
internal import Synchronization

/// Encoded covers in a folder: limited in bytes and in age, least recently used first out.
///
/// A file is written under another name and renamed, and carries a checksum: after a crash it is
/// whole, or it is dropped when it is read. Its modification time is when it was written, its access
/// time when it was last used; both are set by the tier, so the order survives a restart.
public final class DiskTier: Sendable {
  /// The folder.
  public let directory: String
  /// The age at which an object is dropped.
  public let maximumAge: Duration
  private let clock: CoverClock
  private let table: Mutex<BoundedTable<String, StoredFile>>
  private let damaged = Atomic<Int>(0)
  private let sequence = Atomic<Int>(0)
  private static let temporarySuffix = ".tmp"

  /// A file that is in the table.
  private struct StoredFile {
    let name: String
    let written: Duration
  }

  /// Opens a folder, made when it is not there, and takes over what earlier runs left in it.
  ///
  /// - Parameters:
  ///   - directory: A folder of the tier's own.
  ///   - byteLimit: The most bytes of all files; the default is the case study's 100 MiB.
  ///   - maximumAge: Older objects are dropped; the default is the case study's 7 days.
  ///   - clock: The time of day.
  /// - Throws: ``CoverError/unusableDirectory(path:code:)``.
  public init(
    directory: String, byteLimit: Int = 104_857_600, maximumAge: Duration = .seconds(7 * 86_400),
    clock: CoverClock = .system
  ) throws(CoverError) {
    self.directory = directory
    self.maximumAge = maximumAge
    self.clock = clock
    table = Mutex(BoundedTable(limits: TierLimits(bytes: byteLimit), policy: LRUPolicy()))
    if mkdir(directory, 0o755) != 0, errno != EEXIST {
      throw .unusableDirectory(path: directory, code: errno)
    }
    try takeOver()
  }

  /// Returns the bytes of a key and counts a hit; nil and a miss when there are none to be had.
  public func contents(for key: String) -> [UInt8]? {
    let name = DiskFile.name(of: key)
    guard let file = table.withLock({ $0.value(for: name) }) else { return nil }
    guard !isExpired(file) else {
      reject(name)
      return nil
    }
    let path = path(of: name)
    guard let content = try? readFile(path), let bytes = DiskFile.decode(content, key: key) else {
      damaged.add(1, ordering: .relaxed)
      reject(name)
      return nil
    }
    setTimes(of: path, used: clock.now(), written: file.written)
    return bytes
  }

  /// Stores the bytes of a key, in place of earlier ones; others leave first to make room.
  ///
  /// An object that alone is over the limit is not stored.
  ///
  /// - Parameters:
  ///   - bytes: What to store.
  ///   - key: Any text.
  /// - Throws: ``CoverError/notStored(path:code:)``; the tier is then as if it had been asked to
  ///   forget the key.
  public func store(_ bytes: [UInt8], for key: String) throws(CoverError) {
    let name = DiskFile.name(of: key)
    let entry = StoredFile(name: name, written: clock.now())
    var removed: [StoredFile] = []
    let fits = table.withLock { table in
      table.insert(
        entry, for: name, cost: DiskFile.size(of: bytes, key: key), removed: &removed)
    }
    for file in removed { unlink(path(of: file.name)) }
    guard fits else { return }
    do {
      try write(DiskFile.encode(bytes, key: key), to: name, written: entry.written)
    } catch {
      remove(name)
      throw .notStored(path: path(of: name), code: error.code)
    }
    // Another thread may have evicted the entry while its file was on the way.
    if !table.withLock({ $0.contains(name) }) { unlink(path(of: name)) }
  }

  /// Drops every object that is older than the maximum age, and returns how many those were.
  @discardableResult
  public func removeExpired() -> Int {
    let expired = table.withLock { table in table.keys(where: isExpired) }
    for name in expired { remove(name) }
    return expired.count
  }

  /// What the tier has done and holds; `memoryUsage` is bytes on disk here.
  public var metrics: CacheMetrics { table.withLock { $0.metrics } }

  /// How many files were dropped because they were damaged or gone.
  public var damagedCount: Int { damaged.load(ordering: .relaxed) }

  private func path(of name: String) -> String { "\(directory)/\(name)" }

  private func isExpired(_ file: StoredFile) -> Bool {
    clock.now() - file.written > maximumAge
  }

  private func reject(_ name: String) {
    table.withLock { $0.reject(name) }
    unlink(path(of: name))
  }

  private func remove(_ name: String) {
    _ = table.withLock { $0.remove(name) }
    unlink(path(of: name))
  }

  private func write(_ content: [UInt8], to name: String, written: Duration) throws(Errno) {
    // Two processes may share a folder, and two threads a key.
    let number = sequence.add(1, ordering: .relaxed).newValue
    let temporary = path(of: "\(name).\(getpid())-\(number)\(DiskTier.temporarySuffix)")
    do throws(Errno) {
      try writeFile(content, to: temporary)
      setTimes(of: temporary, used: written, written: written)
      guard rename(temporary, path(of: name)) == 0 else { throw Errno(code: errno) }
    } catch {
      unlink(temporary)
      throw error
    }
  }

  private func setTimes(of path: String, used: Duration, written: Duration) {
    let times = [timespec(used), timespec(written)]
    utimensat(AT_FDCWD, path, times, 0)
  }

  /// Enters the files of the folder, least recently used first, and removes what does not belong.
  private func takeOver() throws(CoverError) {
    guard let names = listDirectory(directory) else {
      throw .unusableDirectory(path: directory, code: errno)
    }
    let now = clock.now()
    var found: [(file: StoredFile, used: Duration, bytes: Int)] = []
    for name in names {
      var status = stat()
      guard stat(path(of: name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      let written = Duration(status.st_mtim)
      if name.hasSuffix(DiskFile.suffix) {
        let file = StoredFile(name: name, written: written)
        found.append((file, Duration(status.st_atim), Int(status.st_size)))
      } else if name.hasSuffix(DiskTier.temporarySuffix), now - written > .seconds(3600) {
        // Left by a crash; a younger one may be another process's, on its way.
        unlink(path(of: name))
      }
    }
    found.sort { $0.used < $1.used }
    for (file, _, bytes) in found {
      guard !isExpired(file) else {
        unlink(path(of: file.name))
        continue
      }
      var removed: [StoredFile] = []
      let fits = table.withLock { table in
        table.insert(file, for: file.name, cost: bytes, removed: &removed)
      }
      for old in removed { unlink(path(of: old.name)) }
      if !fits { unlink(path(of: file.name)) }
    }
  }
}
