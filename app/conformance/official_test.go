package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Where `make test` puts what the protocol's authors publish, below the module's root.
const (
	officialSuite     = "@modelcontextprotocol/conformance/dist/index.js"
	officialInspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
)

// official prepares a run of an official program; the test fails when it is not installed.
func official(t *testing.T, program string, args ...string) *exec.Cmd {
	t.Helper()
	modules := filepath.Join("..", "..", ".cache", "npm", "node_modules")
	node := os.Getenv("FERMATA_TEST_NODE")
	if node == "" {
		cpu := map[string]string{"amd64": "x64"}[runtime.GOARCH]
		if cpu == "" {
			cpu = runtime.GOARCH
		}
		node = filepath.Join(modules, "node-"+runtime.GOOS+"-"+cpu, "bin", "node")
	}
	script := filepath.Join(modules, filepath.FromSlash(program))
	for _, path := range []string{node, script} {
		if _, err := os.Stat(path); err != nil {
			t.Fatalf("find the official programs (run make test, which installs them; elsewhere than on Linux set FERMATA_TEST_NODE to a Node.js of 22 or newer): %v", err)
		}
	}
	node, err := filepath.Abs(node)
	if err != nil {
		t.Fatal(err)
	}
	if script, err = filepath.Abs(script); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, node, append([]string{script}, args...)...)
	home := t.TempDir()
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + filepath.Dir(node) + ":/usr/bin:/bin", "HOME=" + home, "LANG=C.UTF-8", "NO_COLOR=1"}
	return cmd
}

// suiteSummary is the last line of the suite: how many checks of all scenarios passed, and how many did not.
var suiteSummary = regexp.MustCompile(`Total: (\d+) passed, (\d+) failed`)

// runSuite runs every scenario of the official suite against a server. Exactly those that the baseline names may fail; one
// that is named and passes is an error too.
func runSuite(t *testing.T, url, baseline string) {
	t.Helper()
	baseline, err := filepath.Abs(filepath.Join("testdata", baseline))
	if err != nil {
		t.Fatal(err)
	}
	said, err := official(t, officialSuite, "server", "--url", url, "--suite", "all", "--expected-failures", baseline).CombinedOutput()
	total := suiteSummary.FindStringSubmatch(string(said))
	if err != nil || total == nil {
		t.Errorf("the official suite: %v\n%s", err, said)
		return
	}
	fmt.Printf("official suite, %s: %s checks passed, %s of scenarios that do not apply failed\n", strings.TrimSuffix(filepath.Base(baseline), ".yml"), total[1], total[2])
}

// officialInspect runs the official inspector's command line against a server and decodes what it printed.
func officialInspect(t *testing.T, url string, args ...string) map[string]any {
	t.Helper()
	cmd := official(t, officialInspector, append([]string{"--cli", url, "--transport", "http"}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var v map[string]any
	if err == nil {
		err = json.Unmarshal(out, &v)
	}
	if err != nil {
		t.Fatalf("inspector %v: %v\n%s\n%s", args, err, out, errs.String())
	}
	return v
}

// It is not parallel, so that TestConformance has the last word of make conformance.
func TestOfficialSuitePassesOnOurServerWithItsFixtures(t *testing.T) {
	runSuite(t, serveFixtures(t), "with-fixtures.yml")
}
