/** Finds the call of a handle that a model passes. */
import type { Call } from '../../../dispatch/call.ts'
import type { TaskSnapshot, Tasks } from '../../../ports/tasks.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { openTaskId, taskPrincipal } from '../task-ids.ts'
import { EXPIRED } from './held-access.ts'

export const NO_HANDLE =
  'This is no handle of this server. Pass the text after "handle: " as it is.'

export interface FoundHandle {
  readonly name: string
  readonly state: TaskSnapshot
  /** The key of the ask that the handle names; undefined for that of a call. */
  readonly question: string | undefined
}

/** A handle that opens here was issued by this server, so a reason discloses nothing that its holder does not know. */
export async function findHandle(
  { request, deployment, services }: Call,
  tasks: Tasks,
  handle: string,
): Promise<FoundHandle> {
  const sealer = services.sealer()
  const opened = sealer && (await openTaskId(sealer, deployment.audience, handle.trim()))
  if (opened === undefined) throw new ToolError(NO_HANDLE)
  if (opened.principal !== (await taskPrincipal(request.auth))) {
    throw new ToolError(
      'The handle belongs to another caller, so its result cannot be read here. Call the tool again.',
    )
  }
  const state = await tasks.read(opened.name)
  if (state === undefined) throw new ToolError(EXPIRED)
  return { name: opened.name, state, question: opened.question }
}
