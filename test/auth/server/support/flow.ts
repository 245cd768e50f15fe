/**
 * One flow of authorization: a client, its authorization request, the answer of the person, the code, the tokens,
 * and what happens to them. A test changes single steps and reads how the last one ended, as one line of text.
 */
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect } from 'vitest'
import type { EmbeddedOptions } from '../../../../src/auth/index.ts'
import type { FullOptions } from '../../../support/full-app.ts'
import {
  expectPageHeaders,
  linkedErrorOf,
  messageOf,
  reasonsOf,
  redirectOf,
  refusalOf,
} from './answers.ts'
import { Browser, type Fields, type Page } from './browser.ts'
import { AuthClient, codeOf, REDIRECT_URI, tokensOf } from './client.ts'
import { type Bindings, type Deployment, ORIGIN, openDeployment, PASSPHRASE } from './deployment.ts'
import { DpopKey } from './dpop.ts'
import { interceptOutbound } from './outbound.ts'
import type { OpenIdProvider } from './provider.ts'
import { MACHINE, SECRET } from './static-clients.ts'

export const DOCUMENT_ID = 'https://client.example/oauth/client.json'
export const DOCUMENT = {
  client_id: DOCUMENT_ID,
  client_name: 'A document',
  redirect_uris: [REDIRECT_URI],
}
export const DIRECT = { 'sec-fetch-site': 'none' }
export const LOGIN = '__Host-edgeway-login'

/** A static client is {@link MACHINE}. A document is published until the test is over. */
export type ClientKind = 'registered' | 'secret' | 'keys' | 'document' | 'static'

const AUTH_METHODS = {
  registered: 'none',
  secret: 'client_secret_post',
  keys: 'private_key_jwt',
} as const

export interface Setting extends Partial<EmbeddedOptions> {
  readonly kind?: ClientKind
  /** Changes the metadata of a client that registers itself. */
  readonly metadata?: object
  readonly app?: FullOptions
  readonly bindings?: Bindings
  /** The browser has signed in with the passphrase of the owner. */
  readonly signedIn?: boolean
}

/** Opens a server with a client and the browser of a person. */
export async function open(setting: Setting = {}) {
  const {
    kind = 'registered',
    metadata,
    app = {},
    bindings,
    signedIn = false,
    ...options
  } = setting
  const server = openDeployment(kind === 'static' ? { clients: [MACHINE], ...options } : options, {
    app,
    ...(bindings && { bindings }),
  })
  const browser = new Browser(server)
  if (signedIn) await browser.signIn()
  const { client, credentials } = await clientOf(server, kind, metadata)
  return { server, browser, client, credentials }
}

export type Opened = Awaited<ReturnType<typeof open>>

async function clientOf(server: Deployment, kind: ClientKind, metadata: object = {}) {
  const none = async (): Promise<Fields> => ({})
  if (kind === 'static') {
    return { client: new AuthClient(server, MACHINE.id, SECRET), credentials: none }
  }
  if (kind === 'document') {
    interceptOutbound(() => Response.json({ ...DOCUMENT, ...metadata }))
    return { client: new AuthClient(server, DOCUMENT_ID), credentials: none }
  }
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k' }]
  const client = await AuthClient.register(server, {
    token_endpoint_auth_method: AUTH_METHODS[kind],
    ...(kind === 'keys' && { jwks: { keys } }),
    ...metadata,
  })
  const credentials = async () => (kind === 'keys' ? assertionOf(client.id, privateKey) : {})
  return { client, credentials }
}

/** A client assertion in the form of a token request. */
export async function assertionOf(id: string, key: CryptoKey): Promise<Fields> {
  const claims = { iss: id, sub: id, aud: ORIGIN, jti: crypto.randomUUID() }
  const assertion = new SignJWT({ ...claims, exp: Math.floor(Date.now() / 1000) + 60 })
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await assertion.setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(key),
  }
}

/** Changes of the steps. A step that is absent is that of an honest client and person. */
export interface Steps extends Setting {
  readonly authorize?: Fields
  /** Appended to the query of the authorization request. */
  readonly query?: string
  /** The state that the answer has, where that of `query` is another one. */
  readonly state?: string
  /** Headers of the authorization request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly decision?: 'approve' | 'deny'
  /** The form of the decision. */
  readonly form?: Fields
  readonly token?: Fields
  readonly refresh?: Fields
  /** The client proves that it holds a key. */
  readonly proof?: boolean
  /** Where the person signs in after the approval. */
  readonly provider?: OpenIdProvider
}

export interface Outcome extends Opened {
  /** The last page of the browser. */
  readonly page: Page
  /** How the flow ended: see {@link pageText} and {@link responseText}. */
  readonly text: string
  readonly reasons: readonly string[]
}

