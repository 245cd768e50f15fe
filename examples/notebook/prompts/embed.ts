/** Converts notes to prompt messages: embeds them up to a size limit and links the rest. */
import type { PromptMessage } from '../../../src/protocol/index.ts'
import { toDocument } from '../markdown.ts'
import type { Note } from '../note.ts'
import { NOTE_TYPE, noteLink, noteUri } from '../uri.ts'

/** Limit for all embedded texts of one prompt together, so that the prompt fits into a model's context. */
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
