/** The URIs of notes, and notes as MCP resources. */
import type { ResourceLink } from '../../src/protocol/index.ts'
import type { NoteInfo } from './note.ts'

export const NOTE_URI_TEMPLATE = 'note://notebook/{id}'
export const TAGS_URI = 'note://tags'
export const NOTE_TYPE = 'text/markdown'

export function noteUri(id: string): string {
  return `note://notebook/${encodeURIComponent(id)}`
}

/** Returns the entry of a note in a resource list. */
export function noteResource({ id, title, tags, updatedAt }: NoteInfo) {
  return {
    uri: noteUri(id),
    name: id,
    title,
    ...(tags.length > 0 ? { description: `Tagged ${tags.join(', ')}` } : undefined),
    mimeType: NOTE_TYPE,
    annotations: { lastModified: new Date(updatedAt).toISOString() },
  }
}

/** Returns a link to a note for a tool result. The client can open it. */
export function noteLink(note: NoteInfo): ResourceLink {
  return { type: 'resource_link', ...noteResource(note) }
}
