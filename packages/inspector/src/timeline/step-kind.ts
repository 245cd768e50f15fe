/** Which requests are recorded, and as what: decided by method and path alone. */
import { SIGN_IN_ENDPOINT } from '../../../../src/internal.ts'
import type { StepKind } from '../objects/log/port.ts'

const KINDS: Readonly<Record<string, StepKind>> = {
  [SIGN_IN_ENDPOINT.register]: 'registration',
  [SIGN_IN_ENDPOINT.authorize]: 'authorization',
  [SIGN_IN_ENDPOINT.consent]: 'consent',
  [SIGN_IN_ENDPOINT.callback]: 'sign-in',
  [SIGN_IN_ENDPOINT.token]: 'token',
  [SIGN_IN_ENDPOINT.revoke]: 'revocation',
  [SIGN_IN_ENDPOINT.jwks]: 'keys',
}

/** Where clients look for metadata: at the root, with the path after it, and below the endpoint. */
const WELL_KNOWN =
  /^(.*)(\/\.well-known\/(?:oauth-protected-resource|oauth-authorization-server|openid-configuration))(\/.*)?$/

/** Paths that people paste by mistake. */
const USUAL_SIGN_IN_ENDPOINTS: readonly string[] = ['/', '/mcp', '/sse', '/messages', '/message']

/** What a request asks for. */
export interface RecordedPlace {
  readonly kind: StepKind
  /** The path as it is recorded. */
  readonly path: string
}

/** The pattern of the endpoint's path that a path has; undefined for any other path. */
type PatternOf = (pathname: string) => string | undefined

/** @returns undefined for a request that is not recorded, such as those of other pages of the host */
export function placeOf({ method, url }: Request, patternOf: PatternOf): RecordedPlace | undefined {
  // The URL of a malformed host cannot be parsed, and its request is refused.
  if (!URL.canParse(url)) return undefined
  const { pathname } = new URL(url)
  const kind = stepKindOf(method, pathname, patternOf(pathname) !== undefined)
  return kind && { kind, path: recordedPath(pathname, patternOf) }
}

function stepKindOf(method: string, pathname: string, isEndpoint: boolean): StepKind | undefined {
  const path = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname
  const kind = isEndpoint ? 'endpoint' : kindOfPath(path)
  if (kind !== undefined) return method === 'OPTIONS' ? 'preflight' : kind
  return method === 'POST' && USUAL_SIGN_IN_ENDPOINTS.includes(path) ? 'other-path' : undefined
}

function kindOfPath(path: string): StepKind | undefined {
  const [, , document] = WELL_KNOWN.exec(path) ?? []
  if (document === undefined) return KINDS[path]
  return document.endsWith('resource') ? 'resource-metadata' : 'server-metadata'
}

/** The path of the endpoint as its pattern, and no text that a client has made up. */
function recordedPath(pathname: string, patternOf: PatternOf): string {
  const known = (path: string) => (path === '' ? '' : (patternOf(path) ?? '/*'))
  const [, before, document, after = ''] = WELL_KNOWN.exec(pathname) ?? []
  if (before === undefined || document === undefined) return patternOf(pathname) ?? pathname
  return `${known(before)}${document}${after === '/' ? after : known(after)}`
}
