# scroll-1000:naive: metrics by launch
set terminal svg size 1200,844 dynamic background '#ffffff' font 'Helvetica,12' enhanced
set encoding utf8
set border 1 lc rgb '#5b6675'
set tics nomirror out scale 0.5 textcolor rgb '#5b6675'
set ytics scale 0
set grid ytics xtics lc rgb '#e4e7eb' lt 1 lw 0.8
set key left bottom horizontal Left reverse samplen 1.6 width 1 noenhanced
set multiplot
set label 1 'scroll-1000:naive: metrics by launch' at screen 0.0200, screen 0.9692 left noenhanced font ',14'
set label 2 'frame.hitch_time_ratio' at screen 0.0200, screen 0.9336 left noenhanced font ',12'
set lmargin at screen 0.0700
set rmargin at screen 0.4767
set tmargin at screen 0.8626
set bmargin at screen 0.5427
set key at graph 0, screen 0.8720 maxcols 2
$p0l0 << EOD
3.5 771.053 0.5 6.5 700 842.105
EOD
$p0l1 << EOD
0.5 814.56
6.5 814.56
EOD
$p0l2 << EOD
0.5 5
6.5 5
EOD
$p0l3 << EOD
1 821.429
2 807.692
3 842.105
4 700
5 741.935
6 838.71
EOD
set xlabel 'launch' noenhanced textcolor rgb '#5b6675'
set ylabel 'ms/s' noenhanced textcolor rgb '#5b6675'
set xrange [0.5:6.5]
set yrange [0:900]
plot $p0l0 using 1:2:3:4:5:6 with boxxyerror fs transparent solid 0.22 noborder lc rgb '#a4adb8' title '95 % CI', \
  $p0l1 using 1:2 with lines lw 1.2 lc rgb '#0b62a8' title 'median', \
  $p0l2 using 1:2 with lines lw 1.2 dt (12,6) lc rgb '#1b1f24' title 'budget <= 5 ms/s', \
  $p0l3 using 1:2 with points pt 7 ps 0.8 lc rgb '#0b62a8' notitle
unset label
set label 2 'frame.overrun.p99' at screen 0.5200, screen 0.9336 left noenhanced font ',12'
set lmargin at screen 0.5700
set rmargin at screen 0.9767
set tmargin at screen 0.8626
set bmargin at screen 0.5427
set key at graph 0, screen 0.8720 maxcols 2
$p1l0 << EOD
3.5 45.8383 0.5 6.5 43.3139 48.3626
EOD
$p1l1 << EOD
0.5 46.7039
6.5 46.7039
EOD
$p1l2 << EOD
0.5 0
6.5 0
EOD
$p1l3 << EOD
1 48.3626
2 44.2953
3 43.3139
4 47.7781
5 45.6296
6 48.1295
EOD
set xlabel 'launch' noenhanced textcolor rgb '#5b6675'
set ylabel 'ms' noenhanced textcolor rgb '#5b6675'
set xrange [0.5:6.5]
set yrange [0:50]
plot $p1l0 using 1:2:3:4:5:6 with boxxyerror fs transparent solid 0.22 noborder lc rgb '#a4adb8' title '95 % CI', \
  $p1l1 using 1:2 with lines lw 1.2 lc rgb '#0b62a8' title 'median', \
  $p1l2 using 1:2 with lines lw 1.2 dt (12,6) lc rgb '#1b1f24' title 'budget <= 0 ms', \
  $p1l3 using 1:2 with points pt 7 ps 0.8 lc rgb '#0b62a8' notitle
unset label
set label 2 'rss.peak' at screen 0.0200, screen 0.4597 left noenhanced font ',12'
set lmargin at screen 0.0700
set rmargin at screen 0.4767
set tmargin at screen 0.3886
set bmargin at screen 0.0687
set key at graph 0, screen 0.3981 maxcols 2
$p2l0 << EOD
3.5 80.0809 0.5 6.5 74.9609 85.2009
EOD
$p2l1 << EOD
0.5 83.4847
6.5 83.4847
EOD
$p2l2 << EOD
0.5 150
6.5 150
EOD
$p2l3 << EOD
1 82.8908
2 85.2009
3 80.1874
4 84.095
5 74.9609
6 84.0786
EOD
set xlabel 'launch' noenhanced textcolor rgb '#5b6675'
set ylabel 'MB' noenhanced textcolor rgb '#5b6675'
set xrange [0.5:6.5]
set yrange [0:150]
plot $p2l0 using 1:2:3:4:5:6 with boxxyerror fs transparent solid 0.22 noborder lc rgb '#a4adb8' title '95 % CI', \
  $p2l1 using 1:2 with lines lw 1.2 lc rgb '#0b62a8' title 'median', \
  $p2l2 using 1:2 with lines lw 1.2 dt (12,6) lc rgb '#1b1f24' title 'budget <= 150 MB', \
  $p2l3 using 1:2 with points pt 7 ps 0.8 lc rgb '#0b62a8' notitle
unset label
set label 2 'cache.hit_ratio' at screen 0.5200, screen 0.4597 left noenhanced font ',12'
set lmargin at screen 0.5700
set rmargin at screen 0.9767
set tmargin at screen 0.3886
set bmargin at screen 0.0687
set key at graph 0, screen 0.3981 maxcols 2
$p3l0 << EOD
0.5 36.6667
6.5 36.6667
EOD
$p3l1 << EOD
0.5 80
6.5 80
EOD
$p3l2 << EOD
1 36.6667
2 36.6667
3 36.6667
4 36.6667
5 36.6667
6 36.6667
EOD
set xlabel 'launch' noenhanced textcolor rgb '#5b6675'
set ylabel '%' noenhanced textcolor rgb '#5b6675'
set xrange [0.5:6.5]
set yrange [0:80]
plot $p3l0 using 1:2 with lines lw 1.2 lc rgb '#0b62a8' title 'median', \
  $p3l1 using 1:2 with lines lw 1.2 dt (12,6) lc rgb '#1b1f24' title 'budget >= 80%', \
  $p3l2 using 1:2 with points pt 7 ps 0.8 lc rgb '#0b62a8' notitle
unset label
unset multiplot
unset output
