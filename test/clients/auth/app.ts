/**
 * An app that uses a protected server through an official client, and the person who authorizes it. A
 * test runs with every client.
 */
import { expect, onTestFinished } from 'vitest'
import type { Received } from '../../scenarios/client.ts'
import { recordWire } from '../../scenarios/wire.ts'
import { answerConsent, type Browser, openBrowser, type Subject } from './browser.ts'
import { type Kind, openConnection } from './connection.ts'
import { MemoryProvider } from './memory-provider.ts'

/** Clients whose revision is fixed before they connect. */
export const KINDS = ['v1', 'v1 over HTTP+SSE', 'v2', 'v2, modern'] as const satisfies Kind[]

export type SettledKind = (typeof KINDS)[number]

export interface AppOptions {
  /** The MCP endpoint. */
  readonly url: string
  readonly provider?: MemoryProvider
  readonly fetch?: typeof fetch
  readonly sessionId?: string
}

export interface App {
  readonly url: string
  readonly provider: MemoryProvider
  /** Its requests since the last call: `POST /token 200`. Streams of sessions are left out, because clients open them on their own. */
  readonly requests: () => readonly string[]
  /** Connects, or redirects the person to the authorization server. */
  connect(): Promise<'connected' | 'redirected'>
  finish(callback: URL): Promise<void>
  requestScope(scope: string): Promise<void>
  call(name: string, args?: object): Promise<Received>
  sessionId(): string | undefined
  /** Subscribes to resources, and returns a function that lists the updates so far. */
  listen(uris: readonly string[]): Promise<() => readonly string[]>
}

/** Creates an app, which is closed after the test. */
export function createApp(
  kind: Kind,
  { url, provider = new MemoryProvider(), sessionId, ...rest }: AppOptions,
): App {
  const { fetch, exchanges } = recordWire(rest.fetch)
  let taken = 0
  // A transport starts once, so a rejected connection is replaced.
  const open = () => {
    const connection = openConnection(kind, { url, provider, fetch, sessionId })
    onTestFinished(() => connection.client.client.close())
    return connection
  }
  let current = open()
  let refused = false
  return {
    url,
    provider,
    requests: () => {
      const lines = exchanges
        .slice(taken)
        .map(({ method, path, status }) => `${method} ${path} ${status}`)
      taken = exchanges.length
      return lines.filter((line) => line !== 'GET /mcp 200' && line !== 'GET /sse 200')
    },
    connect: async () => {
      if (refused) current = open()
      try {
        await current.connect()
        return 'connected'
      } catch (error) {
        refused = true
        if (isUnauthorized(error)) return 'redirected'
        throw error
      }
    },
    finish: (callback) => current.finishAuth(callback),
    requestScope: (scope) => current.requestScope(scope),
    call: (name, args) => current.client.call(name, args),
    sessionId: () => current.client.sessionId(),
    listen: async (uris) => {
      const { notices, subscribe } = current.client
      await subscribe(uris)
      return () => notices().flatMap((notice) => ('updated' in notice ? [notice.updated] : []))
    },
  }
}

/** Both generations of the client use this message. The first has no other mark. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof Error && error.message === 'Unauthorized'
}

export interface SignInOptions {
  readonly as?: Subject
  readonly browser?: Browser
  /** The requested scope. Default: that of the server's challenge. */
  readonly scope?: string
}

/** Lets the person approve the pending authorization request of an app, which then obtains tokens. */
export async function authorize(
  app: App,
  { as = 'owner', browser = openBrowser() }: Omit<SignInOptions, 'scope'> = {},
): Promise<void> {
  const { url, state } = app.provider.pending
  const callback = await answerConsent(browser, url, { as })
  expect(callback.searchParams.get('state')).toBe(state)
  await app.finish(callback)
}

/** An authorized and connected app. */
export async function signIn(
  kind: Kind,
  { as, browser, scope, ...options }: AppOptions & SignInOptions,
): Promise<App> {
  const app = createApp(kind, options)
  if (scope === undefined) expect(await app.connect()).toBe('redirected')
  else await app.requestScope(scope)
  await authorize(app, { ...(as && { as }), ...(browser && { browser }) })
  expect(await app.connect()).toBe('connected')
  return app
}
