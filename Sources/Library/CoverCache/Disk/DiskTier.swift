internal import Glibc
internal import Synchronization

/// Encoded covers in a folder, limited in bytes and age; the least recently used is evicted first.
///
/// A file is written under a temporary name, renamed, and carries a checksum. After a crash it is
/// either whole or dropped when it is read. The tier sets the modification time to the time of
/// writing and the access time to the last use, so the order survives a restart.
///
/// Several processes may open tiers with the same limit on one folder. They change it one at a
/// time, and a process that detects a foreign change reads the folder again. All files together,
/// temporary ones included, never exceed the limit. A folder without write permission is only read.
public final class DiskTier: Sendable {
  /// The folder's path.
  public let directory: String
  /// The age at which an object is dropped.
  public let maximumAge: Duration
  private let clock: CoverClock
  private let write: Writer
  private let lock: FolderLock
  private let table: Mutex<BoundedTable<StoredFile>>
  private let damaged = Atomic<Int>(0)
  private static let temporarySuffix = ".tmp"

  typealias Writer = @Sendable (_ bytes: [UInt8], _ path: String) throws(Errno) -> Void

  /// A file that the table knows.
  private struct StoredFile {
    let name: String
    let written: Duration
  }

  /// Opens a folder, creates it if missing, and takes over the files of earlier launches.
  ///
  /// Only disk tiers use the folder. The defaults are the case study's: 100 MiB and 7 days.
  ///
  /// - Throws: ``CoverError/unusableDirectory(path:code:)``.
  public convenience init(
    directory: String, byteLimit: Int = 104_857_600, maximumAge: Duration = .seconds(7 * 86_400),
    clock: CoverClock = .system
  ) throws(CoverError) {
    try self.init(
      directory: directory, byteLimit: byteLimit, maximumAge: maximumAge, clock: clock
    ) { bytes, path throws(Errno) in try writeFile(bytes, to: path) }
  }

  /// Opens a folder and writes files through a closure, so that tests can simulate disk failures.
  init(
    directory: String, byteLimit: Int, maximumAge: Duration = .seconds(7 * 86_400),
    clock: CoverClock = .system, write: @escaping Writer
  ) throws(CoverError) {
    self.directory = directory
    self.maximumAge = maximumAge
    self.clock = clock
    self.write = write
    lock = FolderLock(directory: directory)
    table = Mutex(BoundedTable(limits: TierLimits(bytes: byteLimit)))
    if mkdir(directory, 0o755) != 0, errno != EEXIST {
      throw .unusableDirectory(path: directory, code: errno)
    }
    do throws(Errno) {
      do throws(Errno) {
        try lock.exclusively(adds: false) { _ throws(Errno) in try takeOver(mayRemove: true) }
      } catch {
        // The folder cannot be changed, but its files may be readable.
        try takeOver(mayRemove: false)
      }
    } catch {
      throw .unusableDirectory(path: directory, code: error.code)
    }
  }

  /// Returns the bytes of a key and counts a hit; returns nil and counts a miss if there are none.
  public func contents(for key: String) -> [UInt8]? {
    let name = DiskFile.name(of: key)
    let path = path(of: name)
    if !table.withLock({ $0.contains(name) }), access(path, F_OK) == 0 {
      // Another process may have stored the file.
      try? lock.exclusively(adds: false) { isChanged throws(Errno) in
        if isChanged { try takeOver(mayRemove: true) }
      }
    }
    guard let file = table.withLock({ $0.value(for: name) }) else { return nil }
    if !isExpired(file), let bytes = try? read(file, key: key) { return bytes }
    // Another thread may have replaced the object meanwhile, so it is judged in the locked folder.
    do {
      return try lock.exclusively(adds: false) { isChanged throws(Errno) in
        if isChanged { try takeOver(mayRemove: true) }
        return readOrReject(name, key: key)
      }
    } catch {
      // The folder may be read-only.
      return readOrReject(name, key: key)
    }
  }

  /// Stores the bytes of a key in place of earlier ones, and evicts others first to make room.
  ///
  /// An object that alone exceeds the limit is not stored.
  ///
  /// - Throws: ``CoverError/notStored(path:code:)``, e.g. for a full or read-only disk. The tier
  ///   then has no object for the key.
  public func store(_ bytes: [UInt8], for key: String) throws(CoverError) {
    let name = DiskFile.name(of: key)
    var isLocked = false
    do {
      try lock.exclusively(adds: true) { isChanged throws(Errno) in
        isLocked = true
        if isChanged { try takeOver(mayRemove: true) }
        try storeAlone(bytes, key: key, name: name)
      }
    } catch {
      // In a locked folder the object is gone already, and a new one may belong to another thread.
      if !isLocked { drop(name) }
      throw .notStored(path: path(of: name), code: error.code)
    }
  }

