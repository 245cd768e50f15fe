/** Connects a test client to a definition, a factory or an app, in one revision of the protocol. */
import type { Edgeway } from '../../../src/app.ts'
import type { GrantProps } from '../../../src/protocol/auth-info.ts'
import type { NoMembers } from '../../../src/server/context.ts'
import type { ServerFactory } from '../../../src/server/factory.ts'
import type { McpServer, ServerSource } from '../../../src/server/mcp-server.ts'
import { openClient, type PlayedOptions, resolveClient } from './open-client.ts'
import type { Fetch } from './post-channel.ts'
import { type DefinitionOptions, type Served, serve, type Target } from './served.ts'
import { obtainToken, type SignInOptions } from './sign-in.ts'
import type { TestClient } from './test-client.ts'

const ORIGIN = 'http://localhost:8787'

export interface ClientOptions<Env = unknown> extends PlayedOptions {
  /** The bindings, such as `env` of `cloudflare:workers`. Default: none. */
  readonly env?: Env
  /** The URL of the endpoint, or its path. Default: `/mcp` at `http://localhost:8787`. */
  readonly url?: string
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
export function connect<Env = unknown, Props = GrantProps, Members = NoMembers>(
  target: McpServer<Env, Props, Members> | ServerSource | ServerFactory<Env, Props>,
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
  const { env, caller, features, connections, options: serverOptions = {}, ...client } = options
  const opening = resolveClient(client)
  const served = serve(target, env, {
    ...(caller && { caller }),
    ...(features && { features }),
    ...(connections && { connections }),
    options: serverOptions,
  })
  const url = new URL(client.url ?? [serverOptions.path ?? '/mcp'].flat()[0] ?? '/mcp', ORIGIN).href
  const headers = {
    ...served.headers,
    ...client.headers,
    ...(await credentials(served, url, client)),
  }
  const send: Fetch = (request) => {
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
    return served.send(request)
  }
  return openClient({ send, settled: served.settled, url }, opening)
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
