/** `search_notes`: full-text search with links to the notes found. */

import * as z from 'zod'
import { view } from '../../../src/features/apps/index.ts'
import { notebookOf } from '../env.ts'
import { LIMITS, type SearchPage } from '../note.ts'
import type { NotebookServer } from '../server.ts'
import { noteLink } from '../uri.ts'
import { SEARCH_VIEW } from '../views/search-view.ts'
import { NO_OTHER_ORIGIN } from '../views/view-document.ts'
import {
  describeNote,
  limit,
  nextOffset,
  nextOffsetOf,
  noteInfo,
  noteLine,
  offset,
  tagFilter,
} from './fields.ts'
import { unwrap } from './refuse.ts'

export function registerSearchNotes(server: NotebookServer): void {
  server.registerTool(
    'search_notes',
    {
      title: 'Search notes',
      description:
        'Finds notes by the words in their titles, bodies and tags, best match first, each with the passage that fits. Case and accents do not matter; the last word also matches longer words; words in double quotes must be adjacent. Use this before saying that something was never noted.',
      inputSchema: z.object({
        query: z
          .string()
          .min(1)
          .max(LIMITS.queryCharacters)
          .describe('A few telling words, such as: lisbon hotel "late checkout"'),
        tags: tagFilter,
        limit: limit(10),
        offset,
      }),
      outputSchema: z.object({
        total: z.int().describe('How many notes match in all'),
        matched: z
          .enum(['all', 'any'])
          .describe('"any": no note holds every word, so these hold at least one'),
        results: z.array(noteInfo.extend({ snippet: z.string() })),
        nextOffset,
      }),
      scopes: ['read'],
      ui: view({
        uri: 'ui://notebook/search',
        html: SEARCH_VIEW,
        title: 'Search results',
        prefersBorder: true,
        csp: NO_OTHER_ORIGIN,
      }),
      annotations: {
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    async (request, ctx) => {
      const page = unwrap(await notebookOf(ctx).search(request))
      const { hits, total, matched } = page
      const next = nextOffsetOf(request.offset, hits.length, total)
      return {
        content: [{ type: 'text', text: reportOf(page, next) }, ...hits.map(noteLink)],
        structuredContent: {
          total,
          matched,
          results: hits.map((hit) => ({ ...describeNote(hit), snippet: hit.snippet })),
          ...(next && { nextOffset: next }),
        },
      }
    },
  )
}

function reportOf({ hits, total, matched }: SearchPage, next: number | undefined): string {
  if (total === 0) return 'No note matches. Try other words, or list_notes to browse.'
  const partly = matched === 'any' ? ' No note holds every word; these hold some.' : ''
  const lines = hits.map((hit) => `- ${noteLine(hit)}\n  ${hit.snippet.replace(/\s+/gu, ' ')}`)
  const more = next === undefined ? [] : [`For more call search_notes with offset ${next}.`]
  const count = total === 1 ? '1 note matches.' : `${total} notes match.`
  return [`${count}${partly}`, ...lines, ...more].join('\n')
}
