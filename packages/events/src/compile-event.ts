/** Checks and compiles an event type. */

import type { Schema, Visible } from '../../../src/index.ts'
import {
  accessOf,
  type CompiledSchema,
  checkConfig,
  checkName,
  compileSchema,
  defined,
  describeIssues,
  findFaults,
  locate,
} from '../../../src/internal.ts'
import type { MaybePromise } from '../../../src/platform/maybe-promise.ts'
import { invalid, type Result, valid } from '../../../src/platform/result.ts'
import { canonicalText } from '../../../src/protocol/canonical-json.ts'
import type { JsonSchema } from '../../../src/protocol/content.ts'
import {
  DELIVERY_MODES,
  type DeliveryMode,
  type EventDescriptor,
} from '../../../src/protocol/events.ts'
import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts'
import type { CompiledEventType, UpstreamListener } from './compiled-event-type.ts'
import type { EventOptions } from './define-event.ts'

export interface EventDefinition extends CompiledEventType {
  readonly descriptor: EventDescriptor
  /** Called in a request before the descriptor is sent. */
  readonly confirmDefaults?: CompiledSchema['confirmDefaults']
}

/** The options of any event type. */
export type ErasedEventOptions = Omit<
  EventOptions<Schema, Schema | undefined>,
  'authorize' | 'match' | 'transform' | 'upstream' | 'visible'
> & {
  readonly authorize?: (access: never) => MaybePromise<boolean>
  readonly match?: (args: never, data: never) => MaybePromise<boolean>
  readonly transform?: (data: never, subscriber: never) => unknown
  readonly upstream?: object
  readonly visible?: Visible<never>
}

const DEFAULT_POLL_LEASE_MS = 5 * 60 * 1000

const NO_ARGUMENTS: JsonSchema = { type: 'object', additionalProperties: false }

/** @throws {TypeError} that names the type and the fault */
export function compileEvent(name: unknown, options: ErasedEventOptions): EventDefinition {
  checkName('Event', name)
  const subject = `Event ${name}`
  const refuse = (text: string) => new TypeError(`${subject}: ${text}`)
  checkConfig(subject, options, () => undefined)
  const { description, authorize, match, transform, history = 0, personal = false } = options
  if (typeof description !== 'string' || description.trim() === '') {
    throw refuse('needs a description: a model decides by it whether to subscribe')
  }
  for (const [member, value] of Object.entries({ authorize, match, transform })) {
    if (value !== undefined && typeof value !== 'function') {
      throw refuse(`${member} must be a function`)
    }
  }
  if (!Number.isSafeInteger(history) || history < 0) {
    throw refuse('history must be an integer of at least 0, in milliseconds')
  }
  const delivery = deliveryOf(options.delivery, refuse)
  const input = options.input === undefined ? undefined : schemaOf(subject, 'input', options.input)
  const payload = schemaOf(subject, 'payload', options.payload)
  const unmatched = match === undefined ? unmatchedArgument(input, payload) : undefined
  if (unmatched !== undefined) {
    throw refuse(
      `no data has a member of the name "${unmatched}" that the argument could equal: pass match`,
    )
  }
  const parse = (args: JsonObject): MaybePromise<unknown> =>
    then(input?.validate(args), (outcome) =>
      outcome === undefined || outcome.issues !== undefined ? args : outcome.value,
    )
  const known = new WeakMap<JsonObject, MaybePromise<unknown>>()
  /**
   * The arguments as the author's functions receive them, parsed once for all occurrences of a page. Those that the
   * schema refuses now are passed as they are.
   */
  const parsed = (args: JsonObject): MaybePromise<unknown> => {
    if (!known.has(args)) known.set(args, parse(args))
    return known.get(args)
  }
  return {
    name,
    descriptor: defined({
      name,
      description,
      delivery,
      inputSchema: input?.json ?? NO_ARGUMENTS,
      payloadSchema: payload.json,
      _meta: options._meta as JsonObject | undefined,
    }),
    confirmDefaults: input?.confirmDefaults,
    delivery,
    historyMs: history,
    isPersonal: personal,
    ...accessOf(options),
    checkArguments: (args) => checkArguments(input, args),
    readData: (data) => readData(payload, data),
    acceptsData: (data) => findFaults(payload.json, data, 1).length === 0,
    async authorize({ arguments: args, ...access }, phase) {
      if (authorize === undefined) return true
      return (
        (await authorize({ ...access, arguments: await parsed(args), phase } as never)) === true
      )
    },
    // At once where the author's functions are: a log evaluates it often.
    matches(args, data) {
      if (match === undefined) return matchesMembers(args, data)
      const matched = then(parsed(args), (value) => match(value as never, data as never))
      return then(matched, (outcome) => outcome === true)
    },
    async transform(data, { arguments: args, ...access }) {
      if (transform === undefined) return data
      const subscriber = { ...access, arguments: await parsed(args) }
      const read = await readData(payload, await transform(data as never, subscriber as never))
      if (read.ok) return read.value
      throw refuse(`transform returned what the payload schema refuses: ${read.error}`)
    },
    upstream: upstreamOf(options.upstream as Partial<UpstreamListener> | undefined, refuse),
  }
}

