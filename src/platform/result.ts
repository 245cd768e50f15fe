/** The result of parsing untrusted input, or of another step that is expected to fail. */
export type Result<T, Reason = string> =
  | { readonly ok: true; readonly value: T }
  /** `error` describes the defect, or is one of several reasons that the caller handles. */
  | { readonly ok: false; readonly error: Reason }

export function valid<T>(value: T): Result<T, never> {
  return { ok: true, value }
}

export function invalid<Reason = string>(error: Reason): Result<never, Reason> {
  return { ok: false, error }
}
