# scroll:optimised, cpu.total
set terminal svg size 1200,600 dynamic background '#ffffff' font 'Helvetica,12' enhanced
set encoding utf8
set border 1 lc rgb '#5b6675'
set tics nomirror out scale 0.5 textcolor rgb '#5b6675'
set ytics scale 0
set grid ytics xtics lc rgb '#e4e7eb' lt 1 lw 0.8
set key left bottom horizontal Left reverse samplen 1.6 width 1 noenhanced
set multiplot
set label 1 'scroll:optimised, cpu.total' at screen 0.0200, screen 0.9567 left noenhanced font ',14'
set label 2 'cpu.total' at screen 0.0200, screen 0.9067 left noenhanced font ',12'
set lmargin at screen 0.0700
set rmargin at screen 0.9767
set tmargin at screen 0.8067
set bmargin at screen 0.0967
set key at graph 0, screen 0.8200 maxcols 3
$p0l0 << EOD
1 24
1 24.5
EOD
$p0l1 << EOD
2 24.3
2 24.8
EOD
$p0l2 << EOD
3 24.1
3 24.6
EOD
$p0l3 << EOD
4 24.65
4 24.85
EOD
$p0l4 << EOD
5 24.2
5 24.7
EOD
$p0l5 << EOD
6 24
6 24.5
EOD
$p0l6 << EOD
7 24.3
7 24.8
EOD
$p0l7 << EOD
8 26.1
8 26.6
EOD
$p0l8 << EOD
9 26.4
9 26.9
EOD
$p0l9 << EOD
10 26.2
10 26.7
EOD
$p0l10 << EOD
11 26
11 26.5
EOD
$p0l11 << EOD
12 26.3
12 26.8
EOD
$p0l12 << EOD
13 26.1
13 26.6
EOD
$p0l13 << EOD
14 26.4
14 26.9
EOD
$p0l14 << EOD
1 24.45
7 24.45
EOD
$p0l15 << EOD
8 26.45
14 26.45
EOD
$p0l16 << EOD
7.5 24
7.5 27
EOD
$p0l17 << EOD
1 24.25
2 24.55
3 24.35
4 24.75
5 24.45
6 24.25
7 24.55
8 26.35
9 26.65
10 26.45
11 26.25
12 26.55
14 26.65
EOD
$p0l18 << EOD
13 26.35
EOD
set xlabel 'commits, 0000000000 to dddddddddd' noenhanced textcolor rgb '#5b6675'
set ylabel 'ms' noenhanced textcolor rgb '#5b6675'
set xrange [0.5:14.5]
set yrange [24:27]
plot $p0l0 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l1 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l2 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l3 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l4 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l5 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l6 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l7 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l8 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l9 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l10 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l11 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l12 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l13 using 1:2 with lines lw 0.8 lc rgb '#B0a4adb8' notitle, \
  $p0l14 using 1:2 with lines lw 1.6 lc rgb '#a3671b' title 'median', \
  $p0l15 using 1:2 with lines lw 1.6 lc rgb '#a3671b' notitle, \
  $p0l16 using 1:2 with lines lw 1.2 lc rgb '#c8401a' title '+8.25% at 7777777777', \
  $p0l17 using 1:2 with points pt 7 ps 0.8 lc rgb '#0b62a8' title 'committed', \
  $p0l18 using 1:2 with points pt 7 ps 0.8 lc rgb '#a4adb8' title 'with uncommitted changes'
unset label
unset multiplot
unset output