/** Runs the flow up to the page that answers the authorization request. */
export async function authorize(steps: Steps = {}): Promise<Outcome> {
  const { authorize: asked, query, headers, state: _, decision, form, ...others } = steps
  const { token, refresh, proof, provider, ...setting } = others
  const opened = await open(setting)
  const { state, ...changes } = asked ?? {}
  const sent = asked && 'state' in asked ? { state: state === NO_STATE ? undefined : state } : {}
  const path = opened.client.authorizePath({ ...changes, ...sent }) + (query ?? '')
  const page = await opened.browser.get(path, headers)
  return {
    ...opened,
    page,
    text: pageText(page, expectedOf(steps)),
    reasons: reasonsOf(opened.server),
  }
}

const expectedOf = ({ authorize, state }: Steps) => ({
  ...authorize,
  ...(state !== undefined && { state }),
})

/** Runs the flow up to the answer of the person. */
export async function decide(steps: Steps = {}): Promise<Outcome> {
  const shown = await authorize(steps)
  if (shown.page.status !== 200) return shown
  const asks = shown.page.html.includes('name="passphrase"')
  const fields = { ...(asks && { passphrase: PASSPHRASE }), ...steps.form }
  let page = await shown.browser.decide(shown.page, steps.decision ?? 'approve', fields)
  if (steps.provider !== undefined) {
    page = await shown.browser.get(steps.provider.visit(page.location).callback)
  }
  return { ...shown, page, text: pageText(page, expectedOf(steps)) }
}

/** Runs the flow up to the tokens, and once more with the refresh token where `refresh` is a step. */
export async function issue(steps: Steps = {}) {
  const decided = await decide(steps)
  const { client, server, page } = decided
  const key = steps.proof ? await DpopKey.create() : undefined
  const proof = async () => (await key?.proof()) ?? {}
  const send = async (by: (own: Fields, headers: Record<string, string>) => Promise<Response>) =>
    by(await decided.credentials(), await proof())
  const code = codeOf(page)
  let response = await send((own, headers) =>
    client.redeem(code, { ...own, ...steps.token }, headers),
  )
  if (steps.refresh !== undefined && response.status === 200) {
    const { refresh } = await tokensOf(response)
    response = await send((own, headers) =>
      client.refresh(refresh, { ...own, ...steps.refresh }, headers),
    )
  }
  const copy = response.clone()
  const text = await responseText(response)
  return { ...decided, key, code, response: copy, text, reasons: reasonsOf(server) }
}

/**
 * `question`, and `signed-in question` for a person who is signed in; `code`; `message 400`; `form 401` for a form
 * that is shown again; for an error that the client reads, `link invalid_scope` where the person must follow a link
 * to it, and `redirect invalid_scope`. An answer for the client names its redirect URI, its state and the issuer.
 */
export function pageText(page: Page, { redirect_uri, state = 'the-state' }: Fields = {}): string {
  if (page.status === 303) {
    const { error, code, ...rest } = redirectOf(page)
    if (error === undefined && code === undefined) return `redirect to ${rest.to}`
    expectAddressee(rest)
    return error === undefined ? 'code' : `redirect ${error}`
  }
  if (page.actions.length > 0) {
    expectPageHeaders(page)
    const [first, ...others] = page.actions
    if (page.status !== 200 || first !== '/authorize/decision') return `form ${page.status}`
    return `${others.includes('/logout') ? 'signed-in ' : ''}question`
  }
  if (!page.html.includes('rel="noreferrer"')) return `message ${messageOf(page)}`
  const { error, ...rest } = linkedErrorOf(page)
  expectAddressee(rest)
  return `link ${error}`

  function expectAddressee(rest: Readonly<Record<string, string>>): void {
    const uri = new URL(redirect_uri ?? REDIRECT_URI)
    const own = Object.fromEntries(uri.searchParams)
    const sent = state === '' || state === NO_STATE ? {} : { state }
    uri.search = ''
    expect(rest).toEqual({ ...own, to: uri.href, ...sent, iss: ORIGIN })
  }
}

/** The state of a request that has none. */
export const NO_STATE = '(none)'

/** The status with the token type and the scopes of a success, or with the error of a refusal. */
export async function responseText(response: Response): Promise<string> {
  if (response.status !== 200) {
    const { status, error, ...rest } = await refusalOf(response)
    expect(rest).toEqual({})
    return `${status} ${error}`
  }
  const { token_type, scope } = await response.json<Record<string, string>>()
  return `200 ${token_type} ${scope}`.trimEnd()
}

/** Expects the refusal of an endpoint for programs, without a challenge. */
export async function expectRefusal(
  response: Response | Promise<Response>,
  error: string,
  status = 400,
): Promise<void> {
  expect(await refusalOf(await response)).toEqual({ status, error })
}
