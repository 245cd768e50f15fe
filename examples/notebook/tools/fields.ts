/** What several tools share: their fields, whose descriptions the model reads, and faults as messages that a model can act on. */
import * as z from 'zod'
import { ToolError } from '../../../src/index.ts'
import { type Fault, LIMITS, type NoteInfo, type Outcome } from '../note.ts'
import { noteUri } from '../resources.ts'

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

/** Returns the value of an outcome. @throws {ToolError} for a fault */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new ToolError(faultText(outcome.error))
  return outcome.value
}

export function faultText(fault: Fault): string {
  switch (fault.code) {
    case 'not-found': {
      const near = fault.similar.map((id) => `"${id}"`).join(', ')
      return near === ''
        ? `There is no note "${fault.id}". Look for it with search_notes or list_notes.`
        : `There is no note "${fault.id}". Similar ids: ${near}.`
    }
    case 'not-in-bin':
      return `The bin holds no note "${fault.id}". list_notes with place "bin" shows what it holds.`
    case 'title-taken':
      return `Note "${fault.id}" already has the title "${fault.title}". Pass id "${fault.id}" to replace it, use append_to_note to add to it, or choose another title.`
    case 'stale-revision':
      return `Note "${fault.id}" has changed: it is at revision ${fault.revision} now. Read it again, and write it with expectedRevision ${fault.revision} if your change still fits.`
    case 'changed-meanwhile':
      return `Note "${fault.id}" was changed while the user was being asked about it, so nothing was done. Read it again, and try again if that is still what the user wants.`
    case 'bad-id':
      return `"${fault.id}" cannot be an id: use letters, digits, "-", "_" and ".", starting with a letter or digit, at most ${LIMITS.idCharacters} characters. Leave id out to have one made from the title.`
    case 'bad-title':
      return `The title must have between 1 and ${LIMITS.titleCharacters} characters.`
    case 'bad-tag':
      return `"${fault.tag}" cannot be a tag: use letters and digits, with "-", "_", "." and "/" inside, at most ${LIMITS.tagCharacters} characters.`
    case 'too-many-tags':
      return `That makes ${fault.count} tags; at most ${LIMITS.tags} are possible.`
    case 'body-too-long':
      return `The body would have ${fault.bytes} bytes; at most ${LIMITS.bodyBytes} are possible. Split it into several notes.`
    case 'notebook-full':
      return `The notebook is full: it holds ${LIMITS.notes} notes. Delete or merge some first.`
    case 'nothing-to-search':
      return 'The query holds no word to search for. Use at least one letter, digit or emoji, or list_notes to browse.'
  }
}
