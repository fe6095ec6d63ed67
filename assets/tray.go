package assets

import (
	"bytes"
	"embed"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strconv"
)

// TrayState is what the dot of the tray icon tells.
type TrayState int

// The states of the tray icon.
const (
	TrayIdle    TrayState = iota // nothing to do: the dot is hollow
	TrayWorking                  // work runs: the dot is filled
)

// TraySize is the edge of a tray icon in pixels.
const TraySize = 64

//go:embed tray/*.png
var trayMasks embed.FS

// Tray returns the tray icon as a PNG of TraySize pixels in one colour on a
// transparent ground: light ink for a dark panel, dark ink for a light one.
// count is the number of cues that wait: 0 shows none, 10 and more show "9+".
// Fyne's SetSystemTrayIcon converts the PNG to an ICO on Windows itself.
func Tray(state TrayState, count int, dark bool) []byte {
	ink := color.NRGBA{R: 0x1E, G: 0x1C, B: 0x19, A: 0xFF}
	if dark {
		ink = color.NRGBA{R: 0xEC, G: 0xE9, B: 0xE2, A: 0xFF}
	}
	icon, err := tint(trayFile(state, count), ink)
	if err != nil {
		// Every mask is part of the program and each one is tested, so this is a broken build.
		panic(err)
	}
	return icon
}

// TrayName is the file name of the icon that Tray returns for the same
// arguments; icons that look different have different names.
func TrayName(state TrayState, count int, dark bool) string {
	panel := "light"
	if dark {
		panel = "dark"
	}
	return trayStem(state, count) + "-" + panel + ".png"
}

func trayFile(state TrayState, count int) string {
	return "tray/" + trayStem(state, count) + ".png"
}

func trayStem(state TrayState, count int) string {
	dot := "idle"
	if state == TrayWorking {
		dot = "working"
	}
	shown := strconv.Itoa(max(count, 0))
	if count > 9 {
		shown = "9plus"
	}
	return dot + "-" + shown
}

// tint draws the mask's shape in ink.
func tint(file string, ink color.NRGBA) ([]byte, error) {
	data, err := trayMasks.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read tray mask: %w", err)
	}
	mask, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("decode tray mask %s: %w", file, err)
	}
	bounds := mask.Bounds()
	icon := image.NewNRGBA(bounds)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			_, _, _, alpha := mask.At(x, y).RGBA()
			ink.A = uint8(alpha >> 8)
			icon.SetNRGBA(x, y, ink)
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, icon); err != nil {
		return nil, fmt.Errorf("encode tray icon: %w", err)
	}
	return out.Bytes(), nil
}
