/** Checks that an object of each bound class answers. Reads alone: a check creates no rows but the first keys. */
import { withDeadline } from '../src/platform/deadline.ts'
import type { Health, HealthPart } from '../src/ports/health.ts'
import type { AccountNamespace } from './account/accounts.ts'
import { digestOfText } from './account/object-names.ts'
import type { McpHub } from './hub/hub-object.ts'
import { shardName } from './hub/object-names.ts'
import type { McpKeyring } from './keyring/keyring-object.ts'
import { KEYRING_NAME } from './keyring/object-names.ts'
import type { ObjectNamespace } from './object-call.ts'
import type { StateNamespace } from './state/state-store.ts'

interface Bindings {
  readonly MCP_KEYRING?: ObjectNamespace<Pick<McpKeyring, 'keys'>>
  readonly MCP_ACCOUNT?: AccountNamespace
  readonly MCP_HUB?: ObjectNamespace<Pick<McpHub, 'version'>>
  readonly MCP_STATE?: StateNamespace
}

/** How long an object may take to answer. */
const TIMEOUT_MS = 5_000

/** The name of the objects that only the check calls. No subject and no principal has it. */
const NAME = 'health'

/** @param usesAccounts false where the account class serves nothing */
export async function checkHealth(env: unknown, usesAccounts: boolean): Promise<Health> {
  const bindings: Bindings = typeof env === 'object' && env !== null ? env : {}
  const { MCP_KEYRING: keyring, MCP_ACCOUNT: account, MCP_HUB: hub, MCP_STATE: state } = bindings
  const checks: readonly (readonly [HealthPart, (() => Promise<unknown>) | undefined])[] = [
    ['keyring', keyring && (async () => keyring.getByName(KEYRING_NAME).keys())],
    [
      'account',
      usesAccounts && account !== undefined
        ? async () => account.getByName(`${await digestOfText(NAME)}-`).hasSignInEnded(NAME)
        : undefined,
    ],
    ['hub', hub && (async () => hub.getByName(shardName(0)).version())],
    ['state', state && (async () => state.getByName(NAME).read(NAME))],
  ]
  const parts = await Promise.all(
    checks.map(async ([part, call]) => {
      if (call === undefined) return []
      return [[part, (await answers(call)) ? 'ok' : 'failing'] as const]
    }),
  )
  const entries = parts.flat()
  const isHealthy = entries.every(([, status]) => status === 'ok')
  return { status: isHealthy ? 'ok' : 'failing', parts: Object.fromEntries(entries) }
}

async function answers(call: () => Promise<unknown>): Promise<boolean> {
  try {
    const answered = call().then(() => true)
    return await withDeadline(TIMEOUT_MS, answered, () => false)
  } catch {
    // The answer says which object fails. Its error is not disclosed to anonymous callers.
    return false
  }
}
