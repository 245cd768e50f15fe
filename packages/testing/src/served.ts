/** Serves what a test connects to: a definition or a factory through an app of its own, an app as it is. */
import { createNamedEdgeway, type Edgeway, type EdgewayOptions } from '../../../src/app.ts'
import type { VerifiedCaller } from '../../../src/auth/verified-callers.ts'
import { verifier } from '../../../src/auth/verifier.ts'
import type { FeatureOption } from '../../../src/feature/feature.ts'
import { apps } from '../../../src/features/apps/index.ts'
import { encodeBase64Url } from '../../../src/platform/base64.ts'
import type { GrantProps } from '../../../src/protocol/auth-info.ts'
import type { Implementation } from '../../../src/protocol/content.ts'
import type { ServerFactory } from '../../../src/server/factory.ts'
import { McpServer, type ServerSource, TO_SERVER } from '../../../src/server/mcp-server.ts'
import { writeForTests } from '../../../src/telemetry/default-sink.ts'
import { connectedAccounts, type TestConnections } from './connected-accounts.ts'
import type { Fetch } from './post-channel.ts'

/** A definition, a factory, or an app. */
export type Target<Env, Props> =
  // biome-ignore lint/suspicious/noExplicitAny: handlers consume what the server uses
  | McpServer<Env, Props, any>
  | ServerSource
  | ServerFactory<Env, Props>
  | Pick<Edgeway<Env>, 'fetch'>

export interface DefinitionOptions<Props = GrantProps> {
  /** The caller, without a token. Default: a server without authorization. */
  readonly caller?: VerifiedCaller<Props>
  /** Exactly these features, as in `createEdgeway`. Default: `apps()`, for tools with views. */
  readonly features?: readonly FeatureOption[]
  /**
   * The accounts that the caller has connected, by the names of `connections()`: `ctx.connect` returns them, and asks where
   * none fits. `{}` is a person who has connected none.
   */
  readonly connections?: TestConnections
  /** The other options of `createEdgeway`, except `auth`; those of a factory may have `info` and `queryParams`. */
  readonly options?: Omit<EdgewayOptions, 'auth' | 'features'> & {
    readonly info?: Implementation
    readonly queryParams?: readonly string[]
  }
}

export interface Served<Env> {
  readonly send: Fetch
  readonly env: Env
  /** The credentials of the caller. */
  readonly headers: Readonly<Record<string, string>>
  readonly settled: () => Promise<void>
}

/** A connected account belongs to a person, and an app is admitted to it. */
const APP_OF_PERSON = { subject: 'person', clientId: 'test' }

/** The verifier accepts any credentials. */
const CALLER = { authorization: 'Bearer caller' }

export function serve<Env, Props>(
  target: Target<Env, Props>,
  env: Env | undefined,
  { caller: named, features: given, connections, options = {} }: DefinitionOptions<Props>,
): Served<Env> {
  writeForTests()
  if (isApp<Env>(target)) {
    if ([named, given, connections].some(Boolean) || Object.keys(options).length > 0) {
      throw new TypeError(
        'caller, features, connections and options belong to definitions and factories. An app has its own: sign in with signIn, token or headers',
      )
    }
    return serveApp(target, (env ?? {}) as Env, {})
  }
  if (!isDefinition(target)) {
    throw new TypeError(
      'a test connects to a server, to a factory, or to an app, which has fetch(request, env, ctx)',
    )
  }
  const features = [
    ...(given ?? [apps()]),
    ...(connections ? [connectedAccounts(connections)] : []),
  ]
  const caller = connections ? { ...APP_OF_PERSON, ...named } : named
  const auth = caller && verifier<Env, Props>(() => caller)
  const settings = {
    info: { name: 'test', version: '0.0.0' },
    ...options,
    features,
    ...(auth && { auth: { ...auth, isOfTest: true } }),
  }
  const app = createNamedEdgeway(target as ServerFactory, settings, {
    call: 'connect',
    sharedObjectsOnly: true,
  })
  return serveApp(app, environmentOf(env), caller === undefined ? {} : CALLER)
}

/** The handler of `createMcpHandler` is a function, and an app: it has `fetch`. */
function isApp<Env>(target: unknown): target is Pick<Edgeway<Env>, 'fetch'> {
  return typeof Reflect.get(Object(target), 'fetch') === 'function'
}

function isDefinition(target: unknown): boolean {
  return typeof target === 'function' || target instanceof McpServer || TO_SERVER in Object(target)
}

/** The environment of a definition. Without a keyring, a secret of this environment seals. */
function environmentOf<Env>(env: Env | undefined): Env {
  const bindings: Record<string, unknown> = { ...env }
  if (bindings.MCP_OBJECTS === undefined) {
    bindings.EDGEWAY_SECRET ??= encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)))
  }
  return bindings as Env
}

/** The execution context of a request that opens a stream. */
const STREAM = {
  waitUntil: (promise: Promise<unknown>) => void promise.catch(() => undefined),
  passThroughOnException: () => undefined,
  props: {},
}

function serveApp<Env>(
  app: Pick<Edgeway<Env>, 'fetch'>,
  env: Env,
  headers: Readonly<Record<string, string>>,
): Served<Env> {
  const pending = new Set<Promise<unknown>>()
  const ctx = {
    waitUntil: (promise: Promise<unknown>) => {
      pending.add(promise)
      // `settled()` reports a rejection, also one from before its call. It is no unhandled one.
      promise.then(
        () => pending.delete(promise),
        () => undefined,
      )
    },
    passThroughOnException: () => undefined,
    props: {},
  }
  return {
    env,
    headers,
    // Handlers run on POST. What a GET waits for is the end of its stream.
    send: async (request) => app.fetch(request, env, request.method === 'GET' ? STREAM : ctx),
    settled: async () => {
      while (pending.size > 0) {
        const work = [...pending]
        const outcomes = await Promise.allSettled(work)
        for (const promise of work) pending.delete(promise)
        const failed = outcomes.find(({ status }) => status === 'rejected')
        if (failed?.status === 'rejected') throw failed.reason
      }
    },
  }
}
