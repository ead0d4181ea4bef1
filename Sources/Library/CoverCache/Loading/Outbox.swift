internal import Glibc
internal import Synchronization

/// What is to be sent, kept in a folder until it was: neither the loss of a connection nor the end of
/// the app loses it.
///
///     let outbox = try Outbox(directory: "outbox")
///     try outbox.add(photo, name: "shelf-12")
///     try outbox.flush { items throws(CoverError) in try server.upload(items) }
///
/// Items leave in the order in which they came, several at a time. One that was sent when the app ended
/// before it could be taken out is sent again, so a receiver must know it by its name. Files are whole
/// or are not there, and carry a checksum; they are not synced, so that a loss of power may take the
/// last ones.
public final class Outbox: Sendable {
  /// Something that waits to be sent.
  public struct Item: Hashable, Sendable {
    /// What whoever added it called it.
    public let name: String
    /// What is to be sent.
    public let bytes: [UInt8]
  }

  private struct State {
    /// The numbers of the files, in the order in which they came.
    var waiting: [Int] = []
    var next = 0
    var isSending = false
    var damagedCount = 0
  }

  /// The folder.
  public let directory: String
  /// How many items are sent at one time, at most.
  public let batch: Int
  private let state: Mutex<State>
  private static let suffix = ".item"
  private static let temporarySuffix = ".tmp"

  /// Opens a folder, made when it is not there, and takes over what waits in it.
  ///
  /// - Parameters:
  ///   - directory: A folder of the outbox's own; no two of them may use one at one time.
  ///   - batch: How many items are sent at one time, at least one.
  /// - Throws: ``CoverError/unusableDirectory(path:code:)``.
  public init(directory: String, batch: Int = 10) throws(CoverError) {
    precondition(batch > 0, "at least one item is sent at one time")
    self.directory = directory
    self.batch = batch
    if mkdir(directory, 0o755) != 0, errno != EEXIST {
      throw .unusableDirectory(path: directory, code: errno)
    }
    guard let names = listDirectory(directory) else {
      throw .unusableDirectory(path: directory, code: errno)
    }
    var state = State()
    for name in names {
      if name.hasSuffix(Self.suffix), let number = Int(name.dropLast(Self.suffix.count)) {
        state.waiting.append(number)
      } else if name.hasSuffix(Self.temporarySuffix) {
        // A crash left it; whoever added it was not told that it is kept.
        unlink("\(directory)/\(name)")
      }
    }
    state.waiting.sort()
    state.next = (state.waiting.last ?? -1) + 1
    self.state = Mutex(state)
  }

  /// How many items wait.
  public var count: Int { state.withLock { $0.waiting.count } }

  /// How many items were dropped because their files were damaged or gone.
  public var damagedCount: Int { state.withLock { $0.damagedCount } }

  /// Keeps something until it was sent.
  ///
  /// - Parameters:
  ///   - bytes: What is to be sent.
  ///   - name: What the receiver knows it by.
  /// - Throws: ``CoverError/notStored(path:code:)``, as for a full disk; it is not kept then.
  public func add(_ bytes: [UInt8], name: String) throws(CoverError) {
    let number = state.withLock { state in
      state.next += 1
      return state.next - 1
    }
    let path = path(of: number)
    do throws(Errno) {
      try writeFile(DiskFile.encode(bytes, key: name), to: path + Self.temporarySuffix)
      guard rename(path + Self.temporarySuffix, path) == 0 else { throw Errno(code: errno) }
    } catch {
      unlink(path + Self.temporarySuffix)
      throw .notStored(path: path, code: error.code)
    }
    state.withLock { state in
      // Who came later may have been written earlier.
      let place = state.waiting.lastIndex { $0 < number }.map { $0 + 1 } ?? 0
      state.waiting.insert(number, at: place)
    }
  }

  /// Sends what waits, and what is added meanwhile, until nothing does or sending fails.
  ///
  /// Does nothing while another thread is at it; that one sends everything.
  ///
  /// - Parameter send: Sends some items, from one to ``batch``; they leave the folder when it returns.
  /// - Returns: How many items were sent.
  /// - Throws: What `send` throws; the items that it was given still wait. Also
  ///   ``CoverError/unreadable(path:code:)``.
  @discardableResult
  public func flush(
    _ send: (_ items: [Item]) throws(CoverError) -> Void
  ) throws(CoverError) -> Int {
    let isFree = state.withLock { state in
      defer { state.isSending = true }
      return !state.isSending
    }
    guard isFree else { return 0 }
    var sentCount = 0
    do throws(CoverError) {
      while true {
        let numbers = state.withLock { state in
          // Under the lock, so that whoever adds something now does not take us for being at it.
          state.isSending = !state.waiting.isEmpty
          return Array(state.waiting.prefix(batch))
        }
        guard !numbers.isEmpty else { return sentCount }
        sentCount += try sendAll(numbers, send)
      }
    } catch {
      state.withLock { $0.isSending = false }
      throw error
    }
  }

  private func sendAll(
    _ numbers: [Int], _ send: (_ items: [Item]) throws(CoverError) -> Void
  ) throws(CoverError) -> Int {
    var items: [Item] = []
    for number in numbers {
      if let item = try item(number) { items.append(item) }
    }
    if !items.isEmpty { try send(items) }
    for number in numbers { unlink(path(of: number)) }
    state.withLock { state in
      state.waiting.removeAll { numbers.contains($0) }
      state.damagedCount += numbers.count - items.count
    }
    return items.count
  }

  /// Reads an item; nil when its file is damaged or gone.
  private func item(_ number: Int) throws(CoverError) -> Item? {
    let path = path(of: number)
    do throws(Errno) {
      guard let content = DiskFile.decode(try readFile(path)) else { return nil }
      return Item(name: String(decoding: content.key, as: UTF8.self), bytes: Array(content.bytes))
    } catch {
      guard error.code == ENOENT else { throw .unreadable(path: path, code: error.code) }
      return nil
    }
  }

  private func path(of number: Int) -> String { "\(directory)/\(number)\(Self.suffix)" }
}
