/**
 * Errors of the notebook as data. An error that crosses RPC keeps its message and loses its class,
 * so the object returns faults as values and `tools/refuse.ts` converts them to messages.
 */

export type Fault =
  | { readonly code: 'not-found'; readonly id: string; readonly similar: readonly string[] }
  | { readonly code: 'not-in-bin'; readonly id: string }
  | { readonly code: 'title-taken'; readonly title: string; readonly id: string }
  | { readonly code: 'stale-revision'; readonly id: string; readonly revision: number }
  | { readonly code: 'changed-meanwhile'; readonly id: string }
  | { readonly code: 'bad-id'; readonly id: string }
  | { readonly code: 'bad-title' }
  | { readonly code: 'bad-tag'; readonly tag: string }
  | { readonly code: 'too-many-tags'; readonly count: number }
  | { readonly code: 'body-too-long'; readonly bytes: number }
  | { readonly code: 'notebook-full' }
  | { readonly code: 'nothing-to-search' }

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: Fault }

/** Thrown inside the object, where it rolls back the transaction. It never crosses RPC. */
export class NotebookError extends Error {
  override readonly name = 'NotebookError'
  readonly fault: Fault

  constructor(fault: Fault) {
    super(fault.code)
    this.fault = fault
  }
}
