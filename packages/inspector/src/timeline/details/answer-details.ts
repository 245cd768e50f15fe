/** What is recorded of a response: its headers, and members of the documents of authorization. */

import { isJsonObject, type JsonObject } from '../../../../../src/protocol/json.ts'
import { formActionOf, serverFacts, tokenFacts } from '../../../../faults/src/checks/documents.ts'
import type { Details, StepKind } from '../../objects/log/port.ts'
import { printable, safeRedirect, safeScopes, safeUrl } from '../safe-text.ts'
import { detail } from './detail.ts'

/** @param redirect the redirect URI of the request, as it was recorded */
export function headerDetails(kind: StepKind, { status, headers }: Response): Details {
  return {
    ...detail('type', headers.get('content-type')?.split(';')[0], printable),
    ...(headers.has('access-control-allow-origin') && { cors: true }),
    ...(status === 401 && challengeDetails(headers.get('www-authenticate'))),
    ...(kind === 'endpoint' && headers.has('mcp-session-id') && { opensSession: true }),
    ...redirectDetails(headers.get('location')),
    ...(kind === 'authorization' && formDetails(headers.get('content-security-policy'))),
  }
}

/** @see https://www.rfc-editor.org/rfc/rfc9728#section-5.1 */
function challengeDetails(header: string | null): Details {
  if (header === null) return { challenge: 'none' }
  const parameter = (name: string) => new RegExp(`${name}="([^"]*)"`, 'i').exec(header)?.[1]
  return {
    challenge: /(?:^|,\s*)bearer\b/i.test(header) ? 'Bearer' : 'other',
    ...detail('metadataUrl', parameter('resource_metadata'), safeUrl),
    ...detail('challengeScope', parameter('scope'), safeScopes),
    ...detail('challengeError', parameter('error'), printable),
  }
}

/** An authorization response, or the way to a provider. Code, state and error text stay away. */
function redirectDetails(location: string | null): Details {
  if (location === null) return {}
  const params = URL.canParse(location) ? new URL(location).searchParams : new URLSearchParams()
  return {
    location: safeRedirect(location),
    returnsCode: params.has('code'),
    returnsState: params.has('state'),
    ...detail('iss', params.get('iss') ?? undefined, safeUrl),
    ...detail('error', params.get('error') ?? undefined, printable),
  }
}

/** Where the form of a page may lead. Absent without a policy, which allows everything. */
function formDetails(policy: string | null): Details {
  return detail('formAction', formActionOf(policy ?? ''), (text) => printable(text, 200))
}

function resourceDetails({ resource, authorization_servers: servers }: JsonObject): Details {
  return {
    ...detail('resource', resource, safeUrl),
    ...(Array.isArray(servers) && detail('server', servers[0], safeUrl)),
  }
}

function serverDetails(body: JsonObject): Details {
  const facts = serverFacts(body)
  const { issuer, authorizationEndpoint, tokenEndpoint, registrationEndpoint, ...others } = facts
  return {
    ...detail('issuer', issuer, safeUrl),
    ...detail('authorizationEndpoint', authorizationEndpoint, safeUrl),
    ...detail('tokenEndpoint', tokenEndpoint, safeUrl),
    ...detail('registrationEndpoint', registrationEndpoint, safeUrl),
    ...others,
  }
}

function registrationDetails(body: JsonObject): Details {
  const { redirect_uris: uris, client_id: id, token_endpoint_auth_method: method } = body
  return {
    hasClientId: typeof id === 'string' && id !== '',
    ...(Array.isArray(uris) && {
      redirects: printable(uris.slice(0, 8).map(safeRedirect).join(' '), 300),
      redirectCount: uris.length,
    }),
    ...(typeof method === 'string' && { clientAuthentication: printable(method) }),
  }
}

function tokenDetails(body: JsonObject): Details {
  const { access_token: token, scope } = body
  if (token === undefined) return {}
  const { hasToken, tokenType, expires, hasRefreshToken } = tokenFacts(body)
  return {
    hasToken,
    tokenType: printable(String(tokenType)),
    // A text, a date or 0 is a fault of its own.
    ...(expires !== undefined && {
      expires: typeof expires === 'number' ? expires : 'not a number',
    }),
    hasRefreshToken,
    ...(typeof scope === 'string' && { scope: safeScopes(scope) }),
    ...(hasToken && claimDetails(String(token))),
  }
}

/** The audience and the issuer of a JWT, which are URLs of this deployment. */
function claimDetails(token: string): Details {
  const [, payload] = token.split('.')
  if (payload === undefined) return {}
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    if (!isJsonObject(claims)) return {}
    const { aud, iss } = claims
    return {
      ...detail('audience', Array.isArray(aud) ? aud[0] : aud, safeUrl),
      ...detail('iss', iss, safeUrl),
    }
  } catch {
    // Not a JWT: an opaque token has no claims that can be read.
    return {}
  }
}

const READERS: Readonly<Partial<Record<StepKind, (body: JsonObject) => Details>>> = {
  'resource-metadata': resourceDetails,
  'server-metadata': serverDetails,
  registration: registrationDetails,
  token: tokenDetails,
}

/** The kinds whose answer is a document that is read. Bodies of the endpoint are not. */
export const DOCUMENTS = Object.keys(READERS) as readonly StepKind[]

/** @param body undefined for a body that is no JSON object */
export function documentDetails(kind: StepKind, body: JsonObject | undefined): Details {
  if (body === undefined) return { isDocument: false }
  const { error } = body
  return {
    isDocument: true,
    ...(typeof error === 'string' && { error: printable(error) }),
    ...READERS[kind]?.(body),
  }
}
