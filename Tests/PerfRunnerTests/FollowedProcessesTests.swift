import Foundation
import Glibc
import PerfModel
import PerfProfile
import Testing

@testable import PerfRunner

/// The exchange on the socket for child processes.
struct FollowedProcessesTests {
  /// Connects, and returns the number of bytes in the answer and whether it has a descriptor.
  ///
  /// A message without room for its descriptor is marked as truncated.
  private func ask(_ address: String) throws -> (bytes: Int, hasDescriptor: Bool) {
    let channel = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0)
    defer { close(channel) }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.dropFirst().copyBytes(from: address.utf8) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + address.utf8.count)
    let code = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(channel, $0, length) }
    }
    try #require(code == 0)
    var byte: UInt8 = 0
    return try withUnsafeMutablePointer(to: &byte) { byte in
      var contents = iovec(iov_base: byte, iov_len: 1)
      return try withUnsafeMutablePointer(to: &contents) { contents in
        var message = msghdr()
        message.msg_iov = contents
        message.msg_iovlen = 1
        let bytes = recvmsg(channel, &message, 0)
        try #require(bytes >= 0)
        return (bytes, message.msg_flags & Int32(MSG_CTRUNC) != 0)
      }
    }
  }

  private static let configuration = CaptureConfiguration.coldStart()

  @Test func `a process receives a descriptor each time it asks`() throws {
    let followed = try FollowedProcesses(Self.configuration, scratch: "/tmp")
    #expect(try ask(followed.address) == (1, true))
    #expect(try ask(followed.address) == (1, true))
    // This process continues, and no agent has attached in it.
    let (remains, warnings) = followed.finish()
    #expect(remains.isEmpty)
    #expect(warnings.map(\.code) == ["follow.living"])
  }

  @Test(.enabled(if: geteuid() == 0, "only root can change the user"))
  func `a descendant that has changed its user receives a descriptor`() throws {
    let followed = try FollowedProcesses(Self.configuration, scratch: "/tmp")
    let script = """
      import os, socket, sys
      os.setuid(65534)
      channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
      channel.connect("\\0" + sys.argv[1])
      print(len(socket.recv_fds(channel, 1, 1)[1]))
      """
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    child.arguments = ["python3", "-c", script, followed.address]
    let output = Pipe()
    child.standardOutput = output
    try child.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    child.waitUntilExit()
    #expect(text == "1\n")
  }

  @Test func `children have the program's sampling settings and smaller segments`() {
    var configuration = CaptureConfiguration(interval: 200_000, seed: 7)
    configuration.signal = SIGUSR2
    let plain = LaunchCapture.child(of: configuration)
    configuration.copyStacks(upTo: 64 << 10)
    let child = LaunchCapture.child(of: configuration)
    #expect(child.interval == 200_000)
    #expect(child.signal == SIGUSR2)
    #expect(child.stackBytes == 64 << 10)
    #expect(child.segmentBytes < configuration.segmentBytes)
    // Four times the stack takes four times the memory.
    #expect(child.segmentBytes == 4 * plain.segmentBytes)
  }

  @Test func `processes beyond the limit receive no descriptor, and a warning counts them`() throws
  {
    let followed = try FollowedProcesses(Self.configuration, scratch: "/tmp", limit: 0)
    #expect(try ask(followed.address) == (1, false))
    let warnings = followed.finish().warnings
    #expect(warnings.map(\.code) == ["follow.limit"])
    #expect(warnings.first?.message.contains("1 of the program's processes") == true)
  }
}
