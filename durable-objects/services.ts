/** What a Worker's bindings offer, each port over its objects. */
import type { Accounts } from '../src/ports/accounts.ts'
import type { ChangeBus } from '../src/ports/change-bus.ts'
import type { Sealer } from '../src/ports/sealer.ts'
import type { Services } from '../src/ports/services.ts'
import type { Sessions } from '../src/ports/sessions.ts'
import type { SigningKeys } from '../src/ports/signing-keys.ts'
import { type AccountNamespace, createAccounts } from './account/accounts.ts'
import {
  type ChangeBusOptions,
  checkChangeBusOptions,
  createChangeBus,
  type HubNamespace,
} from './hub/change-bus.ts'
import type { McpKeyring } from './keyring/keyring-object.ts'
import { createSealer } from './keyring/sealer.ts'
import { createSigningKeys } from './keyring/signing-keys.ts'
import type { ObjectNamespace } from './object-call.ts'
import { createSessions, type SessionNamespace } from './session/sessions.ts'

/** The bindings by their names. Each may be missing, and what needs it then says so. */
export interface ServiceBindings {
  readonly MCP_KEYRING?: ObjectNamespace<Pick<McpKeyring, 'keys' | 'redeem' | 'signingKeys'>>
  readonly MCP_HUB?: HubNamespace
  readonly MCP_SESSION?: SessionNamespace
  readonly MCP_ACCOUNT?: AccountNamespace
  /** Replaces the keyring's own keys for sealing. */
  readonly EDGEWAY_SECRET?: string
}

/** Services by environment: one isolate has one, and what they keep (keys, lines) lives as long. */
export function createServices(options: ChangeBusOptions): (env: unknown) => Services {
  checkChangeBusOptions(options)
  const made = new WeakMap<object, Services>()
  return (env) => {
    const key = typeof env === 'object' && env !== null ? env : NO_ENVIRONMENT
    const known = made.get(key)
    if (known !== undefined) return known
    const services = servicesOf(key as ServiceBindings, options)
    made.set(key, services)
    return services
  }
}

const NO_ENVIRONMENT = {}

function servicesOf(bindings: ServiceBindings, options: ChangeBusOptions): Services {
  const {
    MCP_KEYRING: keyring,
    MCP_HUB: hub,
    MCP_SESSION: session,
    MCP_ACCOUNT: account,
    EDGEWAY_SECRET: secret,
  } = bindings
  let sealer: Sealer | undefined
  let changes: ChangeBus | undefined
  let sessions: Sessions | undefined
  let signingKeys: SigningKeys | undefined
  let accounts: Accounts | undefined
  return {
    sealer: () => {
      if (keyring !== undefined || secret !== undefined) sealer ??= createSealer(keyring, secret)
      return sealer
    },
    changes: () => {
      if (hub !== undefined) changes ??= createChangeBus(hub, options)
      return changes
    },
    sessions: () => {
      if (session !== undefined) sessions ??= createSessions(session)
      return sessions
    },
    signingKeys: () => {
      if (keyring !== undefined) signingKeys ??= createSigningKeys(keyring)
      return signingKeys
    },
    accounts: () => {
      if (account !== undefined) accounts ??= createAccounts(account)
      return accounts
    },
  }
}
