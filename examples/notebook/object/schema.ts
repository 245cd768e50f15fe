/** The notebook's tables: row types, their conversion to notes, and migrations. The statements are in `statements.ts`. */
import type { BinnedNote, Note, NoteInfo } from '../note.ts'
import { joinSegments } from './text.ts'

/** `title` and `body` are segmented (`text.ts`); `tags` is a JSON array. */
export type NoteRow = {
  number: number
  id: string
  title: string
  body: string
  tags: string
  characters: number
  revision: number
  created_at: number
  updated_at: number
}
export type NoteInfoRow = Omit<NoteRow, 'body'>
export type BinRow = NoteRow & { expires_at: number }
export type BinInfoRow = NoteInfoRow & { expires_at: number }

export function toNoteInfo(row: NoteInfoRow): NoteInfo {
  return {
    id: row.id,
    title: joinSegments(row.title),
    tags: JSON.parse(row.tags) as string[],
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    characters: row.characters,
  }
}

export function toNote(row: NoteRow): Note {
  return { ...toNoteInfo(row), body: joinSegments(row.body) }
}

export function toBinnedNote(row: BinInfoRow): BinnedNote {
  return { ...toNoteInfo(row), expiresAt: row.expires_at }
}

/**
 * The migrations in order. Each runs once. Append new ones at the end and never change an existing
 * one, because existing notebooks have already run it.
 *
 * Triggers maintain the two indexes. The full-text index stores no copy of the text. Its tokens
 * consist of letters, digits, their marks, and symbols (so that emoji are searchable), without case
 * and without diacritics.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE notes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    title_key TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    tags TEXT NOT NULL,
    characters INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX notes_by_recency ON notes (updated_at DESC, number DESC);

  CREATE TABLE note_tags (
    tag TEXT NOT NULL,
    note INTEGER NOT NULL,
    PRIMARY KEY (tag, note)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX note_tags_by_note ON note_tags (note);

  CREATE TABLE bin (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    tags TEXT NOT NULL,
    characters INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX bin_by_expiry ON bin (expires_at);

  CREATE VIRTUAL TABLE note_index USING fts5 (
    title, body, tags,
    content = 'notes', content_rowid = 'number',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc So'"
  );

  CREATE TRIGGER notes_inserted AFTER INSERT ON notes BEGIN
    INSERT INTO note_index (rowid, title, body, tags)
      VALUES (new.number, new.title, new.body, new.tags);
    INSERT INTO note_tags (tag, note) SELECT value, new.number FROM json_each(new.tags);
  END;
  CREATE TRIGGER notes_deleted AFTER DELETE ON notes BEGIN
    INSERT INTO note_index (note_index, rowid, title, body, tags)
      VALUES ('delete', old.number, old.title, old.body, old.tags);
    DELETE FROM note_tags WHERE note = old.number;
  END;
  CREATE TRIGGER notes_updated AFTER UPDATE ON notes BEGIN
    INSERT INTO note_index (note_index, rowid, title, body, tags)
      VALUES ('delete', old.number, old.title, old.body, old.tags);
    INSERT INTO note_index (rowid, title, body, tags)
      VALUES (new.number, new.title, new.body, new.tags);
    DELETE FROM note_tags WHERE note = old.number;
    INSERT INTO note_tags (tag, note) SELECT value, new.number FROM json_each(new.tags);
  END;`,
]

/** Runs the migrations that this notebook has not run yet. Reads one row when there are none. */
export function migrate(storage: DurableObjectStorage): void {
  const { sql } = storage
  sql.exec('CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY) STRICT')
  const { version } = sql
    .exec<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM migrations')
    .one()
  for (const [index, migration] of MIGRATIONS.entries()) {
    if (index < version) continue
    storage.transactionSync(() => {
      sql.exec(migration)
      sql.exec('INSERT INTO migrations (version) VALUES (?)', index + 1)
    })
  }
}
