package pieces

// Finding is something about a repository that can hurt work in it, with what mends it.
type Finding struct {
	Key  FindingKey
	What Sentence // what is so and what comes of it, in one or two sentences
	Fix  Sentence // what the person can do; commands stand in backquotes
}

// FindingKey names a kind of finding.
type FindingKey string

// The findings, in the order in which they are told.
const (
	FindingNoRepository  FindingKey = "noRepository"
	FindingNoCommit      FindingKey = "noCommit"
	FindingNoBranch      FindingKey = "noBranch"
	FindingConfigLocked  FindingKey = "configLocked"
	FindingNoIdentity    FindingKey = "noIdentity"
	FindingDetached      FindingKey = "detached"
	FindingNoRemote      FindingKey = "noRemote"
	FindingNoOrigin      FindingKey = "noOrigin"
	FindingBehind        FindingKey = "behind"
	FindingOld           FindingKey = "old"
	FindingShallow       FindingKey = "shallow"
	FindingSubmodules    FindingKey = "submodules"
	FindingLFS           FindingKey = "lfs"
	FindingSparse        FindingKey = "sparse"
	FindingTwins         FindingKey = "twins"
	FindingHooks         FindingKey = "hooks"
	FindingSigning       FindingKey = "signing"
	FindingCannotExamine FindingKey = "cannotExamine"
)
