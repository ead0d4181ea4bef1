/// How much of a file may still be read.
///
/// Entries refer to lists, tables and texts by their offsets. Compilers write each of them for one
/// entry or for a few; in a file that lies, thousands may share a huge one, or begin at each byte of it,
/// and reading it for all of them would take hours and more memory than there is. So whatever can be
/// shared is counted as it is read.
final class ReadAllowance {
  /// How often each byte may be read.
  private static let times = 4
  /// What may be read in any case: in a small file, many addresses have the same few names.
  private static let smallBytes = 16 << 20

  private var bytesLeft: Int

  /// Whether more was read than there was to be: from then on nothing is.
  var isSpent: Bool { bytesLeft < 0 }

  /// Allows to read what has some bytes.
  ///
  /// - Parameter bytes: As many as there are.
  init(bytes: Int) {
    bytesLeft = Self.smallBytes + bytes * Self.times
  }

  /// Counts what was read between two offsets; nothing where the first is a lie and lies behind the
  /// second.
  func take(from start: Int, to end: Int) {
    bytesLeft -= max(0, end - start)
  }
}
