/** The Worker's bindings, and whose notebook is whose. */
import type { Context } from '../../src/index.ts'
import type { Notebook } from './object/notebook-object.ts'

export interface Env {
  readonly NOTEBOOK: DurableObjectNamespace<Notebook>
  /** The hub. Without it nobody is told of changes. */
  readonly MCP_HUB?: unknown
}

/**
 * The caller's own notebook. The prefix keeps a subject that is called "anonymous" apart from
 * callers without one, who share a notebook.
 */
export function notebookOf({ env, auth }: Context<Env>): DurableObjectStub<Notebook> {
  return env.NOTEBOOK.getByName(auth === undefined ? 'anonymous' : `subject:${auth.subject}`)
}
