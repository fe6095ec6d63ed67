package signal

import "testing"

func TestWakesMergeAndNoneIsLost(t *testing.T) {
	t.Parallel()
	var h Hub
	wake, done := h.Watch()
	for range 100 {
		h.Wake()
	}
	<-wake
	select {
	case <-wake:
		t.Error("a hundred wakes did not merge into one")
	default:
	}
	h.Wake()
	<-wake
	done()
	h.Wake()
	select {
	case <-wake:
		t.Error("woken after the watching ended")
	default:
	}
}
