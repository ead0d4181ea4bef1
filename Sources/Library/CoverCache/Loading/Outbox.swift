internal import Glibc
internal import Synchronization

/// A persistent queue of items to upload, which survives lost connections and the end of the app.
///
///     let outbox = try Outbox(directory: "outbox")
///     try outbox.add(photo, name: "shelf-12")
///     try outbox.flush { items throws(CoverError) in try server.upload(items) }
///
/// Items leave in order, several at a time. An item that was sent when the app ended may be sent
/// again, so the receiver must recognise its name. Files are either whole or absent and carry a
/// checksum. They are not synced, so a power loss may lose the last ones.
public final class Outbox: Sendable {
  /// An item that waits to be sent.
  public struct Item: Hashable, Sendable {
    /// The name given when the item was added.
    public let name: String
    /// The bytes to send.
    public let bytes: [UInt8]
  }

  private struct State {
    /// The numbers of the files, in the order of their addition.
    var waiting: [Int] = []
    var next = 0
    var isSending = false
    var damagedCount = 0
  }

  /// The folder's path.
  public let directory: String
  /// The largest number of items per upload, at least one.
  public let batch: Int
  private let state: Mutex<State>
  private static let suffix = ".item"
  private static let temporarySuffix = ".tmp"

  /// Opens a folder, creates it if missing, and takes over its waiting items.
  ///
  /// Only one outbox may use the folder at a time.
  ///
  /// - Throws: ``CoverError/unusableDirectory(path:code:)``.
  public init(directory: String, batch: Int = 10) throws(CoverError) {
    precondition(batch > 0, "an outbox sends batches of at least one item")
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
      if let number = Self.number(ofFile: name) {
        state.waiting.append(number)
      } else if name.hasSuffix(Self.temporarySuffix) {
        // A crash left this file before `add` returned.
        unlink("\(directory)/\(name)")
      }
    }
    state.waiting.sort()
    state.next = (state.waiting.last ?? -1) + 1
    self.state = Mutex(state)
  }

  /// The number of waiting items.
  public var count: Int { state.withLock { $0.waiting.count } }

  /// The number of items that were dropped because their files were damaged or missing.
  public var damagedCount: Int { state.withLock { $0.damagedCount } }

  /// Stores an item, which the receiver recognises by its name, until it is sent.
  ///
  /// - Throws: ``CoverError/notStored(path:code:)``, e.g. for a full disk. The item is not stored
  ///   then.
  public func add(_ bytes: [UInt8], name: String) throws(CoverError) {
    let number = state.withLock { state in
      state.next += 1
      return state.next - 1
    }
    let path = path(of: number)
    do throws(Errno) {
      try replaceFile(
        path, by: path + Self.temporarySuffix, with: DiskFile.encode(bytes, key: name))
    } catch {
      throw .notStored(path: path, code: error.code)
    }
    state.withLock { state in
      // A concurrent call with a higher number may have finished first.
      let place = state.waiting.lastIndex { $0 < number }.map { $0 + 1 } ?? 0
      state.waiting.insert(number, at: place)
    }
  }

  /// Sends the waiting items, and those added meanwhile, until none is left or sending fails.
  ///
  /// `send` sends from one to ``batch`` items, which leave the folder when it returns. Nothing
  /// happens while another thread is flushing; that thread sends everything.
  ///
  /// - Returns: The number of sent items.
  /// - Throws: The error of `send`, whose items keep waiting, or
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
          // Set under the lock, so that an item added after this check is flushed by its own
          // thread.
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

  /// Reads an item; nil when its file is damaged or missing.
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

  /// Returns the number of an item's file; nil for foreign files such as `007.item`.
  private static func number(ofFile name: String) -> Int? {
    guard name.hasSuffix(suffix), let number = Int(name.dropLast(suffix.count)),
      (0..<Int.max).contains(number), name == "\(number)\(suffix)"
    else { return nil }
    return number
  }

  private func path(of number: Int) -> String { "\(directory)/\(number)\(Self.suffix)" }
}
