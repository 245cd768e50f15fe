/** Names the accounts that a call has used in its result, so that no account acts unseen. */
import type { Call } from '../../../dispatch/call.ts'
import type { CallToolResult } from '../../../protocol/primitives.ts'
import type { Service } from '../service.ts'
import type { AccountName } from '../store.ts'

/** The member of `_meta` of a result. */
const META = 'dev.edgeway/accounts'

interface UsedAccount {
  readonly connection: string
  readonly service: string
  readonly label: string
}

const usedBy = new WeakMap<Call, Map<string, UsedAccount>>()

export function noteUse(call: Call, { name, title }: Service, { id, label }: AccountName): void {
  const used = usedBy.get(call) ?? new Map<string, UsedAccount>()
  used.set(`${name} ${id}`, { connection: name, service: title, label })
  usedBy.set(call, used)
}

export function markAccounts(call: Call, result: CallToolResult): CallToolResult {
  const used = [...(usedBy.get(call)?.values() ?? [])]
  if (used.length === 0) return result
  const lines = used.map(({ service, label }) => `Account used: ${service}: ${label}`)
  return {
    ...result,
    content: [...result.content, { type: 'text', text: lines.join('\n') }],
    _meta: {
      ...result._meta,
      [META]: used.map(({ connection, label }) => ({ connection, label })),
    },
  }
}
