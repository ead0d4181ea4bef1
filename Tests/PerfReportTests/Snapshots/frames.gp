# scroll-1000:naive: frames of launch 5
if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {
  set terminal pngcairo size 2400,1200 fontscale 2 linewidth 2 pointscale 2 background '#ffffff' font 'DejaVu Sans,11'
} else {
  set terminal png size 2400,1200 linewidth 2 font 'DejaVu Sans,22'
}
set encoding utf8
set border 1 lc rgb '#5b6675'
set tics nomirror out scale 0.5 textcolor rgb '#5b6675'
set ytics scale 0
set grid ytics xtics lc rgb '#e4e7eb' lt 1 lw 0.8
set key left bottom horizontal Left reverse samplen 1.6 width 1 noenhanced
set multiplot
set label 1 'scroll-1000:naive: frames of launch 5' at screen 0.0200, screen 0.9567 left noenhanced font ',14'
set lmargin at screen 0.0700
set rmargin at screen 0.9767
set tmargin at screen 0.8700
set bmargin at screen 0.0967
set key at graph 0, screen 0.8833 maxcols 5
$p0l0 << EOD
0 4.44956
0.05 4.12436
0.0583333 3.60107
EOD
$p0l1 << EOD
0.00833333 36.8422
0.0666667 32.2588
0.1 40.5183
0.35 50.1448
0.408333 54.2504
EOD
$p0l2 << EOD
0 8.33333
0.408333 8.33333
EOD
set xlabel 'time (s)' noenhanced textcolor rgb '#5b6675'
set ylabel 'cost of a frame (ms)' noenhanced textcolor rgb '#5b6675'
set xrange [0:0.408333]
set yrange [0:60]
plot $p0l0 using 1:2 with impulses lw 1.2 lc rgb '#0b62a8' title 'on time', \
  $p0l1 using 1:2 with impulses lw 1.2 lc rgb '#c8401a' title 'missed refresh', \
  $p0l2 using 1:2 with lines lw 1.2 dt (12,6) lc rgb '#1b1f24' title 'budget 8.333 ms'
unset label
unset multiplot
unset output
