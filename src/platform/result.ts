/** The result of parsing untrusted input, which is expected to fail. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  /** `error` describes the defect. */
  | { readonly ok: false; readonly error: string }

export function valid<T>(value: T): Result<T> {
  return { ok: true, value }
}

export function invalid(error: string): Result<never> {
  return { ok: false, error }
}
