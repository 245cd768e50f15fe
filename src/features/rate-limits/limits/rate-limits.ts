/** Decides which class and which key a request is counted by. */
import type {
  CountedTool,
  LimitDecision,
  NetworkClass,
  OverLimit,
  RateLimits,
} from '../../../ports/rate-limits.ts'
import type { TelemetrySink } from '../../../ports/telemetry.ts'
import type { AuthInfo } from '../../../protocol/auth-info.ts'
import { REFUSALS } from '../../../protocol/refusals.ts'
import { ClientNetworks } from './client-networks.ts'
import { HOSTED_NETWORKS, parseRange } from './hosted-networks.ts'
import {
  isBuiltIn,
  type LimitClass,
  type RateLimitOptions,
  resolveClasses,
} from './limit-classes.ts'
import {
  createBindingCounter,
  createIsolateCounter,
  type LimitCounter,
  type RateLimitBinding,
} from './limit-counter.ts'

/** The tools of a definition, by name. */
export type LimitedTools = ReadonlyMap<string, { readonly limitClass: string | undefined }>

const BINDING_PREFIX = 'MCP_LIMIT_'

export interface CreatedRateLimits {
  /**
   * The rate limits of an environment, whose bindings replace the counters of the isolate; undefined when
   * the options lift all of them. Called once per environment, because the counters are its state.
   */
  readonly of: (env: unknown) => RateLimits | undefined
  /** @throws {TypeError} for a tool whose class does not exist */
  readonly checkTools: (tools: LimitedTools) => void
  /** The period of each class, in seconds, without the classes that are lifted. */
  readonly periods: ReadonlyMap<string, number>
}

/** @throws {TypeError} for an invalid option */
export function createRateLimits(
  options: RateLimitOptions | false,
  report: TelemetrySink,
): CreatedRateLimits {
  if (options === false) {
    return { of: () => undefined, checkTools: () => undefined, periods: new Map() }
  }
  const { classes: configured, hostedNetworks = HOSTED_NETWORKS, ...others } = options
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`There is no option "rateLimits.${unknown}"`)
  const classes = resolveClasses(configured)
  const hosted = Object.values(hostedNetworks).flat().map(parseRange)
  return {
    of: (env) => {
      const bindings = bindingsOf(env, classes, report)
      return new ClassLimits(
        new Map([...classes].flatMap(([name, limit]) => classLimit(name, limit, bindings, report))),
        new ClientNetworks(hosted),
        report,
      )
    },
    checkTools: (tools) => {
      for (const [name, { limitClass }] of tools) checkToolClass(name, limitClass, classes)
    },
    periods: new Map(
      [...classes].flatMap(([name, limit]) => (limit ? [[name, limit.periodSeconds]] : [])),
    ),
  }
}

class ClassLimits implements RateLimits {
  /** Without the classes that are lifted. */
  readonly #classes: ReadonlyMap<string, LimitCounter>
  readonly #networks: ClientNetworks
  readonly #report: TelemetrySink

  constructor(
    classes: ReadonlyMap<string, LimitCounter>,
    networks: ClientNetworks,
    report: TelemetrySink,
  ) {
    this.#classes = classes
    this.#report = report
    this.#networks = networks
  }

  ofPrincipal(auth: AuthInfo): LimitDecision {
    return this.#count('principal', principalKey(auth))
  }

  ofNetwork(limitClass: NetworkClass, headers: Headers, part?: string): LimitDecision {
    const network = this.#networks.of(headers)
    if (network === undefined) return undefined
    const { key, isHosted } = network
    if (isHosted) return this.#count('hosted-network', key)
    return this.#count(limitClass, part === undefined ? key : `${key} ${part}`)
  }

  ofCallback(host: string): LimitDecision {
    return this.#count('callback-host', host)
  }

