/** Registers the resources: every note by its URI, and the tags in use. */

import { ResourceTemplate } from '../../src/index.ts'
import { type Env, notebookOf } from './env.ts'
import { toDocument } from './markdown.ts'
import type { NotebookServer } from './server.ts'
import { NOTE_TYPE, NOTE_URI_TEMPLATE, noteResource, TAGS_URI } from './uri.ts'

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
