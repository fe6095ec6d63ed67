package pieces

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// SettingKind is the kind of value that a setting takes.
type SettingKind string

// The kinds of setting. A choice takes one of the setting's Choices.
const (
	SettingBool  SettingKind = "bool"
	SettingInt   SettingKind = "int"
	SettingMoney SettingKind = "money" // US dollars, 0 for no limit
	SettingText  SettingKind = "text"
	// SettingAddress is an address of the web, or empty.
	SettingAddress SettingKind = "address"
	SettingChoice  SettingKind = "choice"
	SettingHours   SettingKind = "hours" // of each day, such as "22:00-07:00"; empty for none
)

// The settings keys that code reads by name; the whole table is Settings.
const (
	KeyEdgeEnabled        = "edge.enabled"
	KeyEdgeControlPlane   = "edge.controlPlane"
	KeyEdgeCodeReview     = "edge.codeReview"
	KeyMCPEnabled         = "mcp.enabled"
	KeyMCPPreferredPort   = "mcp.preferredPort"
	KeyMCPAskBefore       = "mcp.askBeforeRunsAndPullRequests"
	KeyAgentsAtOnce       = "pieces.agentsAtOnce"
	KeyAutoSplit          = "pieces.autoSplit"
	KeyStartSplits        = "pieces.startSplitPiecesAutomatically"
	KeyClaudeAtOnce       = "pieces.claudeAtOnce"
	KeyPermissionProfile  = "pieces.permissionProfile"
	KeyDependencies       = "pieces.dependencies"
	KeyBudgetUSD          = "pieces.budgetUSD"
	KeyClaudePath         = "claude.path"
	KeyStartAtLogin       = "app.startAtLogin"
	KeyTheme              = "app.theme"
	KeyTextSize           = "app.textSize"
	KeyLanguage           = "app.language"
	KeyEditor             = "app.editor"
	KeyTerminal           = "app.terminal"
	KeyGitHubAPIURL       = "github.apiUrl"
	KeyNotifyRequired     = "notifications.requiredInput"
	KeyNotifyReview       = "notifications.readyForReview"
	KeyNotifyMerge        = "notifications.readyToMerge"
	KeyNotifyFailures     = "notifications.failures"
	KeyNotifySound        = "notifications.sound"
	KeyNotifyQuiet        = "notifications.quietHours"
	KeyWelcomeDone        = "app.welcomeDone"
	keyClaudeModelPrefix  = "claude.model."
	keyClaudeEffortPrefix = "claude.effort."
)

// The values of KeyTheme: as the desktop is, always light, always dark.
const (
	ThemeSystem = "system"
	ThemeLight  = "light"
	ThemeDark   = "dark"
)

// The values of KeyLanguage: as the desktop is, English where Fermata does not speak its language, or always the one.
const (
	LanguageDesktop = ""
	LanguageEnglish = "en"
	LanguageGerman  = "de"
)

// TextSizes are the values of KeyTextSize, in percent. Steps of ten are what the screen's scale is rounded to.
func TextSizes() []string {
	var sizes []string
	for percent := 80; percent <= 200; percent += 10 {
		sizes = append(sizes, strconv.Itoa(percent))
	}
	return sizes
}

// Steps are the steps of a piece that have a model and an effort of their own.
func Steps() []string {
	return []string{"spec", "strategy", "plan", "task", "workReview", "pullRequest"}
}

// Efforts are the efforts that Claude Code takes; empty is its own default.
func Efforts() []string { return []string{"", "low", "medium", "high", "xhigh", "max"} }

// ModelKey and EffortKey name a step's settings.
func ModelKey(step string) string { return keyClaudeModelPrefix + step }

// EffortKey names the setting of a step's effort.
func EffortKey(step string) string { return keyClaudeEffortPrefix + step }

// Setting describes one settings key.
type Setting struct {
	Key      string
	Kind     SettingKind
	Default  string
	Choices  []string
	Min, Max int // of an int
	Sentence string
}

var settings = buildSettings()

