/** Tells clients of changed notes: as notifications of resources, and as the event `note.changed`, which wakes its subscribers. */
import * as z from 'zod'
import { defineEvent } from '../../packages/events/src/index.ts'
import { LIMITS } from './note.ts'
import { noteUri, TAGS_URI } from './resources.ts'
import type { NotebookContext } from './server.ts'

/** How long a client can read the events that it has missed, in milliseconds. */
const WEEK_MS = 7 * 24 * 60 * 60 * 1000

const action = z.enum(['created', 'changed', 'deleted'])

type NoteAction = z.infer<typeof action>

export const noteChanged = defineEvent('note.changed', {
  description:
    "A note of the user's notebook was created, changed or deleted, in any conversation or program. Pass action or id to receive only these. read_note returns the text of the note.",
  input: z.object({
    action: action.optional(),
    id: z.string().max(LIMITS.idCharacters).optional().describe('Id of one note'),
  }),
  payload: z.object({
    id: z.string(),
    title: z.string(),
    uri: z.string().describe('The note as a resource'),
    action,
    clientId: z.string().optional().describe('The program that made the change'),
    isOwn: z
      .boolean()
      .optional()
      .describe('Whether the subscriber made the change itself, so that it need not react'),
  }),
  // Without the text of a note: it is the user's, and may contain what another person has written.
  transform: (data, { auth }) => ({ ...data, isOwn: data.clientId === auth?.clientId }),
  personal: true,
  scopes: ['read'],
  history: WEEK_MS,
})

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
