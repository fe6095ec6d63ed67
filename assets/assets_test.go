package assets

import (
	"bytes"
	"image/png"
	"strings"
	"testing"
)

func TestIconIsASquarePNG(t *testing.T) {
	t.Parallel()
	icon, err := png.Decode(bytes.NewReader(Icon))
	if err != nil {
		t.Fatal(err)
	}
	if size := icon.Bounds().Size(); size.X != 512 || size.Y != 512 {
		t.Errorf("icon is %v, want 512×512", size)
	}
	if _, _, _, corner := icon.At(0, 0).RGBA(); corner != 0 {
		t.Errorf("icon's corner has alpha %#x, want none", corner)
	}
	if !bytes.Contains(IconSVG, []byte("<svg")) {
		t.Error("IconSVG holds no svg element")
	}
}

func TestEveryFontIsThereWithItsLicence(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, magic string
		data        []byte
	}{
		{InterRegularName, "OTTO", InterRegular()},
		{InterSemiBoldName, "OTTO", InterSemiBold()},
		{MonoRegularName, "\x00\x01\x00\x00", MonoRegular()},
		{MonoSemiBoldName, "\x00\x01\x00\x00", MonoSemiBold()},
	}
	for _, c := range cases {
		if !strings.HasPrefix(string(c.data), c.magic) {
			t.Errorf("%s does not begin like its format", c.name)
		}
		if directory := c.data[:12+16*int(c.data[5])]; bytes.Contains(directory, []byte("GSUB")) {
			t.Errorf("%s has glyph substitutions: run slim.py over it", c.name)
		}
		family, _, _ := strings.Cut(c.name, "-")
		licence := FontLicences()[family+"-OFL.txt"]
		if !strings.HasPrefix(licence, "Copyright") || !strings.Contains(licence, "SIL OPEN FONT LICENSE") {
			t.Errorf("%s has no licence text", c.name)
		}
	}
	if !strings.Contains(FontLicences()[EastAsianLicence], "Apache License") {
		t.Errorf("%s has no licence text", EastAsianName)
	}
}

func TestTrayIconTellsStateCountAndPanelApart(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, state := range []TrayState{TrayIdle, TrayWorking} {
		for count := range 11 {
			for _, dark := range []bool{false, true} {
				icon, name := Tray(state, count, dark), TrayName(state, count, dark)
				if other, ok := seen[string(icon)]; ok {
					t.Errorf("%s looks like %s", name, other)
				}
				seen[string(icon)] = name
			}
		}
	}
	if len(seen) != 44 {
		t.Errorf("%d different icons, want 44", len(seen))
	}
}

func TestTrayCountStopsAtNine(t *testing.T) {
	t.Parallel()
	if !bytes.Equal(Tray(TrayIdle, 10, true), Tray(TrayIdle, 1000, true)) {
		t.Error("10 and 1000 look different, want 9+ for both")
	}
	if !bytes.Equal(Tray(TrayIdle, -1, true), Tray(TrayIdle, 0, true)) {
		t.Error("a count below zero does not look like none")
	}
}

func TestTrayIconIsOneColour(t *testing.T) {
	t.Parallel()
	for dark, want := range map[bool][3]uint32{true: {0xEC, 0xE9, 0xE2}, false: {0x1E, 0x1C, 0x19}} {
		icon, err := png.Decode(bytes.NewReader(Tray(TrayWorking, 3, dark)))
		if err != nil {
			t.Fatal(err)
		}
		opaque := 0
		for y := range TraySize {
			for x := range TraySize {
				r, g, b, alpha := icon.At(x, y).RGBA()
				if alpha != 0xFFFF {
					continue
				}
				opaque++
				if got := [3]uint32{r >> 8, g >> 8, b >> 8}; got != want {
					t.Fatalf("dark=%v: pixel %d,%d is %x, want %x", dark, x, y, got, want)
				}
			}
		}
		if opaque < TraySize {
			t.Errorf("dark=%v: only %d opaque pixels", dark, opaque)
		}
	}
}
