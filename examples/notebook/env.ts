/** The Worker's bindings, and the choice of the notebook for a caller. */
import type { Context } from '../../src/index.ts'
import type { Notebook } from './object/notebook-object.ts'

export interface Env {
  readonly NOTEBOOK: DurableObjectNamespace<Notebook>
}

/**
 * Returns the notebook object of the caller's subject. Unauthenticated callers share one notebook.
 * The prefix separates it from the notebook of a subject named "anonymous".
 */
export function notebookOf({ env, auth }: Context<Env>): DurableObjectStub<Notebook> {
  return env.NOTEBOOK.getByName(auth === undefined ? 'anonymous' : `subject:${auth.subject}`)
}
