/** An issuer of access tokens and a protected resource that trusts it, for tests. */
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { vi } from 'vitest'
import { createDpopSupport } from '../../../src/auth/resource/dpop.ts'
import {
  ResourceServer,
  type ResourceServerOptions,
} from '../../../src/auth/resource/resource-server.ts'
import type { Resources } from '../../../src/auth/resource/resources.ts'
import { createScopeTable } from '../../../src/auth/resource/scopes.ts'
import { createEmbeddedVerifier } from '../../../src/auth/resource/token-verifier.ts'
import type { CheckGrant } from '../../../src/auth/resource/verified-tokens.ts'
import type { Background, Caller } from '../../../src/ports/authenticator.ts'
import type { TelemetryEvent } from '../../../src/ports/telemetry.ts'
import type { AuthInfo } from '../../../src/protocol/auth-info.ts'

export const NOW = Date.UTC(2026, 10, 21, 12)
export const NOW_SECONDS = NOW / 1000
export const ISSUER = 'https://mcp.example.com'
export const RESOURCE = 'https://mcp.example.com/mcp'
export const OTHER = 'https://mcp.example.com/other'
export const OLD = 'https://old.example.net/mcp'

export const SCOPES = createScopeTable({
  read: 'Read your notes',
  write: { description: 'Write your notes', includes: ['read'] },
})

export interface SigningPair {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly jwk: JWK
}

export async function createPair(kid: string, alg = 'ES256'): Promise<SigningPair> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg } }
}

/** The claims of a valid token, with changes. Undefined removes a claim. */
export const claimsOf = (changes: Record<string, unknown> = {}) => ({
  iss: ISSUER,
  sub: 'owner',
  aud: RESOURCE,
  client_id: 'client-1',
  scope: 'read',
  iat: NOW_SECONDS,
  exp: NOW_SECONDS + 3600,
  jti: 'token-1',
  gid: 'grant-1',
  gk: 'sealed-key',
  ...changes,
})

export function sign(
  pair: SigningPair,
  claims: Record<string, unknown> = claimsOf(),
  header: Record<string, unknown> = {},
): Promise<string> {
  const { alg, kid, privateKey } = pair
  return new SignJWT(claims)
    .setProtectedHeader({ alg, typ: 'at+jwt', kid, ...header })
    .sign(privateKey)
}

export type Outcome = Caller | Response

export function openResource(
  pair: SigningPair,
  options: Partial<ResourceServerOptions> & {
    readonly verificationKey?: (kid: string) => Promise<CryptoKey | undefined>
  } = {},
) {
  const events: TelemetryEvent[] = []
  let now = NOW
  const clock = () => now
  const single = [
    {
      resource: RESOURCE,
      aliases: [OLD],
      name: 'Notes',
      documentation: 'https://example.com/docs',
    },
    { resource: OTHER },
  ]
  const resources: Resources = options.resources ?? { single, families: [] }
  const { verificationKey = async (kid) => (kid === pair.kid ? pair.publicKey : undefined) } =
    options
  const server = new ResourceServer({
    scopes: SCOPES,
    verifiers: [createEmbeddedVerifier({ issuer: ISSUER, resources, verificationKey, now: clock })],
    dpop: createDpopSupport({ now: clock }),
    report: (event) => events.push(event),
    now: clock,
    ...options,
    resources,
  })
  const authenticate = (
    headers: Record<string, string> = {},
    url = RESOURCE,
    resource = RESOURCE,
    background?: Background,
  ) => server.authenticate(new Request(url, { method: 'POST', headers }), resource, background)
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  return {
    server,
    events,
    authenticate,
    /** Waits for every grant check. */
    present: (token: string) => authenticate(bearer(token)),
    /** Returns the outcome together with the grant checks that end after it. */
    async presentInBackground(token: string) {
      const checks: Promise<unknown>[] = []
      const outcome = await authenticate(bearer(token), RESOURCE, RESOURCE, (check) => {
        checks.push(check)
      })
      return { outcome, checks }
    },
    advance: (ms: number) => {
      now += ms
    },
  }
}

/** A resource with a grant check, and the number of verifications and grant checks. */
export function openCountedResource(
  pair: SigningPair,
  check: CheckGrant = async () => ({ active: true }),
) {
  const checkGrant = vi.fn(check)
  const verificationKey = vi.fn(async () => pair.publicKey)
  const opened = openResource(pair, { checkGrant, verificationKey })
  const counts = () => [verificationKey.mock.calls.length, checkGrant.mock.calls.length]
  return { ...opened, checkGrant, counts }
}

/** Reads the response that rejects a request. Fails the test if the request was accepted. */
export async function refusalOf(outcome: Outcome | Promise<Outcome>) {
  const response = await outcome
  if (!(response instanceof Response)) {
    throw new Error(`Accepted: ${JSON.stringify(response)}`)
  }
  const body = (await response.json()) as { error: { code: number; message: string } }
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    message: body.error.message,
    headers: response.headers,
    body,
  }
}

/** Returns the AuthInfo of an accepted request. Fails the test if the request was rejected. */
export async function accepted(outcome: Outcome | Promise<Outcome>): Promise<AuthInfo> {
  const caller = await outcome
  if (caller instanceof Response) throw new Error(`Rejected: ${await caller.text()}`)
  return caller.auth
}
