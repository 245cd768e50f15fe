/** The text of an error for a log: with its message, or without everything that a caller may have sent. */
import { ConfigurationError } from '../platform/configuration-error.ts'

/** Maximum length of an error in the log, in UTF-16 code units. */
const MAX_ERROR_LENGTH = 8192
const NAME = /^[\w.$-]{1,64}$/
const FRAME = /^\s+at /

/** @param withMessage the message of an error may contain what its handler was given; that of a {@link ConfigurationError} does not */
export function describeError(error: unknown, withMessage: boolean): string {
  const isSafe = withMessage || error instanceof ConfigurationError
  const text = isSafe ? textOf(error) : placeOf(error)
  return text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH)}…` : text
}

/** The class of an error, for dashboards. */
export function errorClass(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  return NAME.test(error.name) ? error.name : 'Error'
}

function textOf(error: unknown): string {
  if (error instanceof Error) return error.stack ?? `${error.name}: ${error.message}`
  try {
    return String(error)
  } catch {
    // The conversion of this value to text throws.
    return 'a value without a text form'
  }
}

/** The class and the stack frames. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`
  const { message, stack = '' } = error
  const at = stack.indexOf(message)
  // A stack that does not contain the message was written by someone else.
  const frames = at === -1 ? [] : stack.slice(at + message.length).split('\n')
  return [errorClass(error), ...frames.filter((line) => FRAME.test(line))].join('\n')
}
