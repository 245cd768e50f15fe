/** What is recorded of a response: its headers, and members of the documents of authorization. */

import { isJsonObject, type JsonObject } from '../../../../../src/protocol/json.ts'
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
  const action = /(?:^|;)\s*form-action\s+([^;]*)/i.exec(policy ?? '')?.[1]
  return detail('formAction', action, (text) => printable(text, 200))
}

function resourceDetails({ resource, authorization_servers: servers }: JsonObject): Details {
  return {
    ...detail('resource', resource, safeUrl),
    ...(Array.isArray(servers) && detail('server', servers[0], safeUrl)),
  }
}

function serverDetails(body: JsonObject): Details {
  const lists = (member: string, value: string) => {
    const list = body[member]
    return Array.isArray(list) && list.includes(value)
  }
  const grants = body.grant_types_supported
  return {
    ...detail('issuer', body.issuer, safeUrl),
    ...detail('authorizationEndpoint', body.authorization_endpoint, safeUrl),
    ...detail('tokenEndpoint', body.token_endpoint, safeUrl),
    ...detail('registrationEndpoint', body.registration_endpoint, safeUrl),
    pkce: lists('code_challenge_methods_supported', 'S256'),
    codeFlow:
      lists('response_types_supported', 'code') &&
      (grants === undefined || lists('grant_types_supported', 'authorization_code')),
    publicClients: lists('token_endpoint_auth_methods_supported', 'none'),
    documents: body.client_id_metadata_document_supported === true,
    issInResponse: body.authorization_response_iss_parameter_supported === true,
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

/** What can be a header value (RFC 6750 §2.1). */
const HEADER_TOKEN = /^[\w.~+/-]+=*$/

function tokenDetails(body: JsonObject): Details {
  const { access_token: token, token_type: type, expires_in: expires, scope } = body
  if (token === undefined) return {}
  const isSendable = typeof token === 'string' && HEADER_TOKEN.test(token)
  return {
    hasToken: isSendable,
    tokenType: printable(String(type)),
    // A text, a date or 0 is a fault of its own.
    ...(expires !== undefined && {
      expires: typeof expires === 'number' ? expires : 'not a number',
    }),
    hasRefreshToken: typeof body.refresh_token === 'string',
    ...(typeof scope === 'string' && { scope: safeScopes(scope) }),
    ...(isSendable && claimDetails(token)),
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
