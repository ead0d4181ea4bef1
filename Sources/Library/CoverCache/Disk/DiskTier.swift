internal import Glibc
internal import Synchronization

/// Encoded covers in a folder: limited in bytes and in age, least recently used first out.
///
/// A file is written under another name and renamed, and carries a checksum: after a crash it is
/// whole, or it is dropped when it is read. Its modification time is when it was written, its access
/// time when it was last used; both are set by the tier, so the order survives a restart.
///
/// Several processes may have tiers on one folder, each with the same limit: they change it one at a
/// time, and whoever finds it changed by another one reads it anew. All files together, those on their
/// way included, are never over the limit. A folder that cannot be written to is read from.
public final class DiskTier: Sendable {
  /// The folder.
  public let directory: String
  /// The age at which an object is dropped.
  public let maximumAge: Duration
  private let clock: CoverClock
  private let write: Writer
  private let lock: FolderLock
  private let table: Mutex<BoundedTable<String, StoredFile>>
  private let damaged = Atomic<Int>(0)
  private static let temporarySuffix = ".tmp"

  /// Writes bytes to a path; throws the errno value of the call that failed.
  typealias Writer = @Sendable (_ bytes: [UInt8], _ path: String) throws(Errno) -> Void

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
  public convenience init(
    directory: String, byteLimit: Int = 104_857_600, maximumAge: Duration = .seconds(7 * 86_400),
    clock: CoverClock = .system
  ) throws(CoverError) {
    try self.init(
      directory: directory, byteLimit: byteLimit, maximumAge: maximumAge, clock: clock
    ) { bytes, path throws(Errno) in try writeFile(bytes, to: path) }
  }

  /// Opens a folder, and writes files by a closure: the place where tests let disks fail.
  init(
    directory: String, byteLimit: Int, maximumAge: Duration = .seconds(7 * 86_400),
    clock: CoverClock = .system, write: @escaping Writer
  ) throws(CoverError) {
    self.directory = directory
    self.maximumAge = maximumAge
    self.clock = clock
    self.write = write
    lock = FolderLock(directory: directory)
    table = Mutex(BoundedTable(limits: TierLimits(bytes: byteLimit), policy: LRUPolicy()))
    if mkdir(directory, 0o755) != 0, errno != EEXIST {
      throw .unusableDirectory(path: directory, code: errno)
    }
    do throws(Errno) {
      do throws(Errno) {
        try lock.exclusively(adds: false) { _ throws(Errno) in try takeOver(mayRemove: true) }
      } catch {
        // Not ours to change, but there may be something in it to read.
        try takeOver(mayRemove: false)
      }
    } catch {
      throw .unusableDirectory(path: directory, code: error.code)
    }
  }

  /// Returns the bytes of a key and counts a hit; nil and a miss when there are none to be had.
  public func contents(for key: String) -> [UInt8]? {
    let name = DiskFile.name(of: key)
    let path = path(of: name)
    if !table.withLock({ $0.contains(name) }), access(path, F_OK) == 0 {
      // Another process may have stored it.
      try? lock.exclusively(adds: false) { isChanged throws(Errno) in
        if isChanged { try takeOver(mayRemove: true) }
      }
    }
    guard let file = table.withLock({ $0.value(for: name) }) else { return nil }
    guard !isExpired(file) else {
      reject(name)
      return nil
    }
    let content: [UInt8]
    do {
      content = try readFile(path)
    } catch {
      // Gone, as when another process has evicted it, is no damage.
      if error.code != ENOENT { damaged.add(1, ordering: .relaxed) }
      reject(name)
      return nil
    }
    guard let bytes = DiskFile.decode(content, key: key) else {
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
  /// - Throws: ``CoverError/notStored(path:code:)``, as for a full or a read-only disk; the tier is
  ///   then as if it had been asked to forget the key.
  public func store(_ bytes: [UInt8], for key: String) throws(CoverError) {
    let name = DiskFile.name(of: key)
    do {
      try lock.exclusively(adds: true) { isChanged throws(Errno) in
        if isChanged { try takeOver(mayRemove: true) }
        try storeAlone(bytes, key: key, name: name)
      }
    } catch {
      remove(name)
      throw .notStored(path: path(of: name), code: error.code)
    }
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

  /// How many files were dropped because they were damaged.
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

  /// Stores while nobody else changes the folder: what leaves is gone before anything is written.
  private func storeAlone(_ bytes: [UInt8], key: String, name: String) throws(Errno) {
    let entry = StoredFile(name: name, written: clock.now())
    var removed: [StoredFile] = []
    let fits = table.withLock { table in
      table.insert(
        entry, for: name, cost: DiskFile.size(of: bytes, key: key), removed: &removed)
    }
    for file in removed { unlink(path(of: file.name)) }
    guard fits else { return }
    let temporary = path(of: name + DiskTier.temporarySuffix)
    do throws(Errno) {
      try write(DiskFile.encode(bytes, key: key), temporary)
      setTimes(of: temporary, used: entry.written, written: entry.written)
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
  ///
  /// - Parameter mayRemove: Whether nobody else changes the folder; then an unfinished file is one that
  ///   a crash left.
  /// - Throws: The errno value, when the folder cannot be read.
  private func takeOver(mayRemove: Bool) throws(Errno) {
    guard let names = listDirectory(directory) else { throw Errno(code: errno) }
    let now = clock.now()
    var found: [(file: StoredFile, used: Duration, bytes: Int)] = []
    var unwanted: [String] = []
    for name in names {
      var status = stat()
      guard lstat(path(of: name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      if name.hasSuffix(DiskFile.suffix) {
        // A clock that was set back must not make a file younger than new.
        let file = StoredFile(name: name, written: min(now, Duration(status.st_mtim)))
        if isExpired(file) {
          unwanted.append(name)
        } else {
          found.append((file, Duration(status.st_atim), Int(status.st_size)))
        }
      } else if name.hasSuffix(DiskFile.suffix + DiskTier.temporarySuffix) {
        unwanted.append(name)
      }
    }
    found.sort { $0.used < $1.used }
    table.withLock { table in
      _ = table.removeAll()
      for (file, _, bytes) in found {
        var removed: [StoredFile] = []
        let fits = table.insert(file, for: file.name, cost: bytes, removed: &removed)
        unwanted += removed.map(\.name) + (fits ? [] : [file.name])
      }
    }
    guard mayRemove else { return }
    for name in unwanted { unlink(path(of: name)) }
  }
}
