/** Notifies listeners and subscribers of the changes of a call, without delaying its answer. */

import { type NoteAction, noteChanged } from './note-changed.ts'
import type { NotebookContext } from './server.ts'
import { noteUri, TAGS_URI } from './uri.ts'

export interface NoteChange {
  readonly id: string
  readonly title: string
  readonly action: NoteAction
}

interface Changes {
  readonly notes: readonly NoteChange[]
  /** Notes that listeners learn of by the change of the list alone, because they are many. Default none. */
  readonly listed?: readonly NoteChange[]
  /** Whether the tags in use may have changed. */
  readonly tags: boolean
}

/**
 * Notifies the listeners of the caller's subject, on all their connections, and emits an event for each note. For other
 * subjects the same URI names another note.
 */
export function notifyListeners(ctx: NotebookContext, changes: Changes): void {
  // The note is already stored: a failed notification appears in the Worker's log only.
  ctx.waitUntil(Promise.all([...published(ctx, changes), ...emitted(ctx, changes)]))
}

function published({ auth, notify }: NotebookContext, { notes, tags }: Changes) {
  const to = { subject: auth?.subject }
  const uris = [...notes.map(({ id }) => noteUri(id)), ...(tags ? [TAGS_URI] : [])]
  return [
    ...uris.map((uri) => notify.resourceUpdated(uri, to)),
    // The list contains titles, tags and times, so it changes with every note.
    notify.resourcesChanged(to),
  ]
}

function emitted({ auth, emit }: NotebookContext, { notes, listed = [] }: Changes) {
  if (auth === undefined) return []
  const { subject, clientId } = auth
  return [...notes, ...listed].map((note) =>
    emit(noteChanged, { ...note, uri: noteUri(note.id), clientId }, { subject }),
  )
}
