package apptest_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/widget"
	"fyne.io/systray"
	"github.com/godbus/dbus/v5"
	"github.com/zalando/go-keyring"

	. "fermata/app/apptest"
)

// role is the variable by which the test binary, started again as a program on the desktop, knows what to play.
const role = "APPTEST_ROLE"

func TestMain(m *testing.M) {
	play, ok := map[string]func(){
		"keyring": playKeyring, "tray": playTray, "notify": playNotify, "desktop": playDesktop,
		"faulty": func() { fmt.Println("*** Error in Fyne call thread, this should have been called in fyne.Do ***") },
		"deaf":   func() { select {} },
		"astray": playAstray,
	}[os.Getenv(role)]
	if !ok {
		os.Exit(m.Run())
	}
	play()
}

// start starts the test binary in a role.
func start(t T, name string, env []string) *App {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatalf("%v", err)
	}
	// The tray library races with itself where it reads and counts its menu's version; that is not ours to report here.
	return Start(t, self, nil, append(env, role+"="+name, "GORACE=log_path=/dev/null exitcode=0 atexit_sleep_ms=0"))
}

func playKeyring() {
	if err := keyring.Set("fermata", "token", "s3cret"); err != nil {
		fmt.Println("set:", err)
		os.Exit(1)
	}
	secret, err := keyring.Get("fermata", "token")
	fmt.Println("got", secret, err)
}

func playTray() {
	var icon bytes.Buffer
	img := image.NewNRGBA(image.Rect(0, 0, 22, 22))
	img.SetNRGBA(3, 5, color.NRGBA{R: 10, G: 20, B: 30, A: 255})
	if err := png.Encode(&icon, img); err != nil {
		panic(err)
	}
	systray.Run(func() {
		systray.SetIcon(icon.Bytes())
		systray.SetTitle("Tray test")
		systray.SetOnTapped(func() { fmt.Println("tapped") })
		open := systray.AddMenuItem("Open", "")
		systray.AddSeparator()
		more := systray.AddMenuItem("More", "")
		deep := more.AddSubMenuItemCheckbox("Deep", "", true)
		off := systray.AddMenuItem("Off", "")
		off.Disable()
		quit := systray.AddMenuItem("Quit", "")
		go func() {
			for {
				select {
				case <-open.ClickedCh:
					open.SetTitle("Opened")
				case <-deep.ClickedCh:
					fmt.Println("deep clicked")
				case <-quit.ClickedCh:
					systray.Quit()
				}
			}
		}()
	}, nil)
}

func playNotify() {
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		panic(err)
	}
	signals := make(chan *dbus.Signal, 8)
	conn.Signal(signals)
	if err := conn.AddMatchSignal(dbus.WithMatchInterface("org.freedesktop.Notifications")); err != nil {
		panic(err)
	}
	object := conn.Object("org.freedesktop.Notifications", "/org/freedesktop/Notifications")
	notify := func(replaces uint32, body string) (id uint32) {
		err := object.Call("org.freedesktop.Notifications.Notify", 0, "App", replaces, "", "A gate", body,
			[]string{"default", "Open"}, map[string]dbus.Variant{}, int32(-1)).Store(&id)
		if err != nil {
			panic(err)
		}
		return id
	}
	first := notify(0, "first")
	notify(first, "second")
	for s := range signals {
		fmt.Println(s.Name, s.Body)
	}
}

// playAstray changes a widget of a shown window on a goroutine of its own.
func playAstray() {
	a := fyneapp.NewWithID("run.fermata.astray")
	w := a.NewWindow("Astray")
	label := widget.NewLabel("on the main goroutine")
	w.SetContent(label)
	a.Lifecycle().SetOnStarted(func() {
		go func() {
			label.SetText("off it")
			fyne.Do(a.Quit)
		}()
	})
	w.ShowAndRun()
}

// playDesktop starts a desktop and hangs, to be killed.
func playDesktop() {
	d, err := StartDesktop(Options{Tray: true})
	if err != nil {
		panic(err)
	}
	fmt.Println("display", d.Display)
	time.Sleep(time.Hour)
}
