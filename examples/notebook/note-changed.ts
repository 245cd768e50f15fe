/** The event type `note.changed`: a client that subscribes to it is woken when the notes of its person change. */
import * as z from 'zod'
import { defineEvent } from '../../packages/events/src/index.ts'
import { LIMITS } from './note.ts'

const WEEK_MS = 7 * 24 * 60 * 60 * 1000

const action = z.enum(['created', 'changed', 'deleted'])

export type NoteAction = z.infer<typeof action>

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
