/**
 * The surroundings of the object of a principal: an event type, a keyring, a log and a receiver, which a test changes and
 * observes. Each function that the object waits for passes `step`, where a test can kill the object.
 */

import { createSealer } from '../../../../durable-objects/keyring/sealer.ts'
import type { CallServices } from '../../../../src/dispatch/call.ts'
import { valid } from '../../../../src/platform/result.ts'
import type { LimitDecision } from '../../../../src/ports/rate-limits.ts'
import type { Sealer } from '../../../../src/ports/sealer.ts'
import type { TelemetryEvent } from '../../../../src/ports/telemetry.ts'
import type { AuthInfo } from '../../../../src/protocol/auth-info.ts'
import { HOUR_MS } from '../../../../test/durable-objects/fake-clock.ts'
import type { CompiledEventType } from '../../src/compiled-event-type.ts'
import {
  type EventLimits,
  type EventSettings,
  resolveEventLimits,
} from '../../src/objects/event-settings.ts'
import type { LogName, Registered, Registration } from '../../src/objects/port.ts'
import type { SubscriberContext } from '../../src/objects/subscriber/parts.ts'

export const worlds = new Map<string, World>()

/** One request that a callback has received. */
export interface Received {
  readonly url: string
  readonly headers: Headers
  readonly body: string
  readonly message: {
    readonly type?: string
    readonly challenge?: string
    readonly eventId?: string
    readonly name?: string
    readonly timestamp?: string
    readonly data?: unknown
    readonly cursor?: string | null
    readonly error?: unknown
  }
  /** Epoch milliseconds. */
  readonly at: number
}

type Answer = (request: Received, signal: AbortSignal | undefined) => Response | Promise<Response>

const NEVER = new Promise<never>(() => undefined)

export class World {
  readonly types = new Map<string, CompiledEventType>()
  readonly events: TelemetryEvent[] = []
  readonly received: Received[] = []
  readonly requests: { readonly url: string; readonly init: RequestInit }[] = []
  readonly unregistered: string[] = []
  readonly registrations = new Map<string, Registration & { readonly name: LogName }>()
  settings: EventSettings
  /** Undefined: the access has ended. */
  renew: ((auth: AuthInfo) => AuthInfo | undefined | Promise<AuthInfo | undefined>) | undefined = (
    auth,
  ) => auth
  ownOrigins: readonly string[] = ['https://mcp.example.com']
  /** Whether the host of a callback has received too many challenges. */
  limitOfCallback: (host: string) => LimitDecision = () => undefined
  logName = 'log-a'
  /** Of the newest occurrence. */
  position = 10
  answer: Answer = echoOrAccept
  register: ((name: LogName, registration: Registration) => Promise<Registered>) | undefined
  unregister: (() => Promise<void>) | undefined
  kill: () => void = () => undefined
  /** The step at which the object is killed; 0: none. */
  killAt = 0
  steps: string[] = []

  constructor(limits: Partial<EventLimits> = {}, settings: Partial<EventSettings> = {}) {
    this.settings = {
      limits: resolveEventLimits(limits),
      callbacks: {},
      allowsNoExpiry: false,
      ...settings,
    }
    this.types.set('note.created', eventType('note.created'))
  }

