/** Imports notes. An invalid note is reported and does not stop the import of the others. */
import { type Fault, NotebookError } from '../outcome.ts'
import { checkTitle } from './names.ts'
import type { NoteDraft, Notes } from './notes.ts'

/** How to import a note whose title already exists. */
export type Duplicates = 'skip' | 'replace' | 'copy'

export type ImportDraft = Pick<NoteDraft, 'title' | 'body' | 'tags'>

export type ImportResult =
  | {
      readonly effect: 'created' | 'replaced' | 'unchanged' | 'skipped'
      readonly id: string
      readonly title: string
    }
  | { readonly effect: 'refused'; readonly fault: Fault }

/** Imports one note. */
export function importNote(notes: Notes, draft: ImportDraft, duplicates: Duplicates): ImportResult {
  try {
    const title = checkTitle(draft.title)
    const existing = notes.findByTitle(title)
    if (existing !== undefined && duplicates === 'skip') {
      return { effect: 'skipped', id: existing, title }
    }
    const { note, effect } =
      duplicates === 'copy'
        ? notes.write({ ...draft, title: notes.freeTitle(title) })
        : notes.write({ ...draft, title, id: existing })
    return { effect, id: note.id, title: note.title }
  } catch (error) {
    if (error instanceof NotebookError) return { effect: 'refused', fault: error.fault }
    throw error
  }
}

/** Returns the titles that notes already have. Invalid titles are left out. */
export function existingTitles(notes: Notes, titles: readonly string[]): string[] {
  return titles.filter((title) => {
    try {
      return notes.findByTitle(checkTitle(title)) !== undefined
    } catch (error) {
      if (error instanceof NotebookError) return false
      throw error
    }
  })
}
