/** A service with API keys, an app that signs in with them, and a tool that shows the props of its caller. */
import { type ApiKeyOwner, apiKey, type EmbeddedOptions } from '../../../../src/auth/index.ts'
import { FullServer } from '../../../support/full-server.ts'
import { Browser, formOf, type Page } from './browser.ts'
import { type AuthClient, codeOf, type Tokens, tokensOf } from './client.ts'
import { type Deployment, openDeployment, RESOURCE } from './deployment.ts'

export const ADA_KEY = 'svc_live_ada-1_6f1c2a90e4'
export const ADA_NEW_KEY = 'svc_live_ada-2_b7730d51aa'
export const BOB_KEY = 'svc_live_bob-1_0c94e8d2f3'

type Answer = ApiKeyOwner | null | undefined | (() => ApiKeyOwner)

export class KeyService {
  readonly owners = new Map<string, Answer>([
    [ADA_KEY, { subject: 'ada', name: 'Ada Lovelace', props: { plan: 'pro' } }],
    [ADA_NEW_KEY, { subject: 'ada', props: { plan: 'team' } }],
    [BOB_KEY, { subject: 'bob' }],
  ])
  /** The keys that were verified, in their order. */
  readonly verified: string[] = []

  readonly login = apiKey({
    label: 'Service key',
    verify: async (key) => {
      this.verified.push(key)
      const answer = this.owners.get(key)
      return typeof answer === 'function' ? answer() : (answer ?? undefined)
    },
  })
}

export function openWithKeys(options: Partial<EmbeddedOptions> = {}) {
  const service = new KeyService()
  const server = openDeployment({ login: service.login, ...options }, { server: propsServer() })
  return { service, server }
}

/** A server whose tool `caller` returns what handlers know of their caller. */
export function propsServer(): FullServer {
  const server = new FullServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('caller', { annotations: { readOnlyHint: true } }, ({ auth }) =>
    JSON.stringify(auth),
  )
  server.registerTool('change', { scopes: ['write'] }, () => 'changed')
  server.registerTool('upstream', {}, async ({ auth }) => (await auth?.upstream.token()) ?? 'none')
  return server
}

export async function tokensWithKey(client: AuthClient, key: string): Promise<Tokens> {
  const browser = new Browser(client.server)
  const page = await client.authorize(browser)
  const approved = await browser.decide(page, 'approve', { api_key: key })
  return tokensOf(await client.redeem(codeOf(approved)))
}

/** Signs in at the account page. */
export async function signInWithKey(server: Deployment, key: string): Promise<Browser> {
  const browser = new Browser(server)
  const { csrf } = formOf(await browser.get('/account'))
  await browser.post('/login', { csrf, api_key: key })
  return browser
}

export async function replaceKey(browser: Browser, key: string | undefined): Promise<Page> {
  const { csrf } = formOf(await browser.get('/account'))
  return browser.post('/account/key', { csrf, api_key: key })
}

/** Calls a tool and returns its response. */
export function callTool(
  server: Deployment,
  token: string,
  name = 'caller',
  { url = RESOURCE, headers = {} }: { url?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return server.fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: {} },
    }),
  })
}

/** `ctx.auth` of a call with a token. */
export async function callerOf(server: Deployment, token: string): Promise<AuthShape> {
  const response = await callTool(server, token)
  const body = await response.json<{ result?: { content: { text: string }[] } }>()
  const text = body.result?.content[0]?.text
  if (text === undefined) throw new Error(`No result: ${response.status} ${JSON.stringify(body)}`)
  return JSON.parse(text)
}

interface AuthShape {
  readonly subject: string
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly issuer: string
  readonly resource: string
  readonly props?: Record<string, unknown>
}
