/** Finds the authorization server of the endpoint, as RFC 9728 and RFC 8414 say. */
import {
  endpointDifference,
  issuerDifference,
  namesIssuer,
  resourceDifference,
} from '../../src/protocol/client-checks.ts'

export interface Discovered {
  /** The resource for which tokens are requested. */
  readonly resource: string
  readonly issuer: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly registrationEndpoint: string | undefined
  /** Whether an authorization response names its issuer. */
  readonly namesIssuer: boolean
  readonly scope: string | undefined
}

/** A step of the sign-in that failed. The message says which. */
export class SignInError extends Error {
  override readonly name = 'SignInError'
}

type Members = Readonly<Record<string, unknown>>

/**
 * @param challenge the `WWW-Authenticate` header of the 401
 * @throws {SignInError}
 */
export async function discover(endpoint: URL, challenge: string): Promise<Discovered> {
  const resource = await readResource(endpoint, challenge)
  const [issuer] = Array.isArray(resource.authorization_servers)
    ? (resource.authorization_servers as unknown[])
    : []
  if (typeof issuer !== 'string' || !URL.canParse(issuer)) {
    throw new SignInError('The protected resource metadata names no authorization server.')
  }
  const server = await readServer(new URL(issuer))
  const difference = issuerDifference(server, issuer) ?? endpointDifference(server)
  if (difference !== undefined) throw new SignInError(`${difference}.`)
  const methods = server.code_challenge_methods_supported
  if (!Array.isArray(methods) || !methods.includes('S256')) {
    throw new SignInError('The authorization server does not support PKCE with S256.')
  }
  const { registration_endpoint: registration } = server
  return {
    resource: textOf(resource, 'resource'),
    issuer,
    authorizationEndpoint: textOf(server, 'authorization_endpoint'),
    tokenEndpoint: textOf(server, 'token_endpoint'),
    registrationEndpoint: typeof registration === 'string' ? registration : undefined,
    namesIssuer: namesIssuer(server),
    scope: scopeOf(resource, challenge),
  }
}

async function readResource(endpoint: URL, challenge: string): Promise<Members> {
  const named = parameterOf(challenge, 'resource_metadata')
  const wellKnown = `/.well-known/oauth-protected-resource${endpoint.pathname}`
  const metadata = await read([named ?? new URL(wellKnown, endpoint).href])
  const difference = resourceDifference(metadata, endpoint)
  if (difference === undefined) return metadata
  throw new SignInError(`${difference}. Open the inspector at the address of the resource.`)
}

/** @see https://www.rfc-editor.org/rfc/rfc8414#section-3.1 */
function readServer({ origin, pathname }: URL): Promise<Members> {
  if (origin !== location.origin) {
    throw new SignInError(
      `The authorization server is at ${origin}. This page may connect to its own server alone: get an access token there and enter it here.`,
    )
  }
  const path = pathname === '/' ? '' : pathname
  return read([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ])
}

/** The first document that exists. */
async function read([url = '', ...others]: readonly string[]): Promise<Members> {
  if (!URL.canParse(url) || new URL(url).origin !== location.origin) {
    throw new SignInError(
      `The metadata is at ${url}, and this page is at ${location.origin}. Open the inspector at that address.`,
    )
  }
  const response = await fetch(url, { redirect: 'error', credentials: 'omit' })
  if (response.ok) return (await response.json()) as Members
  if (others.length > 0) return read(others)
  throw new SignInError(`${url} answered ${response.status}.`)
}

/** The scopes of the challenge, otherwise all scopes of the resource. */
function scopeOf({ scopes_supported: all }: Members, challenge: string): string | undefined {
  return parameterOf(challenge, 'scope') ?? (Array.isArray(all) ? all.join(' ') : undefined)
}

/** A parameter of a `WWW-Authenticate` header. */
export function parameterOf(challenge: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(challenge)?.[1]
}

function textOf(members: Members, name: string): string {
  const value = members[name]
  if (typeof value === 'string') return value
  throw new SignInError(`The metadata has no ${name}.`)
}
