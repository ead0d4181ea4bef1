/// A command of a project that links its programs anew.
public enum LinkCommand {
  /// The text that stands for the linker's options of a layout.
  public static let layoutMark = "{layout}"
}
