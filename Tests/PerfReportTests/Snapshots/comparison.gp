# scroll-1000: naive to optimised: changes with their intervals
if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {
  set terminal pngcairo size 2400,2120 fontscale 2 linewidth 2 pointscale 2 background '#ffffff' font 'DejaVu Sans,11'
} else {
  set terminal png size 2400,2120 linewidth 2 font 'DejaVu Sans,22'
}
set encoding utf8
set border 1 lc rgb '#5b6675'
set tics nomirror out scale 0.5 textcolor rgb '#5b6675'
set ytics scale 0
set grid ytics xtics lc rgb '#e4e7eb' lt 1 lw 0.8
set key left bottom horizontal Left reverse samplen 1.6 width 1 noenhanced
set multiplot
set label 1 'scroll-1000: naive to optimised: changes with their intervals' at screen 0.0200, screen 0.9755 left noenhanced font ',14'
set lmargin at screen 0.1967
set rmargin at screen 0.9767
set tmargin at screen 0.9094
set bmargin at screen 0.0547
set key at graph 0, screen 0.9170 maxcols 3
$p0l0 << EOD
0 17 -2 2 -0.5 34.5
EOD
$p0l1 << EOD
0 -0.5
0 34.5
EOD
$p0l2 << EOD
-100 0 -107.1 -90
-107.1 1 -107.1 -98.4609
-41.5538 2 -46.1092 -36.9984
107.1 3 107.1 107.1
-100 4 -107.1 -90
-100 5 -107.1 -90
-100 6 -107.1 -90
-100 7 -107.1 -90
107.1 8 107.1 107.1
-100 9 -107.1 -90
-100 10 -107.1 -90
-100 11 -107.1 -90
-100 12 -107.1 -90
-107.1 13 -107.1 -102.218
-107.1 14 -107.1 -99.3429
-107.1 15 -107.1 -98.9322
-93.1628 16 -102.879 -83.4465
-92.8941 17 -102.584 -83.2047
-92.9356 18 -102.629 -83.2421
-92.8363 19 -102.52 -83.1527
-93.2281 20 -102.951 -83.5053
-92.9195 21 -102.611 -83.2275
-92.904 22 -102.594 -83.2136
-92.7479 23 -102.423 -83.0731
-33.1696 25 -36.8866 -29.4526
-33.1696 26 -36.8866 -29.4526
-33.1696 27 -36.8866 -29.4526
-27.5544 28 -30.7098 -24.399
-41.5538 29 -46.1092 -36.9984
-71.9491 30 -79.144 -64.7542
107.1 33 107.1 107.1
-88.9474 34 -97.8421 -80.0526
EOD
$p0l2arrows << EOD
-103.95 0 -1.05
-103.95 1 -1.05
103.95 3 1.05
-103.95 4 -1.05
-103.95 5 -1.05
-103.95 6 -1.05
-103.95 7 -1.05
103.95 8 1.05
-103.95 9 -1.05
-103.95 10 -1.05
-103.95 11 -1.05
-103.95 12 -1.05
-103.95 13 -1.05
-103.95 14 -1.05
-103.95 15 -1.05
103.95 33 1.05
EOD
$p0l3 << EOD
17.0626 32 15.3564 18.7689
EOD
$p0l4 << EOD
-0.300934 24 -0.731027 0.12916
4.01942 31 3.61748 4.42136
EOD
set xlabel 'change relative to the base (%)' noenhanced textcolor rgb '#5b6675'
set ylabel '' noenhanced textcolor rgb '#5b6675'
set xrange [-105:105]
set yrange [34.5:-0.5]
set ytics noenhanced ('frame.hitch_time_ratio' 0, 'frame.overrun.p99' 1, 'rss.peak' 2, 'cache.hit_ratio' 3, 'frame.hitch_time_ratio.wall' 4, 'frame.hitch_count' 5, 'frame.hitch_max' 6, 'frame.dropped' 7, 'frame.rate' 8, 'frame.jank_count' 9, 'frame.missed_max_64' 10, 'frame.jank_budget' 11, 'frame.seed_drops' 12, 'frame.overrun.p50' 13, 'frame.overrun.p90' 14, 'frame.overrun.p95' 15, 'frame.cost.p50' 16, 'frame.cost.p90' 17, 'frame.cost.p95' 18, 'frame.cost.p99' 19, 'frame.cpu.p50' 20, 'frame.cpu.p90' 21, 'frame.cpu.p95' 22, 'frame.cpu.p99' 23, 'wall' 24, 'cpu.total' 25, 'cpu.user' 26, 'cpu.system' 27, 'rss.mean' 28, 'rss.end' 29, 'faults.minor' 30, 'switches.voluntary' 31, 'switches.involuntary' 32, 'cache.hits' 33, 'cache.misses' 34)
plot $p0l0 using 1:2:3:4:5:6 with boxxyerror fs transparent solid 0.22 noborder lc rgb '#a4adb8' title 'smallest margin, ±2%', \
  $p0l1 using 1:2 with lines lw 1.2 dt (12,6) lc rgb '#1b1f24' notitle, \
  $p0l2 using 1:2:3:4 with xerrorbars pt 7 ps 0.9 lw 2 lc rgb '#0d7d5f' title 'improved', \
  $p0l2arrows using 1:2:3:(0) with vectors head filled size graph 0.012,32 fixed lc rgb '#0d7d5f' notitle, \
  $p0l3 using 1:2:3:4 with xerrorbars pt 7 ps 0.9 lw 2 lc rgb '#c8401a' title 'regressed', \
  $p0l4 using 1:2:3:4 with xerrorbars pt 7 ps 0.9 lw 2 lc rgb '#a4adb8' title 'neither'
unset label
unset multiplot
unset output
