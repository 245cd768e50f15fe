/** The tables of the state object: row types, migrations and statements. */
import { createEntryStatements, ENTRIES_TABLE } from '../entries/schema.ts'
import { createRows } from '../sql-rows.ts'

/** One attempt to store a file. It is written before the bytes, so that no bytes are without a row. */
export type FileRow = {
  /** The random name of the bytes. */
  blob: string
  /** The id of the file. Of the rows of one id, at most one is `stored`. */
  id: string
  /** `closed`: an upload that accepts no file any more. It has no bytes. */
  state: 'storing' | 'stored' | 'closed'
  /** Where the bytes are. */
  place: 'bucket' | 'object'
  name: string
  mime_type: string
  /** Bytes; 0 while they are being stored. */
  size: number
  /** The multipart upload of the bucket that is open. */
  upload: string | null
  expires_at: number
}

/** Append-only: an existing object has applied the earlier ones. */
export const MIGRATIONS: readonly string[] = [
  `${ENTRIES_TABLE}
  CREATE INDEX entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE files (
    blob TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    place TEXT NOT NULL,
    name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    upload TEXT,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX files_by_id ON files (id);
  CREATE INDEX files_by_expiry ON files (expires_at);
  CREATE TABLE file_chunks (
    blob TEXT NOT NULL,
    number INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (blob, number)
  ) STRICT;`,
]

export type FileStatements = ReturnType<typeof createFileStatements>

function createFileStatements(sql: SqlStorage) {
  const { all, first, value, count, run, insert, update } = createRows(sql)
  return {
    addFile: (row: FileRow) => insert('files', row),
    file: (blob: string) => first<FileRow>('SELECT * FROM files WHERE blob = ?', blob),
    /** The file of an id, or the row that says that its upload is closed. */
    settledFile: (id: string, now: number) =>
      first<FileRow>(
        "SELECT * FROM files WHERE id = ? AND state IN ('stored', 'closed') AND expires_at > ?",
        id,
        now,
      ),
    countAttempts: (id: string) => count("files WHERE id = ? AND state = 'storing'", id),
    completeFile: (blob: string, size: number, expiresAt: number) =>
      update(
        'files',
        { state: 'stored', size, upload: null, expires_at: expiresAt },
        'blob = ?',
        blob,
      ),
    setUpload: (blob: string, upload: string) =>
      run('UPDATE files SET upload = ? WHERE blob = ?', upload, blob),
    expireFile: (blob: string, at: number) =>
      run("UPDATE files SET expires_at = ? WHERE blob = ? AND state = 'storing'", at, blob),
    expireFiles: (now: number, storingUntil: number) => {
      run("UPDATE files SET expires_at = min(expires_at, ?) WHERE state <> 'storing'", now)
      run("UPDATE files SET expires_at = min(expires_at, ?) WHERE state = 'storing'", storingUntil)
    },
    /** Files and attempts that have not expired. */
    usedBy: (now: number) =>
      first<{ files: number; bytes: number }>(
        `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM files
         WHERE expires_at > ? AND state <> 'closed'`,
        now,
      ) ?? { files: 0, bytes: 0 },
    expiredFiles: (now: number, count: number) =>
      all<FileRow>('SELECT * FROM files WHERE expires_at <= ? LIMIT ?', now, count),
    deleteFile: (blob: string) => {
      run('DELETE FROM file_chunks WHERE blob = ?', blob)
      run('DELETE FROM files WHERE blob = ?', blob)
    },
    countFiles: () => count('files'),
    nextFileExpiry: () => value<number>('SELECT min(expires_at) FROM files'),
    addChunk: (blob: string, number: number, bytes: ArrayBuffer) =>
      insert('file_chunks', { blob, number, bytes }, 'INSERT OR REPLACE'),
    chunk: (blob: string, number: number) =>
      value<ArrayBuffer>(
        'SELECT bytes FROM file_chunks WHERE blob = ? AND number = ?',
        blob,
        number,
      ),
  }
}

export function createStateStatements(sql: SqlStorage) {
  const { count, run, value } = createRows(sql)
  return {
    ...createEntryStatements(sql),
    ...createFileStatements(sql),
    /** With those that were deleted. */
    countRows: () => count('entries'),
    deleteEntries: () => run('DELETE FROM entries'),
    nextExpiry: () => value<number>('SELECT min(expires_at) FROM entries'),
  }
}
