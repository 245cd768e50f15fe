/** Step: the client reads the lists and makes its first call. */
import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { ZodType } from 'zod'
import { type Detected, describeRpc, detected, type Step, transportFault } from '../detected.ts'
import { isCutOff } from '../mcp/rpc.ts'
import type { Observations } from '../observations.ts'
import { type DefinitionsObservation, entriesOf, type ListObservation } from '../probes/lists.ts'
import { statusOf } from '../probes/reach.ts'
import { firstIssue } from '../schema.ts'
import { isObject, quoted } from '../text.ts'
import { callFaults } from './call.ts'
import { authorizationFault } from './credentials.ts'
import { handshake, isModern } from './handshake.ts'
import { toolFaults } from './tools.ts'
import { viewFaults } from './views.ts'

export const definitions: Step = {
  title: 'reads the lists and calls a tool',
  check: (observed, client) => {
    const isModernEra = isModern(observed, client)
    const { modern, session } = observed
    const seen = isModernEra ? modern?.definitions : session?.open?.definitions
    if (seen === undefined) return []
    // A client that rejects the result of the handshake reads no lists.
    if (handshake.check(observed, client).some(({ code }) => INVALID_HANDSHAKE.includes(code))) {
      return []
    }
    // A server that the notification ended has no lists.
    if (!isModernEra && session?.open && isCutOff(session.open.initialized)) return []
    const hasSession = !isModernEra && session?.open?.handshake.sessionId !== undefined
    const lists = seen.lists.flatMap((list) => listFaults(list, seen, observed, hasSession))
    // A list that clients reject is one fault; its tools are not examined.
    const isRejected = lists.some(({ code }) => REJECTED.includes(code))
    const tools = isRejected ? [] : toolFaults(entriesOf(seen.lists[0]))
    const resources = seen.lists.find(({ method }) => method === 'resources/list')
    const views = isRejected ? [] : viewFaults(seen.views, resources)
    const call = seen.call === undefined || lists.length > 0 ? [] : callFaults(seen.call, observed)
    return [...distinct(lists), ...tools, ...views, ...call]
  },
}

const INVALID_HANDSHAKE: readonly string[] = [
  'discover-result-invalid',
  'initialize-result-invalid',
]

const REJECTED: readonly string[] = [
  'list-result-invalid',
  'tool-schema-not-object',
  'list-failed',
  'list-does-not-end',
]

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
  hasSession: boolean,
): Detected[] {
  const { method, pages, isEndless } = list
  const isDeclared = method !== 'tools/list' || isObject(capabilities.tools)
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
      const isLost = hasSession && [400, 404].includes(statusOf(page) ?? 0)
      const code = isLost ? 'session-not-found-at-once' : 'list-failed'
      return [detected(code, `${method} is answered with ${describeRpc(page)}`)]
    }
    const invalid = schemaFault(method, page.result)
    if (invalid !== undefined) return [invalid]
  }
  return []
}

/** Clients reject a list as a whole, at the first entry that does not match. */
function schemaFault(method: string, result: unknown): Detected | undefined {
  const tools = isObject(result) && Array.isArray(result.tools) ? result.tools : []
  const tool = tools.find(
    (value) =>
      isObject(value) && !(isObject(value.inputSchema) && value.inputSchema.type === 'object'),
  )
  if (method === 'tools/list' && isObject(tool)) {
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
  if (!isObject(result) || !Array.isArray(result.tools)) return result
  const tools = result.tools.map((tool: unknown) =>
    isObject(tool) && isObject(tool.outputSchema)
      ? { ...tool, outputSchema: { type: 'object' } }
      : tool,
  )
  return { ...result, tools }
}

/** One cause at several lists is one finding. */
function distinct(faults: readonly Detected[]): readonly Detected[] {
  return [...new Map(faults.map((fault) => [fault.code, fault])).values()]
}
