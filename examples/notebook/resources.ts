/** The resources: every note by its URI, and the tags in use. */
import { ResourceTemplate } from '../../src/index.ts'
import type { ResourceLink } from '../../src/protocol/index.ts'
import { type Env, notebookOf } from './env.ts'
import { type NoteInfo, toDocument } from './note.ts'
import type { NotebookServer } from './server.ts'

const NOTE_URI_TEMPLATE = 'note://notebook/{id}'
export const TAGS_URI = 'note://tags'
export const NOTE_TYPE = 'text/markdown'

export function noteUri(id: string): string {
  return `note://notebook/${encodeURIComponent(id)}`
}

/** Returns the entry of a note in a resource list. */
function noteResource({ id, title, tags, updatedAt }: NoteInfo) {
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

const LISTED_NOTES = 100
const SUGGESTED_NOTES = 20

export function registerResources(server: NotebookServer): void {
  server.registerResource(
    'note',
    new ResourceTemplate<Env>(NOTE_URI_TEMPLATE, {
      list: async (ctx, { cursor }) => {
        const { notes, nextCursor } = await notebookOf(ctx).page(cursor, LISTED_NOTES)
        const resources = notes.map(noteResource)
        return nextCursor === undefined ? { resources } : { resources, nextCursor }
      },
      complete: {
        id: async (value, { ctx }) => {
          const notes = await notebookOf(ctx).startingWith(value, SUGGESTED_NOTES)
          return notes.map(({ id }) => id)
        },
      },
    }),
    {
      title: 'Note',
      description: 'A note as a Markdown document, its title as the heading',
      mimeType: NOTE_TYPE,
      cacheScope: 'private',
      scopes: ['read'],
    },
    async (_, { id }, ctx) => {
      const found = await notebookOf(ctx).read(String(id))
      return found.ok ? toDocument(found.value) : undefined
    },
  )

  server.registerResource(
    'tags',
    TAGS_URI,
    {
      title: 'Tags',
      description: 'Every tag in use with the number of its notes, as JSON',
      mimeType: 'application/json',
      cacheScope: 'private',
      scopes: ['read'],
    },
    async (_, ctx) => {
      const counts = await notebookOf(ctx).tags()
      return JSON.stringify(
        Object.fromEntries(counts.map(({ tag, notes }) => [tag, notes])),
        null,
        2,
      )
    },
  )
}
