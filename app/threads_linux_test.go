package app

import (
	"debug/buildinfo"
	"os"
	"strings"
	"testing"
)

// TestTheTestedAppChecksItsThreads keeps Fyne's checks for calls off its thread on in the program that the end-to-end tests
// run: a build for release switches them off by a tag, or by the FyneApp.toml of the folder that the program is started in.
// That a finding fails a test is for apptest to prove.
func TestTheTestedAppChecksItsThreads(t *testing.T) {
	t.Parallel()
	bin, err := buildApp()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	tags := ""
	for _, s := range info.Settings {
		if s.Key == "-tags" {
			tags = s.Value
		}
	}
	if !strings.Contains(tags, "gles") || strings.Contains(tags, "migrated_fynedo") {
		t.Errorf("it was built with the tags %q", tags)
	}
	if _, err := os.Stat("FyneApp.toml"); err == nil {
		t.Error("the folder that it is started in has a FyneApp.toml, which switches the checks off")
	}
}
