package pieces

// Limits of what a draft takes along.
const (
	MaxAttachments     = 20
	MaxAttachmentBytes = 50_000_000 // each
)

// Attachment is a file that a draft takes along; the spec step gets it. It lies in Fermata's own folder under its name.
type Attachment struct {
	Name  string `json:"name"` // a file name, unique within the draft
	Bytes int64  `json:"bytes"`
}
