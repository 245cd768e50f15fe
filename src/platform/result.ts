/** The result of what is expected to fail: of parsing untrusted input, and of what has a limit. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  /** `error` says why. */
  | { readonly ok: false; readonly error: string }

export function valid<T>(value: T): Result<T> {
  return { ok: true, value }
}

export function invalid(error: string): Result<never> {
  return { ok: false, error }
}