  contextOf(state: DurableObjectState, env: unknown): SubscriberContext {
    const services = { sealer: () => this.#sealer } as CallServices
    const report = (event: TelemetryEvent) => void this.events.push(event)
    return {
      state,
      principal: state.id.name ?? '',
      env,
      now: () => Date.now(),
      random: () => 0.5,
      host: {
        types: this.#types(),
        settings: this.settings,
        deploymentOf: () => ({ audience: 'test', services, report }),
        renewCaller: async ({ auth }) => {
          await this.step('renew')
          const { renew } = this
          return renew === undefined ? auth : await renew(auth)
        },
        allowsAnonymous: true,
        limitOfCallback: (_, host) => this.limitOfCallback(host),
        ownOrigins: () => this.ownOrigins,
      },
      fetch: async (url, init) => {
        await this.step('fetch')
        // As the platform does, which holds back what an object sends until its writes are durable.
        await state.storage.sync()
        return this.#receive(url, init)
      },
      log: {
        register: async (name, registration) => {
          await this.step('register')
          await state.storage.sync()
          this.registrations.set(registration.id, { ...registration, name })
          await this.step('registered')
          if (this.register !== undefined) return this.register(name, registration)
          const position = registration.start?.after?.position ?? this.position
          return { log: this.logName, position, truncated: false }
        },
        unregister: async ({ subject }, id) => {
          await this.step('unregister')
          await state.storage.sync()
          await this.unregister?.()
          // Those of another log have the same id.
          const { name } = this.registrations.get(id) ?? {}
          if (name?.subject === subject) this.registrations.delete(id)
          this.unregistered.push(id)
          await this.step('unregistered')
        },
      },
    }
  }

  /** Everything that the object waits for. */
  async step(name: string): Promise<void> {
    this.steps.push(name)
    if (this.steps.length !== this.killAt) return
    this.kill()
    await NEVER
  }

  reasons(type: 'event-delivery' | 'event-subscription') {
    return this.events.flatMap((event) =>
      event.type === type ? [[event.outcome, ...(event.reason ? [event.reason] : [])]] : [],
    )
  }

  async #receive(url: string, init: RequestInit): Promise<Response> {
    this.requests.push({ url, init })
    if (init.method !== 'POST') return this.answer({ url } as Received, init.signal ?? undefined)
    const body = new TextDecoder().decode(init.body as Uint8Array)
    const headers = new Headers(init.headers)
    const message = JSON.parse(body)
    const request: Received = { url, headers, body, message, at: Date.now() }
    this.received.push(request)
    await this.step('received')
    return this.answer(request, init.signal ?? undefined)
  }

  /** The functions of the types, each with its step. */
  #types(): ReadonlyMap<string, CompiledEventType> {
    const get = (name: string) => {
      const type = this.types.get(name)
      return (
        type && {
          ...type,
          checkArguments: async (args: never) => {
            await this.step('checkArguments')
            return type.checkArguments(args)
          },
          authorize: async (...access: Parameters<CompiledEventType['authorize']>) => {
            await this.step('authorize')
            return type.authorize(...access)
          },
          readData: async (data: unknown) => {
            await this.step('readData')
            return type.readData(data)
          },
          transform: async (...parameters: Parameters<CompiledEventType['transform']>) => {
            await this.step('transform')
            return type.transform(...parameters)
          },
        }
      )
    }
    return { get } as ReadonlyMap<string, CompiledEventType>
  }

  readonly #sealer: Sealer = {
    seal: async (...parameters) => {
      await this.step('seal')
      return KEYRING.seal(...parameters)
    },
    open: async (...parameters) => {
      await this.step('open')
      return KEYRING.open(...parameters)
    },
    redeem: () => Promise.reject(new Error('not used')),
  }
}

const KEYRING = createSealer({}, 'the-keys-of-the-tests-of-subscribers')

/** A type with cursors, for everyone. */
export function eventType(
  name: string,
  overrides: Partial<CompiledEventType> = {},
): CompiledEventType {
  return {
    name,
    delivery: ['poll', 'push', 'webhook'],
    historyMs: HOUR_MS,
    isPersonal: false,
    scopes: [],
    visible: undefined,
    checkArguments: () => undefined,
    readData: (data) => valid(data as never),
    acceptsData: () => true,
    authorize: () => true,
    matches: () => true,
    transform: (data) => data,
    upstream: undefined,
    ...overrides,
  }
}

/** Answers a challenge with its echo, and an event with 204. */
export function echoOrAccept({ message: { type, challenge } }: Received): Response {
  return type === 'verification'
    ? Response.json({ challenge })
    : new Response(null, { status: 204 })
}
