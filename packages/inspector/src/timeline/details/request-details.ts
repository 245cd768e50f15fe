/** What is recorded of the URL and the headers of a request, and of the form of a token request. */

import { DOCTOR } from '../../../../client/src/names.ts'
import type { Details, StepKind } from '../../objects/log/port.ts'
import { printable, safeRedirect, safeScopes, safeUrl } from '../safe-text.ts'
import { detail } from './detail.ts'

/** @param path the path as it is recorded: the pattern of a path with params */
export function requestDetails(kind: StepKind, request: Request, path: string): Details {
  return {
    ...addressDetails(request, path),
    ...(kind === 'endpoint' && endpointDetails(request.headers)),
    ...(kind === 'authorization' && authorizationDetails(new URL(request.url).searchParams)),
  }
}

/** `url` as the server sees it; `forwarded` as a proxy in front of it says that the client sent it. */
function addressDetails({ url, headers }: Request, path: string): Details {
  const { protocol, host } = new URL(url)
  return {
    url: safeUrl(`${protocol}//${host}${path}`),
    ...forwardedDetail(protocol, host, headers),
    ...detail('origin', headers.get('origin') ?? undefined, safeUrl),
  }
}

/** The origin that a proxy has received the request for, where that is another one. */
function forwardedDetail(protocol: string, host: string, headers: Headers): Details {
  const first = (name: string) => headers.get(name)?.split(',')[0]?.trim()
  const scheme = first('x-forwarded-proto') ?? protocol.slice(0, -1)
  const outer = safeUrl(`${scheme}://${first('x-forwarded-host') ?? host}`)
  return outer === `${protocol}//${host}` || outer === 'invalid' ? {} : { forwarded: outer }
}

const SCHEMES: Readonly<Record<string, string>> = { bearer: 'Bearer', dpop: 'DPoP' }

function endpointDetails(headers: Headers): Details {
  const authorization = headers.get('authorization')
  const scheme = authorization?.split(' ')[0]?.toLowerCase() ?? ''
  return {
    authorization: authorization === null ? 'none' : (SCHEMES[scheme] ?? 'other'),
    hasSession: headers.has('mcp-session-id'),
  }
}

function authorizationDetails(params: URLSearchParams): Details {
  return {
    hasState: params.has('state'),
    hasChallenge: params.get('code_challenge_method') === 'S256' && params.has('code_challenge'),
    ...detail('resource', params.get('resource') ?? undefined, safeUrl),
    ...detail('redirect', params.get('redirect_uri') ?? undefined, safeRedirect),
    ...detail('scope', params.get('scope') ?? undefined, safeScopes),
  }
}

const GRANT_TYPES: readonly string[] = ['authorization_code', 'refresh_token', 'client_credentials']

/** Of a token request: no code, verifier, token or secret. */
export function tokenRequestDetails(form: URLSearchParams): Details {
  return {
    ...detail('grant', form.get('grant_type') ?? undefined, (type) =>
      GRANT_TYPES.includes(type) ? type : 'other',
    ),
    ...detail('resource', form.get('resource') ?? undefined, safeUrl),
  }
}

/** Longer text of `User-Agent` is not read. */
const MAX_AGENT_LENGTH = 400

const BROWSER = /^Mozilla\/[\d.]+ \([^)]*\).*(?:Gecko|AppleWebKit)/

/** The first product of `User-Agent` without its version, which an update changes. */
export function softwareOf({ headers }: Request): string {
  if (headers.has(DOCTOR)) return DOCTOR
  const agent = headers.get('user-agent')?.slice(0, MAX_AGENT_LENGTH) ?? ''
  if (BROWSER.test(agent) && !/\b(?:Cursor|Claude|Electron)\//.test(agent)) return 'browser'
  const named = /\b(Cursor|Claude)\//.exec(agent)?.[1] ?? agent.split(/[/\s]/)[0] ?? ''
  return named === '' ? 'unnamed' : printable(named, 40)
}
