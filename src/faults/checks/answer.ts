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
  return value === undefined ? 'nothing' : typeof value === 'string' ? `"${value}"` : String(value)
}
