/** The result of checking one fault against what was seen of a connection. */

import type { Facts } from './facts.ts'

export interface Answer {
  readonly passed: boolean
  /** What the server answered, or what the client sent, as a sentence without its full stop. */
  readonly seen: string
}

/** Undefined where nothing of it was seen. */
export type Check = (facts: Facts) => Answer | undefined

/** A check of one member of what was seen. */
export const on =
  <All, Name extends keyof All>(
    name: Name,
    check: (one: NonNullable<All[Name]>, all: All) => Answer | undefined,
  ): ((all: All) => Answer | undefined) =>
  (all) => {
    const one = all[name]
    return one === undefined || one === null ? undefined : check(one, all)
  }

export const passed = (seen: string): Answer => ({ passed: true, seen })
export const failed = (seen: string): Answer => ({ passed: false, seen })
export const answer = (isPassed: boolean, seen: string): Answer => ({ passed: isPassed, seen })

/** A URL of any scheme. */
export function isUrl(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value)
}

/** A value in a sentence. */
export function quoted(value: unknown): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'string' ? `"${value}"` : jsonOf(value)
}

/** `String` calls what an object of a server has as `toString`, which may be no function. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch {
    // The parser has no limit of depth, and the writer has that of the stack.
    return 'a value that is too deep'
  }
}
