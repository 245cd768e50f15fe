/** A hundred tools like those of a server for a real API: ten verbs on ten kinds of record. */
import * as z from 'zod'
import { echo } from './echo.ts'
import type { LaneTool } from './lane-tool.ts'

const RECORDS = [
  'issue',
  'pull request',
  'release',
  'customer',
  'invoice',
  'deployment',
  'incident',
  'document',
  'calendar event',
  'support ticket',
]

const identifier = (record: string) =>
  z.string().min(1).max(64).describe(`Identifier of the ${record}, as a search returns it`)

const page = {
  limit: z.int().min(1).max(100).default(25).describe('How many to return at most'),
  cursor: z.string().optional().describe('Where the previous page ended'),
}

const content = {
  title: z.string().min(1).max(256).describe('One line, in plain text'),
  body: z.string().max(65_536).optional().describe('The rest, in Markdown'),
  labels: z.array(z.string().max(50)).max(20).optional().describe('Labels that exist already'),
  priority: z.enum(['low', 'normal', 'high', 'urgent']).default('normal'),
  due: z.iso.date().optional().describe('Date by which it should be done'),
}

/** Input schemas by verb. */
const VERBS: Readonly<Record<string, (record: string) => z.ZodObject>> = {
  get: (record) =>
    z.object({
      id: identifier(record),
      fields: z.array(z.string()).optional().describe('Only these fields; all when left out'),
    }),
  list: (record) =>
    z.object({
      state: z.enum(['open', 'closed', 'all']).default('open').describe(`State of the ${record}`),
      sort: z.enum(['created', 'updated', 'title']).default('updated'),
      descending: z.boolean().default(true),
      ...page,
    }),
  search: (record) =>
    z.object({
      query: z.string().min(1).max(512).describe(`Words to look for in every ${record}`),
      author: z.string().optional().describe('Login name of the author'),
      after: z.iso.datetime().optional().describe('Only what changed after this time'),
      ...page,
    }),
  create: () => z.object({ ...content, assignees: z.array(z.string()).max(10).optional() }),
  update: (record) =>
    z.object({ id: identifier(record), changes: z.object(content).partial(), notify: z.boolean() }),
  close: (record) =>
    z.object({
      id: identifier(record),
      reason: z.enum(['done', 'duplicate', 'not planned']),
      comment: z.string().max(4096).optional(),
    }),
  comment_on: (record) =>
    z.object({
      id: identifier(record),
      body: z.string().min(1).max(65_536),
      internal: z.boolean(),
    }),
  assign: (record) =>
    z.object({
      id: identifier(record),
      assignees: z.array(z.string().min(1)).min(1).max(10).describe('Login names'),
    }),
  link: (record) =>
    z.object({
      from: identifier(record),
      to: identifier('other record'),
      relation: z.union([z.literal('blocks'), z.literal('relates to'), z.literal('duplicates')]),
    }),
  export: (record) =>
    z.object({
      ids: z.array(identifier(record)).min(1).max(500),
      format: z.enum(['csv', 'json', 'pdf']),
      options: z.object({ archived: z.boolean(), attachments: z.boolean() }).optional(),
    }),
}

function tool(verb: string, record: string, inputSchema: z.ZodObject): LaneTool {
  const words = `${verb.replace('_', ' ')} ${record}`
  return {
    name: `${verb}_${record.replace(' ', '_')}`,
    title: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
    description: `Use this to ${words}. Needs access to the project that the ${record} belongs to.`,
    inputSchema,
    run: async () => words,
  }
}

/** `echo` is last, the worst case for a linear search. */
export const hundredTools: readonly LaneTool[] = [
  ...Object.entries(VERBS)
    .flatMap(([verb, schema]) => RECORDS.map((record) => tool(verb, record, schema(record))))
    .slice(0, 99),
  echo,
]
