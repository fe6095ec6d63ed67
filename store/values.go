package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// stampLayout keeps every digit of a time and sorts as text.
const stampLayout = "2006-01-02T15:04:05.000000000Z"

func stamp(t time.Time) string { return t.UTC().Format(stampLayout) }

// moment reads a stamp. Only stamps are ever stored; any other text is the zero time.
func moment(s string) time.Time {
	t, _ := time.Parse(stampLayout, s) // the zero time on error
	return t
}

func stampOrNull(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := stamp(*t)
	return &s
}

func momentOrNil(s *string) *time.Time {
	if s == nil {
		return nil
	}
	t := moment(*s)
	return &t
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func textOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// jsonOf is a column that holds V as JSON text; NULL is the zero V.
type jsonOf[T any] struct{ V T }

// GormDataType keeps gorm from looking into V.
func (jsonOf[T]) GormDataType() string { return "text" }

// Value is called by database/sql on writing.
func (j jsonOf[T]) Value() (driver.Value, error) {
	b, err := json.Marshal(j.V)
	if err != nil || string(b) == "null" {
		return nil, err
	}
	return string(b), nil
}

// Scan is called by database/sql on reading.
func (j *jsonOf[T]) Scan(src any) error {
	*j = jsonOf[T]{}
	switch text := src.(type) {
	case nil:
		return nil
	case string:
		return json.Unmarshal([]byte(text), &j.V)
	case []byte:
		return json.Unmarshal(text, &j.V)
	}
	return fmt.Errorf("read a JSON column: it holds a %T", src)
}
