@inline(never) func spin(_ rounds: Int) -> UInt64 {
  var x: UInt64 = 88_172_645_463_325_252
  for _ in 0..<rounds { x ^= x << 13; x ^= x >> 7; x ^= x << 17 }
  return x
}
@inline(never) func leaf() async -> UInt64 { await Task.yield(); return spin(100_000_000) }
@inline(never) func outer() async -> UInt64 { await leaf() &+ 1 }
@main struct Main { static func main() async { print(await outer()) } }
