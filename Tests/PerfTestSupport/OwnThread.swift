import Foundation

/// Runs a closure on a new thread.
///
/// A closure that blocks until tasks finish must not block the threads that run these tasks. There are as many
/// of these as CPUs, so a closure that mostly waits must not keep one from other tests. An expectation in the
/// closure belongs to no test; check the result instead.
public func onOwnThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: body)) }
  }
}
