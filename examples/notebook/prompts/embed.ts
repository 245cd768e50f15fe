/** Notes as messages of a prompt: embedded whole while there is room, then only linked. */
import type { PromptMessage } from '../../../src/index.ts'
import { toDocument } from '../markdown.ts'
import type { Note } from '../note.ts'
import { NOTE_TYPE, noteLink, noteUri } from '../uri.ts'

/** Of all texts of one prompt together: what a client will put into a model's context at once. */
const MAX_EMBEDDED_CHARACTERS = 100_000

export function userText(text: string): PromptMessage {
  return { role: 'user', content: { type: 'text', text } }
}

export function embedNotes(notes: readonly Note[]): PromptMessage[] {
  let room = MAX_EMBEDDED_CHARACTERS
  return notes.map((note): PromptMessage => {
    room -= note.characters
    if (room < 0) return { role: 'user', content: noteLink(note) }
    const resource = { uri: noteUri(note.id), mimeType: NOTE_TYPE, text: toDocument(note) }
    return { role: 'user', content: { type: 'resource', resource } }
  })
}
