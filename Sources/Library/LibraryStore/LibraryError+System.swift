internal import Foundation
internal import Glibc

extension LibraryError {
  /// Returns the system's text for an error, such as `No such file or directory`.
  static func reason(of error: any Error) -> String {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    return cause.domain == NSPOSIXErrorDomain
      ? unsafe String(cString: strerror(Int32(cause.code))) : error.localizedDescription
  }
}
