package app

/*
#include <malloc.h>

static void trim(void) {
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}
*/
import "C"

// trimC gives back what the C library holds of memory that SQLite and the graphics driver freed; musl gives it back by itself.
func trimC() { C.trim() }
