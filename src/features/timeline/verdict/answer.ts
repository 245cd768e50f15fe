/** The result of checking one known cause against what the server answered in a connection. */

export interface Answer {
  readonly passed: boolean
  /** What the server answered, or what the client sent, as a sentence without its full stop. */
  readonly seen: string
}

export const passed = (seen: string): Answer => ({ passed: true, seen })
export const failed = (seen: string): Answer => ({ passed: false, seen })
export const answer = (isPassed: boolean, seen: string): Answer => ({ passed: isPassed, seen })

/** A recorded value in a sentence. */
export function quoted(value: unknown): string {
  return value === undefined ? 'nothing' : typeof value === 'string' ? `"${value}"` : String(value)
}
