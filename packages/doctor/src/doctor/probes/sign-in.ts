/**
 * Authorization as each client requests it, and as the doctor itself does for a token. Without `active`
 * only pages are read; with it clients are registered; with `login` a person approves in a browser.
 */

import {
  endpointDifference,
  issuerDifference,
  namesIssuer,
  resourceDifference,
  responseDifference,
} from '../../../../client/src/client-checks.ts'
import type { ClientName } from '../../../../client/src/names.ts'
import {
  applicationType,
  codeGrant,
  type PageRequest,
  type RegisteredClient,
  requestPage,
  type TokenClient,
} from '../../../../client/src/sign-in.ts'
import { listIn } from '../../../../text/src/json/members.ts'
import { textOf } from '../../../../text/src/quoted.ts'
import { CLIENTS } from '../clients.ts'
import type { HttpClient, HttpReply } from '../http/http-client.ts'
import { endpointIn, identityAt } from '../oauth/identity.ts'
import { type CallbackListener, listenForCallback } from '../oauth/login.ts'
import type { DiscoveryObservation, MetadataDocument } from './authorization.ts'
import { type AuthorizationPageObservation, probeAuthorizationPage } from './authorization-page.ts'
import {
  probeRegistration,
  type RegistrationObservation,
  type RegistrationServer,
} from './registration.ts'
import { requestToken, type TokenObservation } from './token.ts'

export interface SignInOptions {
  readonly active: boolean
  readonly login: boolean
  /** A client of the doctor that is registered already, with a loopback redirect URI. */
  readonly clientId: string | undefined
  readonly loginTimeoutMs: number
  /** Shows a person the page, or opens it in a browser. */
  readonly onLogin: (url: URL) => void
}

export interface OwnSignIn {
  readonly client: TokenClient
  readonly state: string
  /** The authorization response. */
  readonly response: URLSearchParams
  /** Undefined when the response has no code, or differs from the request. */
  readonly token?: TokenObservation
}

export interface SignInObservation {
  readonly registrations: ReadonlyMap<ClientName, RegistrationObservation>
  /** Two registrations at once. */
  readonly repeated?: readonly RegistrationObservation[] | undefined
  readonly pages: ReadonlyMap<ClientName, AuthorizationPageObservation>
  /** The same request of a client that does not exist, to compare the refusal of a document with. */
  readonly unknownClient?: AuthorizationPageObservation | undefined
  /** The answer without parameters, where neither it nor a page of a client exists. */
  readonly missingPage?: HttpReply | undefined
  /** The answer of the token endpoint to a client that does not exist. */
  readonly unknownAtToken?: HttpReply | undefined
  readonly own?: OwnSignIn | undefined
  /** Why the doctor itself did not sign in, or did not send the code: the server may be another one. */
  readonly withheld?: string | undefined
}

const UNKNOWN_CLIENT = 'edgeway-doctor-unknown-client'

type Metadata = Readonly<Record<string, unknown>>

export async function probeSignIn(
  http: HttpClient,
  discovery: DiscoveryObservation,
  pasted: URL,
  options: SignInOptions,
): Promise<SignInObservation> {
  const metadata = discovery.server?.value ?? {}
  const endpoint = endpointIn(metadata, 'authorization_endpoint')
  const registrations = new Map<ClientName, RegistrationObservation>()
  const pages = new Map<ClientName, AuthorizationPageObservation>()
  if (endpoint === undefined) return { registrations, pages }
  const base = { endpoint, resource: resourceOf(discovery, pasted), scope: scopeOf(discovery) }
  const seen = new Map<string, AuthorizationPageObservation>()
  let repeated: readonly RegistrationObservation[] | undefined
  for (const client of CLIENTS) {
    const identity = identityAt(metadata, client)
    let clientId = identity === 'document' ? client.document : undefined
    const server = registrationServer(metadata)
    if (identity === 'registration' && options.active && server !== undefined) {
      const register = () => probeRegistration(http, server, client.name, client.redirectUris)
      const twin = CLIENTS.find(
        ({ name, redirectUri }) => registrations.has(name) && redirectUri === client.redirectUri,
      )
      const registration = (twin && registrations.get(twin.name)) ?? (await register())
      registrations.set(client.name, registration)
      clientId = registration.client?.clientId
      if (repeated === undefined && clientId !== undefined) {
        repeated = await Promise.all([register(), register()])
      }
    }
    if (clientId === undefined) continue
    const page =
      seen.get(clientId) ??
      (await probeAuthorizationPage(http, { ...base, clientId, redirectUri: client.redirectUri }))
    seen.set(clientId, page)
    pages.set(client.name, page)
  }
  const refused = [...pages.values()].find(
    ({ reply, request }) => reply.ok && reply.status >= 400 && URL.canParse(request.clientId),
  )
  const unknownClient =
    refused &&
    (await probeAuthorizationPage(http, { ...refused.request, clientId: UNKNOWN_CLIENT }))
  const missingPage = await findMissingPage(http, endpoint, [...pages.values()])
  const difference = metadataDifference(discovery, pasted)
  const own = difference === undefined ? await signIn(http, metadata, base, options) : undefined
  const unknownAtToken =
    own?.token?.value === undefined ? undefined : await sendUnknownClient(http, own.client)
  const withheld = difference ?? (own && differenceOf(own, metadata))
  const seenLater = { repeated, unknownClient, missingPage, unknownAtToken, own, withheld }
  return { registrations, pages, ...seenLater }
}

