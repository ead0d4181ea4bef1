import Foundation

/// Runs a closure on a new thread.
///
/// A closure that blocks until tasks finish must not block the threads that run these tasks.
public func onOwnThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: body)) }
  }
}