/** Continues at once with a value, and later with that of a promise. */
function then<T, Next>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<Next>,
): MaybePromise<Next> {
  // Also that of a platform, such as an RPC, which is no `Promise`.
  const isLater = typeof (value as Partial<Promise<T>> | undefined)?.then === 'function'
  return isLater ? Promise.resolve(value).then(next) : next(value as T)
}

function deliveryOf(
  delivery: readonly DeliveryMode[] = DELIVERY_MODES,
  refuse: (text: string) => TypeError,
): readonly DeliveryMode[] {
  const isValid =
    Array.isArray(delivery) &&
    delivery.length > 0 &&
    delivery.every((mode) => DELIVERY_MODES.includes(mode))
  if (!isValid) throw refuse(`delivery must list some of ${DELIVERY_MODES.join(', ')}`)
  return [...new Set(delivery)]
}

function schemaOf(subject: string, member: 'input' | 'payload', schema: Schema): CompiledSchema {
  const compiled = locate(`${subject}, ${member}`, () =>
    compileSchema(schema, member === 'input' ? 'input' : 'output'),
  )
  if (compiled.json.type === 'object') return compiled
  throw new TypeError(`${subject}, ${member}: the schema must be one of an object`)
}

function upstreamOf(
  upstream: Partial<UpstreamListener> | undefined,
  refuse: (text: string) => TypeError,
): UpstreamListener | undefined {
  if (upstream === undefined) return undefined
  const { start, stop, pollLeaseMs = DEFAULT_POLL_LEASE_MS } = upstream
  if (typeof start !== 'function' || typeof stop !== 'function') {
    throw refuse('upstream needs the functions start and stop')
  }
  if (!Number.isSafeInteger(pollLeaseMs) || pollLeaseMs <= 0) {
    throw refuse('upstream.pollLeaseMs must be an integer above 0')
  }
  return { start, stop, pollLeaseMs }
}

/** The arguments stay as the client has sent them: they identify the subscription. */
async function checkArguments(
  input: CompiledSchema | undefined,
  args: JsonObject,
): Promise<string | undefined> {
  if (input === undefined) {
    const [name] = Object.keys(args)
    return name === undefined ? undefined : 'this event type takes no arguments'
  }
  const { issues } = await input.validate(args)
  return issues && describeIssues(issues)
}

async function readData(
  payload: CompiledSchema,
  data: unknown,
): Promise<Result<JsonObject, string>> {
  const given = payload.isRaw ? jsonOf(data) : data
  const checked = await payload.validate(given)
  if (checked.issues !== undefined) return invalid(describeIssues(checked.issues))
  const json = jsonOf(checked.value)
  if (!isJsonObject(json)) return invalid('the data must be an object of JSON')
  const [fault] = findFaults(payload.json, json, 1)
  return fault === undefined ? valid(json) : invalid(describeIssues([fault]))
}

/** The value as JSON represents it; undefined for one that it cannot represent. */
function jsonOf(value: unknown): unknown {
  const text = tryStringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}

function tryStringify(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // A cycle, a BigInt, or a `toJSON` that throws.
    return undefined
  }
}

/** An argument that the data can have no member for, so that a subscription with it would never receive an event. */
function unmatchedArgument(
  input: CompiledSchema | undefined,
  { json, isRaw }: CompiledSchema,
): string | undefined {
  // A schema library drops other members, and a JSON Schema permits them.
  const isClosed = isRaw ? json.additionalProperties === false : !json.additionalProperties
  const { properties: members } = json
  const { properties: given } = input?.json ?? {}
  if (!isClosed || !isJsonObject(members) || !isJsonObject(given)) return undefined
  return Object.keys(given).find((name) => !Object.hasOwn(members, name))
}

/** Each argument that was given equals the member of the same name. */
function matchesMembers(args: JsonObject, data: JsonObject): boolean {
  return Object.keys(args).every(
    (name) => Object.hasOwn(data, name) && canonicalText(args[name]) === canonicalText(data[name]),
  )
}
