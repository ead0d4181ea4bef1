#include "cunwind.h"
