/** What a host finds wrong with a view, as a sentence that says what to do next. */

export type FindingCode =
  | 'silent'
  | 'order'
  | 'malformed'
  | 'unknown-method'
  | 'missing-capability'
  | 'unknown-tool'
  | 'hidden-tool'
  | 'display-mode'
  | 'no-output-schema'
  | 'text-alone'
  | 'refused-result'
  | 'teardown'
  | 'blocked'
  | 'failed'

export interface Finding {
  readonly code: FindingCode
  readonly message: string
}
