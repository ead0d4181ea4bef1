internal import PerfWorkload

/// The phases that workloads measure, beside those of animations.
extension Phase {
  static let cache: Phase = "cache"
  static let camera: Phase = "camera"
  static let composite: Phase = "composite"
  static let contend: Phase = "contend"
  static let coverRead: Phase = "cover.read"
  static let decode: Phase = "decode"
  static let detail: Phase = "detail"
  static let diskRead: Phase = "disk.read"
  static let diskStore: Phase = "disk.store"
  static let hops: Phase = "hops"
  static let `import`: Phase = "import"
  static let layout: Phase = "layout"
  static let migrate: Phase = "migrate"
  static let palette: Phase = "palette"
  static let replay: Phase = "replay"
  static let search: Phase = "search"
  static let session: Phase = "session"
  static let store: Phase = "store"
  static let time: Phase = "time"
  static let tune: Phase = "tune"
  static let update: Phase = "update"
  static let upload: Phase = "upload"
}
