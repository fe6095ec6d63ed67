package app

import "fyne.io/fyne/v2"

// takeStopHook takes from a Fyne app what it would do on its stop, which is to write its preferences, and returns it to
// be done after Run: Fyne hands it to the main goroutine in the very moment in which that stops to listen, and then now
// and then waits for ever, so that the app neither answers nor ends.
func takeStopHook(a fyne.App) func() {
	l, ok := a.Lifecycle().(interface {
		OnStopped() func()
		SetOnStoppedHookExecuted(hook func())
	})
	if !ok {
		return func() {}
	}
	hook := l.OnStopped()
	if hook == nil {
		return func() {}
	}
	l.SetOnStoppedHookExecuted(nil)
	return hook
}
