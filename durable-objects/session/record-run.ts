/** The recording of a run. It begins with what the Worker has recorded, also after an interruption. */
import type { Recording } from '../../src/dispatch/recording.ts'
import { utf8Length } from '../../src/platform/utf8.ts'
import type { CancelReason } from '../../src/ports/cancel-reason.ts'
import { ErrorCode } from '../../src/protocol/error-codes.ts'
import { ProtocolError } from '../../src/protocol/protocol-error.ts'
import type { RunEvent } from '../run/run-state.ts'
import { replyOf } from './run-answer.ts'
import type { SessionParts } from './session-parts.ts'
import type { SessionRun } from './session-run.ts'

type RecordedSession = Pick<SessionParts, 'client' | 'deployment' | 'waitUntil'>

/** Returns undefined when nothing reads the request, or the Worker has recorded nothing. */
export function recordingOf(
  run: SessionRun,
  { client, deployment, waitUntil }: RecordedSession,
): Recording | undefined {
  const { recorder, env } = deployment
  const { recorded } = run.request
  if (recorder === undefined || recorded === undefined) return undefined
  if (run.recording === undefined) {
    run.recording = recorder.resume(recorded, env, waitUntil)
    if (run.recording === undefined) return undefined
    run.recording.read(run.request)
    run.recording.event.transport = client.claims.transport
  }
  const target = run.target instanceof ProtocolError ? undefined : run.target
  run.recording.identify(target, client.revision, client.forCall().info)
  return run.recording
}

const CANCELLED_BY: Readonly<Partial<Record<RunEvent['type'], CancelReason>>> = {
  cancel: 'cancelled-by-client',
  terminate: 'session-ended',
  renew: 'access-revoked',
  expire: 'timeout',
}

/** Reports the end of a run. A failure of the run itself has no answer of its handler. */
export function recordEnd(
  run: SessionRun,
  event: RunEvent,
  session: RecordedSession & Pick<SessionParts, 'codec'>,
): void {
  const recording = recordingOf(run, session)
  if (recording === undefined) return
  const reason = CANCELLED_BY[event.type]
  if (event.type === 'settle') {
    recording.event.bytesOut = utf8Length(replyOf(run.request.id, event.answer, session.codec).body)
    recording.settle(event.answer)
  } else if (reason !== undefined) recording.cancelled(reason)
  else recording.fail(ErrorCode.internalError)
  recording.finish(undefined)
}