  ofTool({ info, limitClass }: CountedTool, auth: AuthInfo | undefined, headers: Headers) {
    if (limitClass === undefined) return undefined
    const key = auth ? principalKey(auth) : (this.#networks.of(headers)?.key ?? 'local')
    const answerTo = (over: OverLimit | undefined): string | undefined => {
      if (over === undefined) return undefined
      const { status } = REFUSALS['rate-limited']
      const message = 'Too many calls of a tool'
      this.#report({ type: 'refusal', name: 'rate-limited', status, message, limitClass })
      return overLimitText(info.name, over)
    }
    const counted = this.#count(limitClass, key)
    return counted instanceof Promise ? counted.then(answerTo) : answerTo(counted)
  }

  #count(name: string, key: string): LimitDecision {
    const counter = this.#classes.get(name)
    if (counter === undefined) return undefined
    const { isExact } = counter
    const decide = (waitMs: number): OverLimit | undefined =>
      waitMs === 0
        ? undefined
        : { limitClass: name, retryAfterSeconds: Math.ceil(waitMs / 1000), isExact }
    const waitMs = counter.waitOf(key)
    return typeof waitMs === 'number' ? decide(waitMs) : waitMs.then(decide)
  }
}

/** For the model: which tool, and when to call it again. */
function overLimitText(tool: string, { retryAfterSeconds, isExact }: OverLimit): string {
  const wait = `${isExact ? '' : 'at most '}${retryAfterSeconds} second${retryAfterSeconds === 1 ? '' : 's'}`
  return `Too many calls of the tool ${tool}. Nothing was done. Call it again in ${wait}.`
}

/** An issuer has no fragment, so two principals never have the same key. */
function principalKey({ issuer, subject }: AuthInfo): string {
  return `${issuer}#${subject}`
}

function checkToolClass(
  name: string,
  limitClass: string | undefined,
  classes: ReadonlyMap<string, unknown>,
): void {
  if (limitClass === undefined) return
  const subject = `Tool "${name}": limitClass "${limitClass}"`
  if (isBuiltIn(limitClass)) {
    throw new TypeError(`${subject} counts other requests. Add a class of its own to rateLimits`)
  }
  if (!classes.has(limitClass)) throw new TypeError(`${subject} is not in rateLimits.classes`)
}

function classLimit(
  name: string,
  limit: LimitClass | false,
  bindings: ReadonlyMap<string, RateLimitBinding>,
  report: TelemetrySink,
): readonly (readonly [string, LimitCounter])[] {
  if (limit === false) return []
  const { periodSeconds } = limit
  const binding = bindings.get(bindingName(name))
  const counter = binding
    ? createBindingCounter(binding, periodSeconds, (error) =>
        report({ type: 'internal-error', error }),
      )
    : createIsolateCounter(limit.limit, periodSeconds)
  return [[name, counter]]
}

/** `MCP_LIMIT_SIGN_IN` for `sign-in`. */
function bindingName(limitClass: string): string {
  return BINDING_PREFIX + limitClass.toUpperCase().replaceAll('-', '_')
}

/** Returns the bindings of classes, and reports those that have no class or are of another kind. */
function bindingsOf(
  env: unknown,
  classes: ReadonlyMap<string, unknown>,
  report: TelemetrySink,
): ReadonlyMap<string, RateLimitBinding> {
  const names = new Set([...classes.keys()].map(bindingName))
  const bindings = new Map<string, RateLimitBinding>()
  for (const [name, value] of Object.entries(env ?? {})) {
    if (!name.startsWith(BINDING_PREFIX)) continue
    if (names.has(name) && isBinding(value)) {
      bindings.set(name, value)
      continue
    }
    const why = names.has(name) ? 'it is no rate limiting binding' : 'rateLimits has no such class'
    const subject = `The binding ${name}`
    report({ type: 'definition-warning', subject, message: `it is not used, because ${why}` })
  }
  return bindings
}

function isBinding(value: unknown): value is RateLimitBinding {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<RateLimitBinding>).limit === 'function'
  )
}
