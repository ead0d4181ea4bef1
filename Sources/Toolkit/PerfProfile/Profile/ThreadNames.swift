/// The names of a process's threads in a profile; threads with equal names are merged.
///
/// Threads of the launched program keep their names. Threads of its children get the name of their
/// program, such as `cc1 (child)`, or also their own name, such as `cc1/pool (child)`.
struct ThreadNames {
  private var names: [UInt32: String] = [:]

  /// Creates the names of a capture's threads.
  init(_ capture: Capture, isChild: Bool) {
    var program = capture.threads.first { $0.id == capture.process }?.name
    for thread in capture.threads {
      // A process that executes another program starts with a new initial thread.
      if thread.id == capture.process { program = thread.name }
      let name = thread.name.isEmpty ? "thread" : thread.name
      names[UInt32(truncatingIfNeeded: thread.serial)] =
        isChild ? Self.childName(name, of: program ?? "") : name
    }
  }

  /// The name of a thread by its serial.
  subscript(serial: UInt32) -> String { names[serial] ?? "thread" }

  private static func childName(_ thread: String, of program: String) -> String {
    thread == program || program.isEmpty ? "\(thread) (child)" : "\(program)/\(thread) (child)"
  }
}
