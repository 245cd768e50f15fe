/** The tool that finds tools. */

import { ToolError } from '../../../../src/index.ts'
import {
  clientResultBytes,
  combineViews,
  type Definition,
  type FullContext,
  type HandlerRun,
  READS_SERVER,
  runOf,
  sentInfo,
  type ToolDefinition,
} from '../../../../src/internal.ts'
import { isForModel } from '../../../../src/protocol/apps.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import type { CallToolResult, Tool } from '../../../../src/protocol/primitives.ts'
import { findTools } from '../ranking/rank-tools.ts'
import { defineOwnTool } from './define-own-tool.ts'
import { describeFound, FOUND_SCHEMA } from './found-tools.ts'
import type { SearchNames } from './options.ts'
import type { AddedTool, OwnTools } from './own-tools.ts'

const DEFAULT_LIMIT = 5
const MAX_LIMIT = 20

/** Bytes of a result where the client has no known limit: about 10,000 tokens. */
const DEFAULT_BYTES = 40_000

/** UTF-16 code units of the tags in the description. */
const MAX_TAGS_LENGTH = 600

export function defineSearchTool(
  definition: Definition,
  names: SearchNames,
  own: OwnTools,
): AddedTool {
  const tool = defineOwnTool(
    names.search,
    {
      title: 'Search tools',
      description: describe(definition, names),
      annotations: READS_SERVER,
    },
    {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'What the tool does and with what, in a few words' },
        limit: { type: 'integer', description: `Default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}` },
      },
      required: ['query'],
    },
    (args, ctx) => answerSearch(args, ctx, names, own),
  )
  return {
    role: 'search',
    tool: { ...tool, info: { ...tool.info, outputSchema: FOUND_SCHEMA } },
  }
}

function describe({ tools }: Definition, { call }: SearchNames): string {
  const tags = tagsText([...tools.values()])
  const about = tags === '' ? '' : ` There are tools for: ${tags}.`
  return `Finds tools of this server by words, with the schemas of their arguments. The list does not have most of them: call them with ${call}.${about}`
}

/** What the tools are for, as far as the models of all callers see them: all read the same description. */
function tagsText(tools: readonly ToolDefinition[]): string {
  const tags = new Set(
    tools.flatMap(({ info, tags: own = [], visible }) =>
      visible === undefined && isForModel(info) ? own : [],
    ),
  )
  let text = ''
  for (const tag of tags) {
    const longer = text === '' ? tag : `${text}, ${tag}`
    if (longer.length > MAX_TAGS_LENGTH) return `${text} …`
    text = longer
  }
  return text
}

function answerSearch(
  { query, limit }: JsonObject,
  ctx: FullContext,
  names: SearchNames,
  own: OwnTools,
): CallToolResult {
  const run = runOf(ctx)
  const definition = run?.place.definition
  if (run === undefined || definition === undefined) {
    throw new TypeError(`Tool ${names.search} needs the context of its call`)
  }
  if (typeof query !== 'string') {
    throw new ToolError('"query" must be a text, such as { "query": "create an invoice" }')
  }
  const callable = own.foundBy(definition, ctx.auth)
  const ranking = findTools(callable, query)
  const isListing = ranking.tools.length === 0 && /^[\s*]*$/.test(query)
  const found = (isListing ? callable : ranking.tools).map(sentInfo)
  return describeFound(asListed(found, definition, run, own), {
    limit: readLimit(limit),
    maxBytes: Math.min(clientResultBytes(ctx.client.info?.name) ?? DEFAULT_BYTES, DEFAULT_BYTES),
    names,
    isListing,
    ranking,
  })
}

/** Models send numbers as texts, and ask for more than there is. */
function readLimit(limit: unknown): number {
  const number = Math.trunc(Number(limit ?? DEFAULT_LIMIT))
  return number >= 1 ? Math.min(number, MAX_LIMIT) : DEFAULT_LIMIT
}

/**
 * Tools as the list of the client would have them: other features change them by what the client can do. One that another
 * feature keeps from the list, such as `code({ only })`, is found as it is.
 */
function asListed(
  found: readonly Tool[],
  definition: Definition,
  { call: { client, deployment }, codec: { revision } }: HandlerRun,
  own: OwnTools,
): readonly Tool[] {
  const others = deployment.extensions.tools.filter((each) => each !== own.extension)
  const view = combineViews(others.flatMap(({ viewOf }) => viewOf?.(definition, revision) ?? []))
  const variant = view?.variantOf(client) ?? ''
  if (view === undefined || variant === '') return found
  return found.map((tool) => view.listed(tool, variant) ?? tool)
}
