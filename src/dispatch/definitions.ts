/**
 * Finds the definition that serves a caller: one for all callers, or one that a factory builds for each.
 *
 * The key of the cache is everything that a factory receives: the whole caller and the params, because a closure may
 * use each part. An entry is five minutes old at most. `definitionVersion` of the caller, which the check of a grant
 * returns, ends the entries of one subject.
 */
import { withDeadline } from '../platform/deadline.ts'
import { LruMap } from '../platform/lru-map.ts'
import type { MaybePromise } from '../platform/maybe-promise.ts'
import { FOLLOW_MARGIN_MS, SingleFlight } from '../platform/single-flight.ts'
import type { Limits } from '../ports/app-limits.ts'
import type { TelemetrySink } from '../ports/telemetry.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import type { Implementation } from '../protocol/content.ts'
import { ErrorCode } from '../protocol/error-codes.ts'
import { type FactoryParams, NO_PARAMS } from '../protocol/factory-params.ts'
import { ProtocolError } from '../protocol/protocol-error.ts'
import type { Definition } from '../server/definition.ts'
import type { RequestFactoryContext } from '../server/factory.ts'
import { type AnyServer, sealDefinition } from '../server/mcp-server.ts'
import { type CodecOf, createCodecs } from './codecs.ts'
import { Dispatchers } from './dispatcher.ts'
import type { Extensions } from './extensions.ts'
import { withFeatureTools } from './feature-tools.ts'
import { createReference } from './reference.ts'

/** What a definition may depend on, besides the environment. */
export interface DefinitionCaller {
  readonly auth: AuthInfo | undefined
  readonly params: FactoryParams
  /** The name of the session object that asks; undefined in the Worker. */
  readonly session?: string
  /** The request that asks; undefined in an object. A definition that is shared does not depend on it. */
  readonly request?: Request
}

/** Who shares one definition of a factory. */
export type DefinitionShare = 'caller' | 'session'

/** The definitions of one environment. */
export interface Definitions {
  /** The definition of all callers; undefined where it depends on the caller. */
  readonly shared: Dispatchers | undefined
  /** Rejects with a {@link ProtocolError} when the factory fails. Telemetry has received the cause. */
  of(caller: DefinitionCaller): Dispatchers | Promise<Dispatchers>
}

export function sharedDefinition(dispatchers: Dispatchers): Definitions {
  return { shared: dispatchers, of: () => dispatchers }
}

/** A factory without its type parameters: the runtime passes the environment and the props as they are. */
export type ErasedFactory = (context: RequestFactoryContext) => MaybePromise<AnyServer>

export interface DefinitionOptions {
  /** Name, version, title and icons of all that a factory returns. Undefined: each has its own. */
  readonly info: Implementation | undefined
  /** The name of a server whose `info` depends on the caller. */
  readonly audience: string | undefined
  readonly share: DefinitionShare
  readonly limits: Pick<Limits, 'factoryTimeoutMs' | 'definitionMaxAgeMs' | 'definitionsPerIsolate'>
  readonly report: TelemetrySink
  readonly extensions: Extensions
  /** @throws {TypeError} for a tool that the options of the server do not allow */
  readonly check: (definition: Definition) => void
}

export interface FactorySettings extends DefinitionOptions {
  readonly factory: ErasedFactory
  readonly codecOf: CodecOf
}

interface Built {
  readonly dispatchers: Dispatchers
  /** When it was built; for the definition of a session, when it was last used. */
  at: number
}

/** Builds and keeps the definitions of the callers of one environment. */
export class FactoryDefinitions implements Definitions {
  readonly shared = undefined
  readonly #settings: FactorySettings
  readonly #env: unknown
  readonly #built: LruMap<Built>
  readonly #building: SingleFlight<Dispatchers>
  /** The warnings that were reported: every definition of a factory has about the same ones. */
  readonly #warned = new LruMap<true>(MAX_WARNINGS)

  constructor(settings: FactorySettings, env: unknown) {
    this.#settings = settings
    this.#env = env
    const { definitionsPerIsolate, factoryTimeoutMs } = settings.limits
    this.#built = new LruMap(definitionsPerIsolate)
    this.#building = new SingleFlight(factoryTimeoutMs + FOLLOW_MARGIN_MS, factoryTimeoutMs)
  }

  of(caller: DefinitionCaller): Dispatchers | Promise<Dispatchers> {
    const { share, limits } = this.#settings
    const ofSession = share === 'session'
    if (ofSession && caller.session === undefined) return this.#build(caller, caller.request)
    const key = keyOf(caller, ofSession)
    const built = this.#built.get(key)
    const now = Date.now()
    if (built === undefined || now - built.at >= limits.definitionMaxAgeMs) {
      return this.#building.run(key, async () => {
        const dispatchers = await this.#build(caller)
        this.#built.set(key, { dispatchers, at: now })
        return dispatchers
      })
    }
    if (ofSession) built.at = now
    return built.dispatchers
  }

  async #build({ auth, params }: DefinitionCaller, request?: Request): Promise<Dispatchers> {
    const { factory, info, codecOf, limits, check, report, extensions } = this.#settings
    try {
      const server = await withDeadline(
        limits.factoryTimeoutMs,
        Promise.resolve(factory({ env: this.#env, auth, params, ...(request && { request }) })),
        () => {
          throw new Error(`The factory took longer than ${limits.factoryTimeoutMs} ms`)
        },
      )
      const sealed = sealDefinition(server)
      const definition = withFeatureTools(
        { ...sealed, info: info ?? sealed.info, isPrivate: true },
        extensions.tools,
      )
      check(definition)
      this.#warn(definition)
      const codecs = info === undefined ? createCodecs(definition.info) : codecOf
      return new Dispatchers(definition, codecs, report, extensions)
    } catch (error) {
      const reference = createReference()
      report({ type: 'handler-error', subject: 'The factory', reference, error })
      const text = `This server could not build its definition for you (reference ${reference}). Try again later.`
      throw new ProtocolError(ErrorCode.internalError, text, undefined, { cause: error })
    }
  }

  #warn({ warnings }: Definition): void {
    for (const warning of warnings) {
      const key = JSON.stringify(warning)
      if (this.#warned.peek(key) === undefined) {
        this.#settings.report({ type: 'definition-warning', ...warning })
      }
      this.#warned.set(key, true)
    }
  }
}

const MAX_WARNINGS = 100

/** Every member counts: a closure of the definition may use each of them. */
function keyOf({ auth, params, session }: DefinitionCaller, ofSession: boolean): string {
  const caller = auth === undefined ? '' : textOf(auth)
  if (!ofSession && params === NO_PARAMS) return caller
  return JSON.stringify([caller, Object.entries(params), ...(ofSession ? [session] : [])])
}

/** Callers as text. Requests with one token share a frozen caller, so its text is computed once. */
const texts = new WeakMap<AuthInfo, string>()

function textOf(auth: AuthInfo): string {
  const known = texts.get(auth)
  if (known !== undefined) return known
  const text = JSON.stringify(auth)
  if (Object.isFrozen(auth)) texts.set(auth, text)
  return text
}
