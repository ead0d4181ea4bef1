# Week by week
set terminal svg size 1200,300 dynamic background '#ffffff' font 'Helvetica,12' enhanced
set encoding utf8
set border 1 lc rgb '#5b6675'
set tics nomirror out scale 0.5 textcolor rgb '#5b6675'
set ytics scale 0
set grid ytics xtics lc rgb '#e4e7eb' lt 1 lw 0.8
set key left bottom horizontal Left reverse samplen 1.6 width 1 noenhanced
set multiplot
set label 1 'Week by week' at screen 0.0200, screen 0.9133 left noenhanced font ',14'
set label 2 'rss.peak' at screen 0.0200, screen 0.8133 left noenhanced font ',12'
set lmargin at screen 0.0567
set rmargin at screen 0.4767
set tmargin at screen 0.6133
set bmargin at screen 0.1933
set key at graph 0, screen 0.6400 maxcols 4
$p0l0 << EOD
0.60125 0 0 1.2025 -0.33 0.33
0.25125 3 0 0.5025 2.67 3.33
EOD
$p0l1 << EOD
0.8025 1 0.4025 1.2025 0.67 1.33
EOD
$p0l2 << EOD
0.4525 2 0.4025 0.5025 1.67 2.33
EOD
set xlabel 'GB' noenhanced textcolor rgb '#5b6675'
set ylabel '' noenhanced textcolor rgb '#5b6675'
set xrange [0:1.25]
set yrange [3.5:-0.5]
set ytics noenhanced ('week-0' 0, 'week-1' 1, 'week-2' 2, 'final' 3)
plot $p0l0 using 1:2:3:4:5:6 with boxxyerror fs solid 0.5 border lc rgb '#0b62a8' fc rgb '#0b62a8' title 'total', \
  $p0l1 using 1:2:3:4:5:6 with boxxyerror fs solid 0.5 border lc rgb '#0d7d5f' fc rgb '#0d7d5f' title 'better', \
  $p0l2 using 1:2:3:4:5:6 with boxxyerror fs solid 0.5 border lc rgb '#c8401a' fc rgb '#c8401a' title 'worse'
unset label
set label 2 'frame.rate' at screen 0.5200, screen 0.8133 left noenhanced font ',12'
set lmargin at screen 0.5567
set rmargin at screen 0.9767
set tmargin at screen 0.5533
set bmargin at screen 0.1933
set key at graph 0, screen 0.5800 maxcols 1
$p1l0 << EOD
9.125 0 0 18.25 -0.33 0.33
59.125 3 0 118.25 2.67 3.33
EOD
$p1l1 << EOD
68.35 2 18.45 118.25 1.67 2.33
EOD
$p1l2 << EOD
18.35 1 18.25 18.45 0.67 1.33
EOD
set xlabel 'fps' noenhanced textcolor rgb '#5b6675'
set ylabel '' noenhanced textcolor rgb '#5b6675'
set xrange [0:125]
set yrange [3.5:-0.5]
set ytics noenhanced ('week-0' 0, 'week-1' 1, 'week-2' 2, 'final' 3)
plot $p1l0 using 1:2:3:4:5:6 with boxxyerror fs solid 0.5 border lc rgb '#0b62a8' fc rgb '#0b62a8' title 'total', \
  $p1l1 using 1:2:3:4:5:6 with boxxyerror fs solid 0.5 border lc rgb '#0d7d5f' fc rgb '#0d7d5f' title 'better', \
  $p1l2 using 1:2:3:4:5:6 with boxxyerror fs solid 0.5 border lc rgb '#a4adb8' fc rgb '#a4adb8' title 'no significant change'
unset label
unset multiplot
unset output
