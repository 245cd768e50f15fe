/** Converts table rows to the data types of the notebook. */
import type { BinnedNote, Note, NoteInfo } from '../note.ts'
import type { BinInfoRow, NoteInfoRow, NoteRow } from './schema.ts'
import { joinSegments } from './segment.ts'

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
