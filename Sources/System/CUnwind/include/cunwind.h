#ifndef CUNWIND_H
#define CUNWIND_H
#endif
