// Package conformance asks the running app, as a client with nothing but HTTP, for every sentence of its contract.
package conformance
