/// The names under which the threads of a process stand in a profile, where threads of one name are
/// one.
///
/// Those of the program that was started keep their own. Of its children all that run one program
/// are taken together, apart from the program itself, which may be the same: `cc1 (child)`, and
/// `cc1/pool (child)` for threads with a name of their own.
struct ThreadNames {
  private var names: [UInt32: String] = [:]

  /// Takes the names of a capture's threads.
  init(_ capture: Capture, isChild: Bool) {
    var program = capture.threads.first { $0.id == capture.process }?.name
    for thread in capture.threads {
      // A process that goes on with another program begins with a new initial thread.
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
