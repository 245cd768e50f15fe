/** Checks of the options of the app that need no environment, so that a mistake throws at the start. */
import type { AuthConfig, AuthGate } from '../feature/auth-config.ts'
import { APPS_EXTENSION, UI_META } from '../protocol/apps.ts'
import type { Definition } from '../server/definition.ts'
import type { PathPattern } from '../transport/endpoint-paths.ts'
import { BROUGHT_BY } from './brought-by.ts'
import type { EdgewayOptions, FactoryOptions } from './options.ts'

/** The options that no other part checks. A caller without types may pass anything. */
type CheckedOptions = { readonly [Name in keyof (EdgewayOptions & FactoryOptions)]?: unknown }

/** A name that is none, such as a misspelled `auth`, would be without effect. */
const OPTIONS =
  'path auth features allowedOrigins modernOnly allowedHosts strict headerMismatch audience limits telemetry info definitionPer queryParams jurisdiction locationHint'

/** @throws {TypeError} for an unknown option */
export function checkNames(options: object): void {
  const unknown = Object.keys(options).find((name) => !OPTIONS.split(' ').includes(name))
  if (unknown === undefined) return
  throw new TypeError(
    `There is no option "${unknown}". A feature is a value: features: [sessions()]`,
  )
}

/** @throws {TypeError} that begins with the option */
export function checkOptions(options: CheckedOptions): void {
  const { allowedOrigins, allowedHosts, headerMismatch, audience, telemetry, auth } = options
  if (options.features !== undefined && !Array.isArray(options.features)) {
    throw new TypeError('features must be a list of values like sessions() and tasks()')
  }
  for (const origin of listOf('allowedOrigins', allowedOrigins)) {
    if (origin !== '*' && !isOrigin(origin)) {
      throw new TypeError(
        `allowedOrigins: ${JSON.stringify(origin)} must be an origin like https://app.example, without a path or a slash at the end`,
      )
    }
  }
  for (const host of listOf('allowedHosts', allowedHosts)) {
    if (!URL.canParse(`http://${host}`) || new URL(`http://${host}`).hostname !== lowerCase(host)) {
      throw new TypeError(
        `allowedHosts: ${JSON.stringify(host)} must be a host name like box.local, without a scheme or a port`,
      )
    }
  }
  if (![undefined, 'strict', 'trust-body'].includes(headerMismatch as string | undefined)) {
    throw new TypeError('headerMismatch must be "strict" or "trust-body"')
  }
  if (audience !== undefined && (typeof audience !== 'string' || audience === '')) {
    throw new TypeError('audience must be a text with at least one character')
  }
  if (telemetry !== undefined) {
    for (const sink of Array.isArray(telemetry) ? telemetry : [telemetry]) checkSink(sink)
  }
  const { createGate } = (auth ?? {}) as { readonly createGate?: unknown }
  if (auth !== undefined && typeof createGate !== 'function') {
    throw new TypeError(
      'auth must be the value of embedded(…), external(…), verifier(…) or fromContext(…)',
    )
  }
}

/** Options that exclude each other, or need another source. */
interface Combination {
  readonly isFactory: boolean
  readonly hasParams: boolean
  readonly allowedOrigins: readonly string[] | undefined
  readonly usesCookies: boolean
}

/** @throws {TypeError} that names the options */
export function checkCombination(combination: Combination): void {
  const { isFactory, hasParams, allowedOrigins, usesCookies } = combination
  if (hasParams && !isFactory) {
    throw new TypeError(
      'A path with params needs a factory: createEdgeway(({ params }) => server, …)',
    )
  }
  if (usesCookies && allowedOrigins?.includes('*') === true) {
    throw new TypeError('allowedOrigins must name origins, not *, where cookies are credentials')
  }
}

/** @throws {TypeError} for a value that is not a sink */
function checkSink(sink: unknown): void {
  const { record } = (sink ?? {}) as { readonly record?: unknown }
  if (typeof sink !== 'function' && typeof record !== 'function') {
    throw new TypeError(
      'telemetry must be a function, an object with record(event, env), or a list of them',
    )
  }
}

