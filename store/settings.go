package store

import (
	"context"
	"fmt"
	"maps"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fermata/pieces"
)

type settingRow struct {
	Key   string `gorm:"primaryKey"`
	Value string
}

// TableName is asked for by gorm.
func (settingRow) TableName() string { return "settings" }

// SettingValues returns the settings that differ from their default, by key.
func (s *Store) SettingValues(ctx context.Context) (map[string]string, error) {
	return once(s, settingsAsk{}, ofSettings, maps.Clone, func() (map[string]string, error) {
		var rows []settingRow
		err := s.query(ctx, "read settings", func(db *gorm.DB) error { return db.Find(&rows).Error })
		values := make(map[string]string, len(rows))
		for _, r := range rows {
			values[r.Key] = r.Value
		}
		return values, err
	})
}

type settingsAsk struct{}

// SetSetting keeps a value. A key that is set to its default is kept no longer, so that it follows the default.
func (s *Store) SetSetting(ctx context.Context, key, value string) error {
	return s.write(ctx, fmt.Sprintf("set %s", key), func(tx *gorm.DB) error {
		if known, ok := pieces.SettingOf(key); ok && known.Default == value {
			return tx.Where("key = ?", key).Delete(&settingRow{}).Error
		}
		return tx.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "key"}}, UpdateAll: true}).
			Create(&settingRow{key, value}).Error
	})
}
