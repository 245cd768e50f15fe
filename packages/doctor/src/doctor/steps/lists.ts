/** Step: the client reads the lists. */
import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { ZodType } from 'zod'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { listIn } from '../../../../text/src/json/members.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import {
  answered,
  type Detected,
  detected,
  envelopeFaults,
  type Step,
  transportFault,
} from '../detected.ts'
import type { Observations } from '../observations.ts'
import { type DefinitionsObservation, entriesOf, type ListObservation } from '../probes/lists.ts'
import { statusOf } from '../probes/reach.ts'
import type { OpenSessionObservation } from '../probes/session.ts'
import { firstIssue } from '../schema.ts'
import { authorizationFault } from './credentials.ts'
import { definitionsOf, modernListDefect, refusesVersion, sessionOf } from './era.ts'

export const lists: Step = {
  title: 'reads the lists',
  check: (observed, client) => {
    const seen = definitionsOf(observed, client)
    if (seen === undefined) return []
    const open = sessionOf(observed, client)
    const read = seen.lists.filter(({ method }) => client.lists?.includes(method) ?? true)
    return read.flatMap((list) => listFaults(list, seen, observed, open))
  },
}

const SCHEMAS: Readonly<Record<string, ZodType>> = {
  'tools/list': ListToolsResultSchema,
  'prompts/list': ListPromptsResultSchema,
  'resources/list': ListResourcesResultSchema,
  'resources/templates/list': ListResourceTemplatesResultSchema,
}

function listFaults(
  list: ListObservation,
  { capabilities }: DefinitionsObservation,
  observed: Observations,
  open: OpenSessionObservation | undefined,
): Detected[] {
  const { method, pages, isEndless } = list
  const isDeclared = method !== 'tools/list' || isJsonObject(capabilities.tools)
  if (!isDeclared) {
    if (entriesOf(list).length === 0) return []
    const message = `${method} lists tools, and the capabilities are ${quoted(capabilities)}`
    return [detected('tools-not-declared', message)]
  }
  if (isEndless) {
    return [detected('list-does-not-end', `${method} has a nextCursor on page ${pages.length}`)]
  }
  for (const page of pages) {
    const refused = authorizationFault(page, method, observed) ?? transportFault(page, method)
    if (refused !== undefined) return [refused]
    if (page.kind !== 'result') {
      // Templates are optional for a server with resources.
      if (method === 'resources/templates/list') return []
      if (open !== undefined && refusesVersion(open)) {
        return [answered('version-header-refused', method, page)]
      }
      const hasSession = open?.handshake.sessionId !== undefined
      const isLost = hasSession && [400, 404].includes(statusOf(page) ?? 0)
      const code = isLost ? 'session-not-found-at-once' : 'list-failed'
      return [answered(code, method, page)]
    }
    const around = envelopeFaults(page, method)
    if (around.length > 0) return around
    const unmarked = open === undefined ? modernListDefect(page.result) : undefined
    if (unmarked !== undefined) {
      return [detected('list-result-invalid', `The result of ${method} has ${unmarked}`)]
    }
    const invalid = schemaFault(method, page.result)
    if (invalid !== undefined) return [invalid]
  }
  return []
}

/** Clients reject a list as a whole, at the first entry that does not match. */
function schemaFault(method: string, result: unknown): Detected | undefined {
  const tool = listIn(result, 'tools').find(
    (value) =>
      isJsonObject(value) &&
      !(isJsonObject(value.inputSchema) && value.inputSchema.type === 'object'),
  )
  if (method === 'tools/list' && isJsonObject(tool)) {
    const message = `The tool ${quoted(tool.name)} has the inputSchema ${quoted(tool.inputSchema)}`
    return detected('tool-schema-not-object', message)
  }
  const schema = SCHEMAS[method]
  const invalid = schema && firstIssue(schema, withoutOutputTypes(result))
  return invalid === undefined
    ? undefined
    : detected('list-result-invalid', `The result of ${method}: ${invalid}`)
}

/** The modern revision allows any root of an outputSchema, which the schema of older ones does not. */
function withoutOutputTypes(result: unknown): unknown {
  if (!isJsonObject(result) || !Array.isArray(result.tools)) return result
  const tools = result.tools.map((tool: unknown) =>
    isJsonObject(tool) && isJsonObject(tool.outputSchema)
      ? { ...tool, outputSchema: { type: 'object' } }
      : tool,
  )
  return { ...result, tools }
}
