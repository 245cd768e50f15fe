/** What `get_result` answers without a handle: the calls of the caller that a broken connection may have lost. */
import { mayAccessTask } from '../../../dispatch/access.ts'
import type { Call } from '../../../dispatch/call.ts'
import type { TaskSnapshot, Tasks } from '../../../ports/tasks.ts'
import type { CallToolResult } from '../../../protocol/primitives.ts'
import { principalDigest } from '../../../protocol/principal.ts'
import { isOverStatus } from '../../../protocol/tasks.ts'
import type { Definition } from '../../../server/definition.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { readTaskPage } from '../task-page.ts'

/** How long a call is listed whose client has cancelled it, or has been sent its result: that answer may be the lost one. */
const LISTED_AFTER_MS = 60 * 60 * 1000

/** The member of `_meta` with the listed calls, for programs. */
const CALLS_META = 'dev.edgeway/calls'

/** @throws {ToolError} for an anonymous caller: its calls are those of each other one */
export async function listCalls(
  definition: Definition,
  { request: { auth }, run }: Call,
  tasks: Tasks,
): Promise<CallToolResult> {
  if (auth === undefined) {
    throw new ToolError(
      'This server does not know who calls, so it lists no calls. Pass the text after "handle: " of the earlier answer.',
    )
  }
  const { snapshots } = await run.cancellation.waitFor(
    readTaskPage(tasks, {
      subject: auth.subject,
      principal: await principalDigest(auth),
      after: undefined,
      isBrief: true,
      mayAccess: (state) => isListed(state) && mayAccessTask(definition, state, auth),
    }),
  )
  const text = snapshots.length === 0 ? NONE : [FOUND, ...snapshots.map(lineOf)].join('\n')
  return { content: [{ type: 'text', text }], _meta: { [CALLS_META]: snapshots.map(callOf) } }
}

const callOf = ({ access, createdAt, status, taskId }: TaskSnapshot) => ({
  tool: access.tool,
  startedAt: timeOf(createdAt),
  status,
  handle: taskId,
})

function lineOf(state: TaskSnapshot): string {
  const { tool, startedAt, handle } = callOf(state)
  return `- ${tool}, started ${startedAt}: ${describe(state)}\n  handle: ${handle}`
}

const NONE =
  'No call of yours goes on, and no result waits for you. A call that ended in its first second is not kept: before you repeat one whose answer was lost, check what it has done.'

const FOUND =
  'Your calls, the newest first. Fetch a result with its handle before you repeat a call.'

/** A call of a client with tasks has its id, and no need of this list. */
function isListed({ access, status, lastUpdatedAt, returnedAt }: TaskSnapshot): boolean {
  if (access.isHeld !== true) return false
  if (!isOverStatus(status)) return true
  const since = status === 'cancelled' ? lastUpdatedAt : returnedAt
  return since === undefined || Date.now() - since < LISTED_AFTER_MS
}

function describe({ status, statusMessage, lastUpdatedAt, returnedAt }: TaskSnapshot): string {
  switch (status) {
    case 'working':
      return statusMessage === undefined ? 'goes on' : `goes on (${statusMessage})`
    case 'input_required':
      return 'waits for an answer of the person'
    case 'cancelled':
      return `cancelled ${timeOf(lastUpdatedAt)}, by its client or because the connection was closed. Check what it has done before you call it again`
    default:
      return returnedAt === undefined
        ? 'ended, and its result was not fetched'
        : `ended, and its result was sent ${timeOf(returnedAt)}. If that answer did not arrive, pass "again": true too`
  }
}

const timeOf = (at: number): string => new Date(at).toISOString()