func buildSettings() []Setting {
	on := func(key, def, s string) Setting {
		return Setting{Key: key, Kind: SettingBool, Default: def, Sentence: s}
	}
	list := []Setting{
		on(KeyEdgeEnabled, "false", "Shows features that are still in preview"),
		on(KeyEdgeControlPlane, "false", "Lets an external Claude Code drive pieces through a local MCP server"),
		on(KeyEdgeCodeReview, "false", "Offers a code review of a piece's diff"),
		on("edge.echoes", "false", "Runs pieces on remote machines"),
		on("edge.loopIntake", "false", "Picks issues from linked trackers"),
		on(KeyMCPEnabled, "false", "Let an external Claude Code drive pieces over a local MCP connection."),
		{Key: KeyMCPPreferredPort, Kind: SettingInt, Default: "8787", Min: 1024, Max: 65535, Sentence: "The port the MCP server tries first"},
		on(KeyMCPAskBefore, "false", "Approve each one in Fermata"),
		{Key: KeyAgentsAtOnce, Kind: SettingInt, Default: "3", Min: 1, Max: 16, Sentence: "How many agents of one piece run side by side"},
		on(KeyAutoSplit, "false", "Applies split proposals of Auto and Loop pieces without asking"),
		on(KeyStartSplits, "false", "Starts the pieces of a split in the original's lane; off, they wait for you at their spec"),
		{Key: KeyClaudeAtOnce, Kind: SettingInt, Default: "6", Min: 1, Max: 64, Sentence: "How many Claude Code processes run at once over all pieces; the others wait for their turn"},
		{Key: KeyPermissionProfile, Kind: SettingChoice, Default: string(ProfileStandard), Choices: []string{string(ProfileSafe), string(ProfileStandard), string(ProfileTrusted)}, Sentence: "What agents may do without asking"},
		on(KeyDependencies, "true", "Lets pieces wait on other pieces"),
		{Key: KeyBudgetUSD, Kind: SettingMoney, Default: "0", Sentence: "What one piece may cost in US dollars before it stops; 0 for no limit"},
		on(KeyStartAtLogin, "false", "Starts Fermata when you log in, in the tray and without a window"),
		{Key: KeyTheme, Kind: SettingChoice, Default: ThemeSystem, Choices: []string{ThemeSystem, ThemeLight, ThemeDark}, Sentence: "Follows your desktop, or stays light or dark"},
		{Key: KeyTextSize, Kind: SettingChoice, Default: "100", Choices: TextSizes(), Sentence: "How large text is drawn, and all that belongs to it, in percent"},
		{Key: KeyLanguage, Kind: SettingChoice, Choices: []string{LanguageDesktop, LanguageEnglish, LanguageGerman}, Sentence: "The language of the windows, of those that are opened from then on; clients are answered in English"},
		{Key: KeyClaudePath, Kind: SettingText, Sentence: "Where the claude command is; empty to look it up"},
		{Key: KeyEditor, Kind: SettingText, Sentence: "The command that opens a worktree in an editor; empty to look one up"},
		{Key: KeyTerminal, Kind: SettingText, Sentence: "The command that opens a terminal in a worktree; empty to look one up"},
	}
	for _, s := range Steps() {
		list = append(list,
			Setting{Key: ModelKey(s), Kind: SettingText, Sentence: "The model of the " + s + " step; empty for Claude Code's default"},
			Setting{Key: EffortKey(s), Kind: SettingChoice, Choices: Efforts(), Sentence: "The effort of the " + s + " step; empty for Claude Code's default"})
	}
	return append(list,
		Setting{Key: KeyGitHubAPIURL, Kind: SettingAddress, Sentence: "The address of GitHub's API; empty to take it from the remote"},
		Setting{Key: "linear.apiUrl", Kind: SettingAddress, Sentence: "The address of Linear's API; empty for its own"},
		on(KeyNotifyRequired, "true", "Notifies when something needs you"),
		on(KeyNotifyReview, "true", "Notifies when work is ready for your review"),
		on(KeyNotifyMerge, "true", "Notifies when a pull request is ready to be merged"),
		on(KeyNotifyFailures, "true", "Notifies when work failed or was stopped"),
		on(KeyNotifySound, "true", "Lets a notification make a sound, where the desktop has one for it"),
		Setting{Key: KeyNotifyQuiet, Kind: SettingHours, Sentence: "Nothing is notified in these hours, such as 22:00-07:00; empty for none"},
		on(KeyWelcomeDone, "false", "The welcome window was answered"),
	)
}

// Settings lists every settings key in the order in which they are shown.
func Settings() []Setting { return settings }

// SettingOf returns the row of a key; ok is false for a key that is none.
func SettingOf(key string) (Setting, bool) {
	for _, s := range settings {
		if s.Key == key {
			return s, true
		}
	}
	return Setting{}, false
}

// Check says in one sentence why a value does not fit the setting, and returns it in its one spelling when it does.
func (s Setting) Check(value string) (string, error) {
	value = strings.TrimSpace(value)
	switch s.Kind {
	case SettingBool:
		switch strings.ToLower(value) {
		case "true", "on", "yes", "1":
			return "true", nil
		case "false", "off", "no", "0":
			return "false", nil
		}
		return "", Fault("%s takes true or false, not %q", s.Key, value)
	case SettingInt:
		n, err := strconv.Atoi(value)
		if err != nil || n < s.Min || n > s.Max {
			return "", Fault("%s takes a whole number from %d to %d, not %q", s.Key, s.Min, s.Max, value)
		}
		return strconv.Itoa(n), nil
	case SettingMoney:
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || f < 0 || f > 1e6 {
			return "", Fault("%s takes US dollars from 0 to 1000000, not %q", s.Key, value)
		}
		return strconv.FormatFloat(f, 'f', -1, 64), nil
	case SettingChoice:
		if !slices.Contains(s.Choices, value) {
			return "", Fault("%s takes one of %s, not %q", s.Key, strings.Join(quoted(s.Choices), ", "), value)
		}
		return value, nil
	case SettingHours:
		if value == "" {
			return "", nil
		}
		h, ok := parseHours(value)
		if !ok {
			return "", Fault("%s takes two times of a day, such as 22:00-07:00, not %q", s.Key, value)
		}
		return h.String(), nil
	case SettingAddress:
		if u, err := url.Parse(value); value != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
			return "", Fault("%s takes an address of the web, such as https://api.github.com, not %q", s.Key, value)
		}
	case SettingText:
	}
	if len(value) > 4096 || strings.ContainsAny(value, "\x00\n\r") {
		return "", Fault("%s takes one line of at most 4096 bytes", s.Key)
	}
	return value, nil
}

func quoted(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strconv.Quote(s)
	}
	return out
}
