internal import Glibc

/// Returns the system's text for an error number.
func systemMessage(_ code: Int32) -> String {
  // glibc recommends 1,024 bytes.
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
    guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
      return "error \(code)"
    }
    return String(cString: base)
  }
}
