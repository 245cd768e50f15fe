/** Connects a test client to a definition, a factory or an app, in one revision of the protocol. */
import type { Edgeway } from '../app.ts'
import type { GrantProps } from '../protocol/auth-info.ts'
import type { Implementation } from '../protocol/content.ts'
import type { LogLevel } from '../protocol/log-level.ts'
import { findRevision, MODERN, REVISIONS, type RevisionId } from '../protocol/revisions.ts'
import type { ServerFactory } from '../server/factory.ts'
import type { McpServer } from '../server/mcp-server.ts'
import { Answerer, type ScriptedAnswers } from './asks.ts'
import type { Channel, ChannelOptions } from './channel.ts'
import { McpError } from './errors.ts'
import { openHttpSse } from './http-sse-channel.ts'
import { openModern } from './modern-channel.ts'
import { type DefinitionOptions, type Served, serve, type Target } from './served.ts'
import { openSession, WITHOUT_SESSION } from './session-channel.ts'
import { obtainToken, type SignInOptions } from './sign-in.ts'
import { TestClient } from './test-client.ts'
import { Uploads } from './uploads.ts'

const ORIGIN = 'http://localhost:8787'

/** A client that can answer everything. */
const CAN_ALL = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: { listChanged: true },
}

export interface ClientOptions<Env = unknown> extends ScriptedAnswers {
  /** Default: the newest. */
  readonly revision?: RevisionId
  /** The bindings, such as `env` of `cloudflare:workers`. Default: none. */
  readonly env?: Env
  /** The URL of the endpoint, or its path. Default: `/mcp` at `http://localhost:8787`. */
  readonly url?: string
  /** Default: elicitation in both modes, sampling with tools, and roots. `{}` cannot be asked. */
  readonly capabilities?: object
  readonly clientInfo?: Implementation
  /** The least important log messages to receive. Default: the server's, `info` in the modern era. */
  readonly logLevel?: LogLevel
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>
}

/** How to sign in to an app with authorization. */
export interface AppOptions {
  /** An access token, such as one of {@link signIn}. */
  readonly token?: string
  /** Signs in to an app with `embedded()` before connecting. True: with the defaults. */
  readonly signIn?: SignInOptions | true
}

/**
 * Connects to a definition or a factory, served without Durable Objects of its own.
 *
 * @throws {McpError} when the server refuses the connection
 * @throws {TypeError} for invalid options
 */
export function connect<Env = unknown, Props = GrantProps>(
  target: McpServer<Env, Props> | ServerFactory<Env, Props>,
  options?: ClientOptions<Env> & DefinitionOptions<Props>,
): Promise<TestClient>
/**
 * Connects to an app, with its sessions, changes and authorization.
 *
 * @throws {McpError} when the server refuses the connection
 */
export function connect<Env = unknown>(
  app: Pick<Edgeway<Env>, 'fetch'>,
  options?: ClientOptions<Env> & AppOptions,
): Promise<TestClient>
export async function connect<Env, Props>(
  target: Target<Env, Props>,
  options: ClientOptions<Env> & DefinitionOptions<Props> & AppOptions = {},
): Promise<TestClient> {
  const { env, caller, features, options: serverOptions = {}, ...client } = options
  const revision = findRevision(client.revision ?? MODERN.id)
  if (revision === undefined) {
    const known = REVISIONS.map(({ id }) => id).join(', ')
    throw new TypeError(`revision must be one of ${known}, not ${client.revision}`)
  }
  const served = serve(target, env, {
    ...(caller && { caller }),
    ...(features && { features }),
    options: serverOptions,
  })
  const url = new URL(client.url ?? [serverOptions.path ?? '/mcp'].flat()[0] ?? '/mcp', ORIGIN).href
  const headers = {
    ...served.headers,
    ...client.headers,
    ...(await credentials(served, url, client)),
  }
  const answerer = new Answerer(client)
  // It receives what arrives after the handshake.
  let connected: TestClient | undefined
  const send = (request: Request) => {
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
    return served.send(request)
  }
  const capabilities = client.capabilities ?? CAN_ALL
  const uploads = new Uploads(send, capabilities)
  const channel = await open(
    {
      send,
      url,
      revision,
      clientInfo: client.clientInfo ?? { name: 'test', version: '0.0.0' },
      capabilities,
      logLevel: client.logLevel ?? (revision === MODERN ? 'info' : undefined),
      answer: async (asker, ask) => {
        const uploaded = await uploads.answer(ask)
        if (uploaded === undefined) return answerer.answer(asker, ask)
        answerer.received.push(ask)
        return uploaded
      },
      onNotification: (message) => connected?.receive(message),
    },
    answers(client),
  )
  const records = { asks: answerer.received, progress: [], logs: [] }
  const parts = { records, uploads, settled: served.settled, isModern: revision === MODERN }
  connected = new TestClient(channel, parts)
  return connected
}

/**
 * Signs in to an app with `embedded()` and returns an access token: register, open the consent page, enter
 * the passphrase, approve, redeem the code.
 *
 * @throws {Error} with the server's answer when it issues no token
 */
export async function signIn<Env>(
  app: Pick<Edgeway<Env>, 'fetch'>,
  { env, url = '/mcp', ...options }: SignInOptions & Pick<ClientOptions<Env>, 'env' | 'url'> = {},
): Promise<string> {
  const served = serve(app, env, {})
  return obtainToken(served.send, new URL(url, ORIGIN).href, withPassphrase(served, options))
}

async function credentials<Env>(
  served: Served<Env>,
  url: string,
  { token, signIn }: AppOptions,
): Promise<Record<string, string>> {
  if (token !== undefined) return { authorization: `Bearer ${token}` }
  if (signIn === undefined) return {}
  const options = withPassphrase(served, signIn === true ? {} : signIn)
  return { authorization: `Bearer ${await obtainToken(served.send, url, options)}` }
}

function withPassphrase<Env>({ env }: Served<Env>, options: SignInOptions): SignInOptions {
  const { EDGEWAY_PASSPHRASE: passphrase } = (env ?? {}) as { EDGEWAY_PASSPHRASE?: unknown }
  return typeof passphrase === 'string' ? { passphrase, ...options } : options
}

/** Whether the test expects asks. */
function answers({ elicit, sample, roots }: ScriptedAnswers): boolean {
  return elicit !== undefined || sample !== undefined || roots !== undefined
}

async function open(options: ChannelOptions, expectsAsks: boolean): Promise<Channel> {
  const { era } = options.revision
  if (era === 'modern') return openModern(options)
  if (era === 'http-sse') {
    try {
      const url = new URL(options.url)
      if (url.pathname === '/mcp') url.pathname = '/sse'
      return await openHttpSse({ ...options, url: url.href })
    } catch (error) {
      // Without session objects this revision is served by POST alone.
      if (!(error instanceof McpError) || error.status !== 404) throw error
    }
  }
  const channel = await openSession(options)
  if (expectsAsks && !channel.hasSession) throw new Error(WITHOUT_SESSION)
  return channel
}