/** Statuses of a path that nothing serves. */
const ABSENT = [404, 405, 410]

/** A server may answer 404 to a client that it does not know. It has a page without a client all the same. */
async function findMissingPage(
  http: HttpClient,
  endpoint: URL,
  pages: readonly AuthorizationPageObservation[],
): Promise<HttpReply | undefined> {
  const isAbsent = (reply: HttpReply) => reply.ok && ABSENT.includes(reply.status)
  if (pages.some(({ reply }) => !isAbsent(reply))) return undefined
  const bare = await http.send({ method: 'GET', url: endpoint, headers: { accept: 'text/html' } })
  const namesClient = bare.ok && /client/i.test(bare.text.slice(0, MAX_TEXT_CHARACTERS))
  return isAbsent(bare) && !namesClient ? bare : undefined
}

const MAX_TEXT_CHARACTERS = 4000

async function sendUnknownClient(http: HttpClient, client: TokenClient): Promise<HttpReply> {
  const { tokenEndpoint, resource } = client
  const unknown = { tokenEndpoint, resource, clientId: UNKNOWN_CLIENT }
  const grant = { grant_type: 'refresh_token', refresh_token: UNKNOWN_CLIENT }
  return (await requestToken(http, unknown, grant)).reply
}

/** Clients of the internet do not compare all of it. The doctor sends a code and receives a token of a person. */
function metadataDifference(
  { resource, server, issuer, issuerText }: DiscoveryObservation,
  pasted: URL,
): string | undefined {
  const metadata = server?.value ?? {}
  const redirected = [resource, server].find((document) => document && isRedirected(document))
  if (redirected !== undefined) {
    return `${redirected.url.href} is redirected to ${redirected.reply.url.href}`
  }
  return (
    (resource?.value && resourceDifference(resource.value, pasted)) ??
    issuerDifference(metadata, issuerText ?? issuer.origin) ??
    endpointDifference(metadata)
  )
}

/** Another server may have written it. */
const isRedirected = ({ url, reply }: MetadataDocument) => reply.url.href !== url.href

function differenceOf(
  { response, state }: Pick<OwnSignIn, 'response' | 'state'>,
  metadata: Metadata,
) {
  const issuer = textOf(metadata.issuer)
  return responseDifference(response, { state, issuer, namesIssuer: namesIssuer(metadata) })
}

/** The resource that clients request: that of the metadata, or the pasted URL. */
function resourceOf(discovery: DiscoveryObservation, pasted: URL): string {
  const resource = discovery.resource?.value?.resource
  return typeof resource === 'string' ? resource : pasted.href
}

/** The scopes of the challenge, otherwise all scopes of the resource. */
function scopeOf({ parameters, resource }: DiscoveryObservation): string | undefined {
  const supported = listIn(resource?.value, 'scopes_supported')
  const all = supported.filter((scope) => typeof scope === 'string')
  return parameters?.scope ?? (all.length === 0 ? undefined : all.join(' '))
}

async function signIn(
  http: HttpClient,
  metadata: Metadata,
  base: Omit<PageRequest, 'clientId' | 'redirectUri'>,
  options: SignInOptions,
): Promise<OwnSignIn | undefined> {
  if (!options.active && !options.login) return undefined
  const tokenEndpoint = endpointIn(metadata, 'token_endpoint')
  if (tokenEndpoint === undefined) return undefined
  const listener = await listenForCallback()
  try {
    const client = await ownClient(http, metadata, options, listener.redirectUri)
    if (client === undefined) return undefined
    const request = { ...base, clientId: client.clientId, redirectUri: listener.redirectUri }
    const answer = await authorizationResponse(http, request, listener, options)
    if (answer === undefined) return undefined
    const { state, response, verifier } = answer
    const tokenClient = { ...client, tokenEndpoint, resource: base.resource }
    const code = response.get('code')
    const isOther = differenceOf({ response, state }, metadata) !== undefined
    if (isOther || code === null || code === '') return { client: tokenClient, state, response }
    const grant = codeGrant(code, verifier, listener.redirectUri)
    const token = await requestToken(http, tokenClient, grant)
    return { client: tokenClient, state, response, token }
  } finally {
    listener.close()
  }
}

async function ownClient(
  http: HttpClient,
  metadata: Metadata,
  { clientId }: SignInOptions,
  redirectUri: string,
): Promise<RegisteredClient | undefined> {
  if (clientId !== undefined) return { clientId }
  const server = registrationServer(metadata)
  if (server === undefined) return undefined
  const others = applicationType(redirectUri)
  return (await probeRegistration(http, server, 'Edgeway doctor', [redirectUri], others)).client
}

function registrationServer(metadata: Metadata): RegistrationServer | undefined {
  const endpoint = endpointIn(metadata, 'registration_endpoint')
  return endpoint && { endpoint, authMethods: metadata.token_endpoint_auth_methods_supported }
}

/** A server may approve without a person. Otherwise a browser is needed. */
async function authorizationResponse(
  http: HttpClient,
  request: PageRequest,
  listener: CallbackListener,
  options: SignInOptions,
): Promise<{ state: string; response: URLSearchParams; verifier: string } | undefined> {
  const page = await probeAuthorizationPage(http, request)
  if (page.response !== undefined) return { ...page, response: page.response }
  if (!options.login) return undefined
  const { url, state, verifier } = await requestPage(request)
  options.onLogin(url)
  const response = await listener.wait(state, options.loginTimeoutMs)
  return response && { state, response, verifier }
}
