/// Whether the frames of a workload wait for the display.
enum FramePacing: String, CaseIterable {
  /// Each frame waits for its refresh.
  case paced
  /// Frames follow each other without waiting.
  case unpaced
}
