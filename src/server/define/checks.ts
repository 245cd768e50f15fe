/** Checks that all kinds of registration share. They throw `TypeError`, because a failure is misuse by the author. */
import { isJsonObject } from '../../protocol/json.ts'
import type { CacheHints } from '../../protocol/primitives.ts'
import { isScopeToken } from '../../protocol/scope-token.ts'
import type { Visible } from '../visibility.ts'

const NAME = /^[A-Za-z0-9_.-]{1,128}$/

/**
 * Checks the name of a tool or prompt. Every client accepts these characters, and a header can carry them.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-names
 */
export function checkName(kind: string, name: unknown): asserts name is string {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new TypeError(
      `${kind} name ${JSON.stringify(name)}: use 1 to 128 of the characters A-Z a-z 0-9 _ - .`,
    )
  }
}

/** Checks the members that all configurations share. */
export function checkConfig(subject: string, config: unknown, handler: unknown): void {
  if (!isJsonObject(config)) throw new TypeError(`${subject}: the configuration must be an object`)
  if (typeof handler !== 'function')
    throw new TypeError(`${subject}: the handler must be a function`)
  for (const field of ['title', 'description', 'mimeType'] as const) {
    if (config[field] !== undefined && typeof config[field] !== 'string') {
      throw new TypeError(`${subject}: ${field} must be a string`)
    }
  }
  for (const field of ['annotations', '_meta'] as const) {
    if (config[field] !== undefined && !isJsonObject(config[field])) {
      throw new TypeError(`${subject}: ${field} must be an object`)
    }
  }
  if (config.visible !== undefined && typeof config.visible !== 'function') {
    throw new TypeError(`${subject}: visible must be a function of the caller's AuthInfo`)
  }
  checkScopes(subject, config.scopes)
  checkIcons(subject, config.icons)
}

function checkScopes(subject: string, scopes: unknown): void {
  if (scopes === undefined) return
  if (!Array.isArray(scopes) || !scopes.every(isScopeToken)) {
    throw new TypeError(`${subject}: scopes must be a list of OAuth scope tokens`)
  }
}

export function checkIcons(subject: string, icons: unknown): void {
  if (icons === undefined) return
  const isIcon = (icon: unknown) =>
    isJsonObject(icon) && typeof icon.src === 'string' && isIconSource(icon.src)
  if (!Array.isArray(icons) || !icons.every(isIcon)) {
    throw new TypeError(`${subject}: every icon needs a src that is an https:, http: or data: URI`)
  }
}

/** Clients resolve no relative URI, and load none of another scheme. */
export function isIconSource(src: string): boolean {
  return /^(?:https?|data):/.test(src)
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching */
export function checkTtl(subject: string, name: string, ttlMs: unknown): void {
  if (!Number.isSafeInteger(ttlMs) || (ttlMs as number) < 0) {
    throw new TypeError(`${subject}: ${name} must be an integer of at least 0, in milliseconds`)
  }
}

export function cacheHints(
  subject: string,
  { ttlMs = 0, cacheScope = 'private' }: Partial<CacheHints>,
): CacheHints {
  checkTtl(subject, 'ttlMs', ttlMs)
  if (cacheScope !== 'public' && cacheScope !== 'private') {
    throw new TypeError(`${subject}: cacheScope must be "public" or "private"`)
  }
  return { ttlMs, cacheScope }
}

/**
 * The members that restrict access. A definition has no type parameters: the runtime passes the caller's
 * props as they were stored, and the author's type of them is erased here.
 */
export function accessOf({
  scopes = [],
  visible,
}: {
  readonly scopes?: readonly string[]
  readonly visible?: Visible<never>
}): { readonly scopes: readonly string[]; readonly visible: Visible | undefined } {
  return { scopes: [...scopes], visible: visible as Visible | undefined }
}

/** Removes undefined members, so that they do not appear in a list. */
export function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T
}

/** Adds the place of a fault to its message. */
export function locate<T>(place: string, compile: () => T): T {
  try {
    return compile()
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new TypeError(`${place}: ${cause.message}`, { cause })
  }
}