/**
 * Requires that each path belongs to one part of the app.
 *
 * @param endpoint the paths of the endpoint, and of the stream of the 2024-11-05 transport
 * @param messages the path for messages of that transport
 * @throws {TypeError} that names the path and its option
 */
export function checkPaths(
  endpoint: readonly PathPattern[],
  messages: PathPattern | undefined,
  gate: AuthGate | undefined,
): void {
  const known = new Set<string>()
  for (const { source } of endpoint) {
    if (known.has(source)) throw new TypeError(`The path "${source}" is configured twice`)
    known.add(source)
  }
  if (messages !== undefined && known.has(messages.source)) {
    throw new TypeError(
      `httpSse.messagesPath "${messages.source}" is a path of the endpoint or its stream: name another one, or set httpSse to false`,
    )
  }
  for (const pattern of messages === undefined ? endpoint : [...endpoint, messages]) {
    const taken = gate?.paths.find((path) => pattern.match(path) !== undefined)
    if (taken !== undefined || pattern.source.startsWith('/.well-known/')) {
      throw new TypeError(
        `path "${pattern.source}" is a path of authorization: name another one, such as /mcp`,
      )
    }
  }
}

/**
 * Requires that every scope that a definition needs can be granted for the endpoint.
 *
 * @param adminScope the scope of the admin API, which tokens for the endpoint do not have
 * @throws {TypeError} that names the definition and the scope
 */
export function checkDeclaredScopes(
  { tools, prompts, resources, templates }: Definition,
  auth: AuthConfig | undefined,
  adminScope: string | undefined,
): void {
  if (auth?.scopes === undefined) return
  const declared = auth.scopeNames
  const kinds = { Tool: tools, Prompt: prompts, Resource: resources, Template: templates }
  for (const [kind, definitions] of Object.entries(kinds)) {
    for (const { info, scopes } of definitions.values()) {
      if (adminScope !== undefined && scopes.includes(adminScope)) {
        throw new TypeError(
          `${kind} "${info.name}" needs the scope "${adminScope}", which is that of the admin API alone: name another one in admin({ scope })`,
        )
      }
      const unknown = declared && scopes.find((scope) => !declared.includes(scope))
      if (unknown === undefined) continue
      throw new TypeError(
        `${kind} "${info.name}" needs the scope "${unknown}", which no token can have: add it to embedded({ scopes })`,
      )
    }
  }
}

function listOf(name: string, value: unknown): readonly unknown[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw new TypeError(`${name} must be a list`)
  return value
}

/** The scheme may be that of an app, such as `chrome-extension:`, whose origin `URL` does not know. */
function isOrigin(origin: unknown): boolean {
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false
  const parsed = new URL(origin).origin
  return parsed === origin || (parsed === 'null' && /^[a-z][a-z\d+.-]*:\/\/[^/?#]+$/.test(origin))
}

function lowerCase(host: unknown): unknown {
  return typeof host === 'string' ? host.toLowerCase() : host
}

/**
 * Refuses a definition that uses an absent feature.
 *
 * @param call the function whose option `features` is meant, where it is not `createEdgeway`
 * @throws {TypeError} that names the value to add
 */
export function checkUses(
  { tools, skills, uses }: Pick<Definition, 'tools' | 'skills' | 'uses'>,
  installed: ReadonlyMap<string, unknown>,
  call?: string,
): void {
  const where = call === undefined ? '' : ` in the options of ${call}`
  const need = (subject: string, name: string) => {
    if (installed.has(name)) return
    throw new TypeError(`${subject} needs features: [${name}()]${where}`)
  }
  for (const value of uses) if (value) need('The server of the factory', value.name)
  const { tool } = BROUGHT_BY
  for (const { info, task, files, limitClass } of tools.values()) {
    const subject = `Tool "${info.name}"`
    if (task !== undefined) need(`${subject} with task`, tool.task)
    if (files) need(`${subject} with files: true`, tool.files)
    if (limitClass !== undefined) need(`${subject} with limitClass`, tool.limitClass)
    if (info._meta?.[UI_META] !== undefined) need(`${subject} with ui (${APPS_EXTENSION})`, tool.ui)
  }
  const [skill] = skills.keys()
  if (skill !== undefined) need(`Skill ${skill}`, 'skills')
}
