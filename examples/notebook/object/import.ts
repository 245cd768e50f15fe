/** Many notes at once. One that cannot be taken does not hold up the others. */
import { type Fault, NotebookError } from '../outcome.ts'
import { checkTitle } from './names.ts'
import type { NoteDraft, Notes } from './notes.ts'

/** What becomes of a note whose title is there already. */
export type Duplicates = 'skip' | 'replace' | 'copy'

export type ImportDraft = Pick<NoteDraft, 'title' | 'body' | 'tags'>

export type Imported =
  | { readonly effect: 'created' | 'replaced' | 'unchanged' | 'skipped'; readonly id: string }
  | { readonly effect: 'refused'; readonly fault: Fault }

/** Imports one note. */
export function importNote(notes: Notes, draft: ImportDraft, duplicates: Duplicates): Imported {
  try {
    const title = checkTitle(draft.title)
    const present = notes.findByTitle(title)
    if (present !== undefined && duplicates === 'skip') return { effect: 'skipped', id: present }
    const { note, effect } =
      duplicates === 'copy'
        ? notes.write({ ...draft, title: notes.freeTitle(title) })
        : notes.write({ ...draft, title, id: present })
    return { effect, id: note.id }
  } catch (error) {
    if (error instanceof NotebookError) return { effect: 'refused', fault: error.fault }
    throw error
  }
}

/** Those of some titles that notes have already; one that no note could have is none of them. */
export function takenTitles(notes: Notes, titles: readonly string[]): string[] {
  return titles.filter((title) => {
    try {
      return notes.findByTitle(checkTitle(title)) !== undefined
    } catch (error) {
      if (error instanceof NotebookError) return false
      throw error
    }
  })
}
