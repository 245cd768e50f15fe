/** Publishes changes for handlers (`ctx.notify`) and for the author's other code (`edgeway.notify`). */
import type { ChangeDefinition } from '../../dispatch/call.ts'
import type { ChangeBus } from '../../ports/change-bus.ts'
import { type Change, isListChangeKind } from '../../ports/change-kinds.ts'
import type { Notify } from '../../server/context.ts'
import { MAX_URI_LENGTH } from '../../server/uri-template/match.ts'
import { checkElicitationId } from '../../server/url-elicitation-required-error.ts'

export interface NotifyOptions {
  /** Returns undefined if no hub is bound: a change is then reported to telemetry and dropped. */
  readonly changes: () => ChangeBus | undefined
  /** Called for each change that is dropped. */
  readonly onDropped: () => void
  /** Undefined where the definitions are the same for all subjects. */
  readonly changeDefinition: ((subject: string) => Promise<void>) | undefined
}

/** For a factory whose callers have nothing that says to another isolate that their definition is old. */
export const refuseChangeOfOne: ChangeDefinition = async () => {
  throw new TypeError(
    'To change the lists of one subject, a server with a factory needs embedded(), verifier() or fromContext()',
  )
}

export function createNotify({ changes, onDropped, changeDefinition }: NotifyOptions): Notify {
  const publish = async (change: Change) => {
    checkChange(change)
    const { kind, subject } = change
    // First: a client that receives the change lists at once.
    if (subject !== undefined && isListChangeKind(kind)) await changeDefinition?.(subject)
    const bus = changes()
    // The handler has already stored what has changed: an error would make the model repeat the call.
    if (bus === undefined) onDropped()
    else await bus.publish(change)
  }
  return {
    toolsChanged: (to) => publish({ kind: 'tools_list_changed', subject: to?.subject }),
    promptsChanged: (to) => publish({ kind: 'prompts_list_changed', subject: to?.subject }),
    resourcesChanged: (to) => publish({ kind: 'resources_list_changed', subject: to?.subject }),
    eventsChanged: (to) => publish({ kind: 'events_list_changed', subject: to?.subject }),
    resourceUpdated: (uri, to) => publish({ kind: 'resource_updated', uri, subject: to?.subject }),
    elicitationComplete: (elicitationId, to) =>
      publish({ kind: 'elicitation_complete', elicitationId, subject: to?.subject }),
  }
}

/** @throws {TypeError} for a change that no listener could receive */
function checkChange(change: Change): void {
  const { subject } = change
  if (subject !== undefined && !isSubject(subject)) {
    throw new TypeError(
      `The subject of a change must be a string of 1 to ${MAX_SUBJECT_LENGTH} characters: ctx.auth.subject`,
    )
  }
  if ('uri' in change) checkUri(change.uri)
  if ('elicitationId' in change) checkElicitationId(change.elicitationId)
}

/** No access token of the largest accepted header names a longer one. */
const MAX_SUBJECT_LENGTH = 8192

function isSubject(subject: unknown): boolean {
  return typeof subject === 'string' && subject !== '' && subject.length <= MAX_SUBJECT_LENGTH
}

function checkUri(uri: unknown): void {
  if (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH || !URL.canParse(uri)) {
    throw new TypeError(
      `resourceUpdated needs an absolute URI of at most ${MAX_URI_LENGTH} characters`,
    )
  }
}
