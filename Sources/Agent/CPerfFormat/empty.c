// The headers in include/ are all there is; SwiftPM wants one source file.
