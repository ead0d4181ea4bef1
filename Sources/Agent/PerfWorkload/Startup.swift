/// The two moments of a cold start that users feel.
public enum Startup {
  /// Marks that the first frame is on display, with placeholders if need be.
  public static func initialDisplay() {
    Signpost("startup.initial_display").emit()
  }

  /// Marks that everything on display is the real thing.
  public static func fullDisplay() {
    Signpost("startup.full_display").emit()
  }
}
