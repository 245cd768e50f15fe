/** The URIs of notes. */
import type { ResourceLink } from '../../src/index.ts'
import type { NoteInfo } from './note.ts'

export const NOTE_URI_TEMPLATE = 'note://notebook/{id}'
export const TAGS_URI = 'note://tags'
export const NOTE_TYPE = 'text/markdown'

export function noteUri(id: string): string {
  return `note://notebook/${encodeURIComponent(id)}`
}

/** A note as a client lists it. */
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

/** A note as a result points to it, to be opened by the client. */
export function noteLink(note: NoteInfo): ResourceLink {
  return { type: 'resource_link', ...noteResource(note) }
}
