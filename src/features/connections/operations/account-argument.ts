/** The argument `account` of tools with a connection, for a caller with several accounts. */
import type { Call } from '../../../dispatch/call.ts'
import type { ListView } from '../../../dispatch/listing/list-view.ts'
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts'
import type { Tool } from '../../../protocol/primitives.ts'
import type { Definition, ToolDefinition } from '../../../server/definition.ts'
import { CONNECTIONS, type PersonOf } from '../store.ts'

type Labels = Readonly<Record<string, readonly string[]>>

const takers = ({ tools }: Definition) =>
  [...tools.values()].filter(({ takesAccount }) => takesAccount)

/** What the list of a caller depends on: the labels of its accounts, where it has several. Empty for nothing. */
export async function listOf(call: Call, personOf: PersonOf): Promise<string> {
  const { request, services } = call
  const { auth } = request
  const store = auth && services.of(CONNECTIONS)
  if (store === undefined || auth === undefined) return ''
  const labels = await store.of(personOf(call, auth)).labels(auth.clientId)
  const several = Object.entries(labels).filter(([, list]) => list.length > 1)
  return several.length === 0 ? '' : encodeURIComponent(JSON.stringify(Object.fromEntries(several)))
}

/** Undefined for a definition without such tools. */
export function accountView(definition: Definition): ListView<Tool> | undefined {
  if (takers(definition).length === 0) return undefined
  return {
    variantOf: ({ own = '' }) => own,
    listed: (tool, variant) => {
      const labels: Labels = JSON.parse(decodeURIComponent(variant))
      const connection = definition.tools.get(tool.name)?.connection
      const own = connection === undefined ? undefined : labels[connection]
      if (own === undefined || !definition.tools.get(tool.name)?.takesAccount) return tool
      return withArgument(tool, own)
    },
  }
}

export const hasAccountArgument = (definition: Definition) => takers(definition).length > 0

function withArgument(tool: Tool, labels: readonly string[]): Tool {
  const { properties } = tool.inputSchema
  const list = labels.map((label) => JSON.stringify(label)).join(', ')
  const account = {
    type: 'string',
    description: `The account of the person to use: one of ${list}. Leave it out for the one that they prefer.`,
  }
  return {
    ...tool,
    inputSchema: {
      ...tool.inputSchema,
      properties: { ...(isJsonObject(properties) ? properties : {}), account },
    },
  }
}

/** The arguments as the author's schema has them. */
export function withoutAccount({ takesAccount }: ToolDefinition, args: JsonObject): JsonObject {
  if (takesAccount !== true || !('account' in args)) return args
  const { account: _, ...others } = args
  return others
}
