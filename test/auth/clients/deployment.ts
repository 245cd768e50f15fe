/** An issuer with its clients, hosts that publish documents, and a clock, for tests. */
import { createSealer } from '../../../durable-objects/keyring/sealer.ts'
import type { ClientSupport } from '../../../src/auth/clients/client.ts'
import { checkAssertion, readAssertion } from '../../../src/auth/clients/client-assertion.ts'
import { createClientAuthentication } from '../../../src/auth/clients/client-authentication.ts'
import { createClientDocuments } from '../../../src/auth/clients/client-document.ts'
import { parsePublicJwk, readRegisteredKeys } from '../../../src/auth/clients/client-jwks.ts'
import { createClientKeys } from '../../../src/auth/clients/client-keys.ts'
import { createClients } from '../../../src/auth/clients/clients.ts'
import {
  createRedirectPolicy,
  type RedirectOptions,
} from '../../../src/auth/clients/redirect-policy.ts'
import {
  createStaticClients,
  type StaticClientOptions,
} from '../../../src/auth/clients/static-clients.ts'
import { createGuardedFetch } from '../../../src/auth/fetch/guarded-fetch.ts'
import type { Sealer } from '../../../src/ports/sealer.ts'
import type { TelemetryEvent } from '../../../src/ports/telemetry.ts'

export const ISSUER = 'https://mcp.example.com'
export const TOKEN_ENDPOINT = 'https://mcp.example.com/token'
export const NOW = Date.UTC(2026, 10, 2, 12)
export const DAY_MS = 86_400_000

const SECRET = 'a-secret-of-the-environment-that-is-long-enough'

/** What clients may have with every feature. */
export const EVERYTHING: ClientSupport = {
  keys: { parse: parsePublicJwk, registered: readRegisteredKeys },
  assertions: true,
  dpop: true,
}

export interface Setting {
  readonly issuer?: string
  readonly redirects?: RedirectOptions
  readonly staticClients?: readonly StaticClientOptions[]
  readonly documents?: false
  readonly strict?: boolean
  /** Default: {@link EVERYTHING}. */
  readonly support?: ClientSupport
}

export function openDeployment({
  issuer = ISSUER,
  redirects,
  staticClients = [],
  documents,
  strict = false,
  support = EVERYTHING,
}: Setting = {}) {
  const events: TelemetryEvent[] = []
  const clock = { now: NOW }
  const now = () => clock.now
  /** Published values by URL. The host of any other URL is unreachable. */
  const published = new Map<string, unknown>()
  const fetched: string[] = []
  const fetch = createGuardedFetch({
    fetch: async (url) => {
      fetched.push(url)
      const value = published.get(url)
      if (value instanceof Response) return value.clone()
      if (value === undefined) throw new TypeError('no such host')
      return Response.json(value)
    },
  })
  const policy = createRedirectPolicy(redirects)
  const sealer = createSealer({}, SECRET, now)
  const used = new Set<string>()
  const redeem: Sealer['redeem'] = async (name, expiresAt) => {
    if (expiresAt <= clock.now || used.has(name)) return false
    used.add(name)
    return true
  }
  const clients = createClients({
    issuer,
    sealer,
    redirects: policy,
    staticClients: createStaticClients(staticClients, redirects, support),
    documents:
      documents === false
        ? undefined
        : createClientDocuments({ fetch, redirects: policy, support, issuer, now }),
    support,
    now,
  })
  const options = {
    keys: createClientKeys({ fetch, now }),
    audiences: strict ? [issuer] : [issuer, `${issuer}/token`],
    report: (event: TelemetryEvent) => events.push(event),
    redeem,
    now,
  }
  const authenticate = createClientAuthentication({
    clients,
    assertions:
      support.keys === undefined
        ? undefined
        : {
            read: readAssertion,
            check: (text, client, first) => checkAssertion(text, client, options, first),
          },
    now,
  })
  return { events, clients, clock, published, fetched, sealer, used, authenticate }
}
