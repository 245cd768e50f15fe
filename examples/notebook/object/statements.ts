/** All SQL statements of the notebook as named functions. They accept and return rows and contain no rules. */
import type { BinInfoRow, BinRow, NoteInfoRow, NoteRow } from './schema.ts'

const INFO = 'number, id, title, tags, characters, revision, created_at, updated_at'

const INFO_OF_NOTES = INFO.replaceAll(/\w+/g, 'notes.$&')

/** Selects notes with all tags of the JSON array `?1`. An empty array selects every note. */
const HAS_TAGS = `(SELECT count(*) FROM note_tags WHERE note_tags.note = notes.number
  AND tag IN (SELECT value FROM json_each(?1))) = json_array_length(?1)`

/** Weights of a match in the title (8), in the body (1) and in the tags (4). */
const RANK = 'bm25(note_index, 8.0, 1.0, 4.0)'
const SNIPPET_WORDS = 32

export type Statements = ReturnType<typeof createStatements>

export function createStatements(sql: SqlStorage) {
  const first = <T extends Record<string, SqlStorageValue>>(query: string, ...values: unknown[]) =>
    sql.exec<T>(query, ...values).toArray()[0]
  const all = <T extends Record<string, SqlStorageValue>>(query: string, ...values: unknown[]) =>
    sql.exec<T>(query, ...values).toArray()
  const count = (query: string, ...values: unknown[]) =>
    sql.exec<{ count: number }>(query, ...values).one().count

  return {
    noteById: (id: string) => first<NoteRow>(`SELECT ${INFO}, body FROM notes WHERE id = ?`, id),
    noteByTitleKey: (key: string) =>
      first<NoteRow>(`SELECT ${INFO}, body FROM notes WHERE title_key = ?`, key),
    countNotes: () => count('SELECT count(*) AS count FROM notes'),
    insertNote: (row: Omit<NoteRow, 'number'>, titleKey: string) => {
      sql.exec(
        `INSERT INTO notes (id, title, title_key, body, tags, characters, revision, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        row.id,
        row.title,
        titleKey,
        row.body,
        row.tags,
        row.characters,
        row.revision,
        row.created_at,
        row.updated_at,
      )
    },
    updateNote: (row: NoteRow, titleKey: string) => {
      sql.exec(
        `UPDATE notes SET title = ?, title_key = ?, body = ?, tags = ?, characters = ?, revision = ?,
           updated_at = ? WHERE number = ?`,
        row.title,
        titleKey,
        row.body,
        row.tags,
        row.characters,
        row.revision,
        row.updated_at,
        row.number,
      )
    },

    listNotes: (tags: string, limit: number, offset: number) =>
      all<NoteInfoRow>(
        `SELECT ${INFO} FROM notes WHERE ${HAS_TAGS}
         ORDER BY updated_at DESC, number DESC LIMIT ?2 OFFSET ?3`,
        tags,
        limit,
        offset,
      ),
    countTagged: (tags: string) =>
      count(`SELECT count(*) AS count FROM notes WHERE ${HAS_TAGS}`, tags),
    /** Returns the notes after a position in the order of recency. */
    notesBefore: (updatedAt: number, number: number, limit: number) =>
      all<NoteInfoRow>(
        `SELECT ${INFO} FROM notes WHERE (updated_at, number) < (?, ?)
         ORDER BY updated_at DESC, number DESC LIMIT ?`,
        updatedAt,
        number,
        limit,
      ),
    /** Returns the notes after a position in the order of creation, which no change of a note moves. */
    notesAfter: (tags: string, number: number, limit: number) =>
      all<NoteRow>(
        `SELECT ${INFO}, body FROM notes WHERE ${HAS_TAGS} AND number > ?2 ORDER BY number LIMIT ?3`,
        tags,
        number,
        limit,
      ),
    notesSince: (updatedAt: number, limit: number) =>
      all<NoteRow>(
        `SELECT ${INFO}, body FROM notes WHERE updated_at >= ?
         ORDER BY updated_at DESC, number DESC LIMIT ?`,
        updatedAt,
        limit,
      ),
    countSince: (updatedAt: number) =>
      count('SELECT count(*) AS count FROM notes WHERE updated_at >= ?', updatedAt),
    // `LIKE` does not work here: the prefix could contain wildcards, and a pattern is limited to 50 bytes.
    notesStartingWith: (id: string, titleKey: string, limit: number) =>
      all<NoteInfoRow>(
        `SELECT ${INFO} FROM notes WHERE substr(id, 1, length(?1)) = ?1
           OR substr(title_key, 1, length(?2)) = ?2
         ORDER BY updated_at DESC, number DESC LIMIT ?3`,
        id,
        titleKey,
        limit,
      ),
    tagCounts: () =>
      all<{ tag: string; notes: number }>(
        'SELECT tag, count(*) AS notes FROM note_tags GROUP BY tag ORDER BY notes DESC, tag',
      ),

    matches: (tags: string, expression: string, limit: number, offset: number) =>
      all<NoteInfoRow>(
        `SELECT ${INFO_OF_NOTES} FROM note_index JOIN notes ON number = note_index.rowid
         WHERE note_index MATCH ?2 AND ${HAS_TAGS}
         ORDER BY ${RANK}, updated_at DESC, number DESC LIMIT ?3 OFFSET ?4`,
        tags,
        expression,
        limit,
        offset,
      ),
    countMatches: (tags: string, expression: string) =>
      count(
        `SELECT count(*) AS count FROM note_index JOIN notes ON number = note_index.rowid
         WHERE note_index MATCH ?2 AND ${HAS_TAGS}`,
        tags,
        expression,
      ),
    // A separate query per note, because a sorted query would compute the snippet of every match before
    // it applies the limit. The cast is required: numbers are bound as floats, and FTS5 ignores a rowid
    // that is a float.
    snippet: (expression: string, number: number) =>
      first<{ snippet: string }>(
        `SELECT snippet(note_index, 1, '', '', '…', ${SNIPPET_WORDS}) AS snippet FROM note_index
         WHERE note_index MATCH ? AND rowid = CAST(? AS INTEGER)`,
        expression,
        number,
      )?.snippet ?? '',

    moveToBin: (id: string, expiresAt: number) => {
      sql.exec(
        `INSERT INTO bin (${INFO}, body, expires_at) SELECT ${INFO}, body, ? FROM notes WHERE id = ?`,
        expiresAt,
        id,
      )
      sql.exec('DELETE FROM notes WHERE id = ?', id)
    },
    /** Returns the most recently deleted of the notes with this id. */
    binnedById: (id: string) =>
      first<BinRow>(
        `SELECT ${INFO}, body, expires_at FROM bin WHERE id = ?
         ORDER BY expires_at DESC, number DESC LIMIT 1`,
        id,
      ),
    listBin: (limit: number, offset: number) =>
      all<BinInfoRow>(
        `SELECT ${INFO}, expires_at FROM bin ORDER BY expires_at DESC, number DESC LIMIT ? OFFSET ?`,
        limit,
        offset,
      ),
    countBin: () => count('SELECT count(*) AS count FROM bin'),
    deleteBinned: (number: number) => {
      sql.exec('DELETE FROM bin WHERE number = ?', number)
    },
    deleteExpired: (now: number) => {
      sql.exec('DELETE FROM bin WHERE expires_at <= ?', now)
    },
    /** Deletes all but the `limit` most recently deleted notes. */
    trimBin: (limit: number) => {
      sql.exec(
        `DELETE FROM bin WHERE number IN
           (SELECT number FROM bin ORDER BY expires_at DESC, number DESC LIMIT -1 OFFSET ?)`,
        limit,
      )
    },
    nextExpiry: () =>
      first<{ at: number | null }>('SELECT min(expires_at) AS at FROM bin')?.at ?? undefined,
  }
}