  /// Drops every object older than the maximum age and returns their number.
  @discardableResult
  public func removeExpired() -> Int {
    let count = try? lock.exclusively(adds: false) { isChanged throws(Errno) in
      if isChanged { try takeOver(mayRemove: true) }
      return dropExpired()
    }
    return count ?? dropExpired()
  }

  /// Drops the object of a key, if there is one.
  func remove(_ key: String) {
    let name = DiskFile.name(of: key)
    let locked: Void? = try? lock.exclusively(adds: false) { isChanged throws(Errno) in
      if isChanged { try takeOver(mayRemove: true) }
      drop(name)
    }
    if locked == nil { drop(name) }
  }

  /// The counters and content size of the tier; `memoryUsage` is in bytes on disk.
  public var metrics: CacheMetrics { table.withLock { $0.metrics } }

  /// The number of files that were dropped because they were damaged.
  public var damagedCount: Int { damaged.load(ordering: .relaxed) }

  private func path(of name: String) -> String { "\(directory)/\(name)" }

  private func isExpired(_ file: StoredFile) -> Bool {
    clock.now() - file.written > maximumAge
  }

  /// Reads an object and records its use; nil when its file is damaged.
  private func read(_ file: StoredFile, key: String) throws(Errno) -> [UInt8]? {
    let path = path(of: file.name)
    guard let bytes = DiskFile.decode(try readFile(path), key: key) else { return nil }
    setTimes(of: path, used: clock.now(), written: file.written)
    return bytes
  }

  // MARK: - In the locked folder

  /// Reads an object, or drops it and turns its counted hit into a miss when it cannot be used.
  private func readOrReject(_ name: String, key: String) -> [UInt8]? {
    if let file = table.withLock({ $0.peek(name) }), !isExpired(file) {
      do throws(Errno) {
        if let bytes = try read(file, key: key) { return bytes }
        damaged.add(1, ordering: .relaxed)
      } catch {
        // A missing file is not damaged: another process may have evicted it.
        if error.code != ENOENT { damaged.add(1, ordering: .relaxed) }
      }
    }
    table.withLock { $0.reject(name) }
    unlink(path(of: name))
    return nil
  }

  private func drop(_ name: String) {
    _ = table.withLock { $0.remove(name) }
    unlink(path(of: name))
  }

  private func dropExpired() -> Int {
    let expired = table.withLock { table in table.keys(where: isExpired) }
    for name in expired { drop(name) }
    return expired.count
  }

  /// Stores an object; the files that it replaces are deleted before the write.
  ///
  /// The table has the object when its file is complete, so no look-up finds a missing file.
  private func storeAlone(_ bytes: [UInt8], key: String, name: String) throws(Errno) {
    let entry = StoredFile(name: name, written: clock.now())
    let size = DiskFile.size(of: bytes, key: key)
    var removed: [StoredFile] = []
    let hasRoom = table.withLock { table in
      if let old = table.remove(name) { removed.append(old) }
      return table.reserve(cost: size, removed: &removed)
    }
    for file in removed { unlink(path(of: file.name)) }
    guard hasRoom else { return }
    let temporary = path(of: name + DiskTier.temporarySuffix)
    do throws(Errno) {
      try replaceFile(path(of: name), by: temporary) { temporary throws(Errno) in
        try write(DiskFile.encode(bytes, key: key), temporary)
        setTimes(of: temporary, used: entry.written, written: entry.written)
      }
    } catch {
      table.withLock { $0.release(cost: size) }
      throw error
    }
    table.withLock { table in
      table.release(cost: size)
      _ = table.insert(entry, for: name, cost: size, removed: &removed)
    }
  }

  private func setTimes(of path: String, used: Duration, written: Duration) {
    let times = [timespec(used), timespec(written)]
    utimensat(AT_FDCWD, path, times, 0)
  }

  /// Enters the files of the folder in order of last use and deletes expired and unfinished ones.
  ///
  /// In a locked folder (`mayRemove`), an unfinished file must come from a crash.
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
        // A file from the future counts as new, so a clock set back does not extend its life.
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
