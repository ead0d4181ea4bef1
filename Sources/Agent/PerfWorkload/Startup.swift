/// The two moments of a cold start that users notice.
public enum Startup {
  /// Marks the moment when the first frame is displayed, possibly with placeholders.
  public static func initialDisplay() {
    Signpost("startup.initial_display").emit()
  }

  /// Marks the moment when the final content is displayed.
  public static func fullDisplay() {
    Signpost("startup.full_display").emit()
  }
}
