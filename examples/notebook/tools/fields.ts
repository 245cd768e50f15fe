/** Input and output fields that several tools share. The model reads their descriptions. */
import * as z from 'zod'
import { LIMITS, type NoteInfo } from '../note.ts'
import { noteUri } from '../uri.ts'

export const noteId = z
  .string()
  .min(1)
  .max(LIMITS.idCharacters)
  .describe('Id of the note, as search_notes and list_notes give it, such as "trip-to-lisbon"')

export const title = z
  .string()
  .min(1)
  .max(LIMITS.titleCharacters)
  .describe('Title on one line. No two notes have the same one')

export const tags = z
  .array(z.string().min(1).max(LIMITS.tagCharacters))
  .max(LIMITS.tags)
  .describe(
    'Tags: letters and digits of any script, with - _ . and / inside, such as "recipes" or "work/hiring"',
  )

export const tagFilter = tags.default([]).describe('Only notes that have all of these tags')

export const limit = (fallback: number) =>
  z.int().min(1).max(LIMITS.pageItems).default(fallback).describe('Most notes to return')

export const offset = z
  .int()
  .min(0)
  .max(LIMITS.notes)
  .default(0)
  .describe('How many to pass over: nextOffset of the answer before, for the next page')

const time = z.iso.datetime()

export const noteInfo = z.object({
  id: z.string(),
  uri: z.string().describe('The note as a resource'),
  title: z.string(),
  tags: z.array(z.string()),
  revision: z.int().describe('Grows with every change; write_note takes it as expectedRevision'),
  createdAt: time,
  updatedAt: time,
  characters: z.int().describe('Length of the body'),
})

export const nextOffset = z.int().optional().describe('Pass as offset for more; absent at the end')

/** Converts a note to the output format of the tools. */
export function describeNote(note: NoteInfo): z.input<typeof noteInfo> {
  return {
    id: note.id,
    uri: noteUri(note.id),
    title: note.title,
    tags: [...note.tags],
    revision: note.revision,
    createdAt: new Date(note.createdAt).toISOString(),
    updatedAt: new Date(note.updatedAt).toISOString(),
    characters: note.characters,
  }
}

/** Formats a note as one line of text. */
export function noteLine({ id, title, tags, updatedAt }: NoteInfo): string {
  const labels = tags.map((tag) => ` #${tag}`).join('')
  return `${title} (id: ${id}, ${new Date(updatedAt).toISOString().slice(0, 10)})${labels}`
}

/** Returns the offset of the next page; undefined on the last page. */
export function nextOffsetOf(offset: number, count: number, total: number): number | undefined {
  return count > 0 && offset + count < total ? offset + count : undefined
}
