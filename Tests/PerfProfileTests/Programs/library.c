/// Loaded at run time: calls back into the program.
int call_back(int (*function)(int), int value) {
  return function(value) + 1;
}
