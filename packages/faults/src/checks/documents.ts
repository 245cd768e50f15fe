/** What the documents of authorization say, as the checks compare it. */
import { namesIssuer } from '../../../client/src/client-checks.ts'
import { isHeaderToken } from '../../../client/src/sign-in.ts'
import type { IssuedToken, ServerFacts } from './facts.ts'

type Metadata = Readonly<Record<string, unknown>>

const lists = (list: unknown, value: string) => Array.isArray(list) && list.includes(value)

export const takesDocuments = (metadata: Metadata): boolean =>
  metadata.client_id_metadata_document_supported === true

/** RFC 8414 §2: without the member, `client_secret_basic` is the only method. */
export const takesPublicClients = (metadata: Metadata): boolean =>
  lists(metadata.token_endpoint_auth_methods_supported, 'none')

export function serverFacts(metadata: Metadata) {
  const { response_types_supported: responses, grant_types_supported: grants } = metadata
  const isCode = (type: unknown) => typeof type === 'string' && /(?:^| )code(?: |$)/.test(type)
  return {
    issuer: metadata.issuer,
    authorizationEndpoint: metadata.authorization_endpoint,
    tokenEndpoint: metadata.token_endpoint,
    registrationEndpoint: metadata.registration_endpoint,
    pkce: lists(metadata.code_challenge_methods_supported, 'S256'),
    codeFlow:
      (!Array.isArray(responses) || responses.some(isCode)) &&
      (!Array.isArray(grants) || grants.includes('authorization_code')),
    publicClients: takesPublicClients(metadata),
    documents: takesDocuments(metadata),
    issInResponse: namesIssuer(metadata),
  } satisfies ServerFacts
}

export function tokenFacts(answer: Metadata) {
  return {
    hasToken: isHeaderToken(answer.access_token),
    tokenType: answer.token_type,
    expires: answer.expires_in,
    hasRefreshToken: typeof answer.refresh_token === 'string',
  } satisfies IssuedToken
}

/** The sources of `form-action` in a policy; undefined without one, which allows everything. */
export const formActionOf = (policy: string): string | undefined =>
  /(?:^|;)\s*form-action\s+([^;]*)/i.exec(policy.slice(0, 8192))?.[1]

/** Where a form is sent in the end: the parts of a redirect URI that a policy names. */
export type FormTarget = Pick<URL, 'protocol' | 'hostname' | 'host'>

/** Whether `form-action` permits a URL. @see https://www.w3.org/TR/CSP3/#match-url-to-source-expression */
export const allowsForm = (sources: string, target: FormTarget): boolean =>
  sources
    .toLowerCase()
    .split(/\s+/)
    .some((source) => allows(source, target))

function allows(source: string, { protocol, hostname, host }: FormTarget): boolean {
  if (source === '*' || source === protocol) return true
  const [, scheme, name = ''] = /^(?:([a-z][a-z\d+.-]*:)\/\/)?([^/]+)/.exec(source) ?? []
  const isUpgraded = scheme === 'http:' && protocol === 'https:'
  if (scheme !== undefined && scheme !== protocol && !isUpgraded) return false
  if (name.startsWith('*.')) return hostname.endsWith(name.slice(1))
  return name.replace(/:443$/, '') === host || name === `${hostname}:*`
}
