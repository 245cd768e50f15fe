/** Implements `ctx.upload`: asks the person to open a URL, and continues when a file was uploaded there. */

import type { Call } from '../../../dispatch/call.ts'
import type { HandlerRun } from '../../../dispatch/handler-run.ts'
import type { UploadRequest, UploadResult } from '../../../server/file.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { askAtPage, purposeOf, wakingSecret } from '../../asks/ask-at-page.ts'
import { answerTimeoutMs } from '../../asks/asks-options.ts'
import { operationsOf } from '../../asks/run-round.ts'
import { fileBounds, fileIdOf, recordOf } from './create-file.ts'
import { type FileId, type SentFile, sealUpload, UPLOADS_PATH } from './file-seals.ts'
import { checkTypes } from './media-types.ts'
import { CallFile, filesOf, findFile, lifetimeOf } from './stored-file.ts'

export interface KeyedUploadRequest extends UploadRequest {
  readonly key: string
  /** What the page says the file is for. Default: the message. */
  readonly reason?: string | undefined
}

/** The URL of an upload and what it stores. */
export interface UploadSlot extends FileId {
  readonly url: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/**
 * @throws {ToolError} `not-uploaded`
 * @throws {TypeError} for a malformed option
 */
export async function askForFile(
  run: HandlerRun,
  request: KeyedUploadRequest,
): Promise<UploadResult> {
  const { call } = run
  const steps = operationsOf(run)
  const { message, key, reason = message } = request
  const waitKey = `${key}-file`
  const timeoutMs = timeoutOf(call, request)
  const slot = await steps.run('upload', key, async (operation) => {
    const webhook = await wakingSecret(run, waitKey)
    return slotOf(run, { ...request, reason }, operation, timeoutMs, webhook)
  })
  const awaited = awaitedBy(run).add(slot)
  const close = () => steps.run('upload-closed', key, () => closeSlot(call, slot))
  const action = await askAtPage(run, {
    ...{ key, waitKey, message, url: slot.url, timeoutMs },
    again: 'The file has not arrived yet. Upload it at the URL, then continue.',
    isDone: async () => (await findFile(call, slot)) !== undefined,
    onCancelled: () => closeSlot(call, slot),
  })
  if (action !== 'accept') {
    await close()
    return { action }
  }
  const record = await steps.run('uploaded', key, async () => {
    const found = await findFile(call, slot)
    return found === undefined ? null : recordOf(call, slot.owner, found)
  })
  if (record === null) {
    await close()
    throw new ToolError('No file was uploaded in time. Call the tool again.', {
      reason: 'not-uploaded',
    })
  }
  awaited.delete(slot)
  return { action: 'accept', file: new CallFile(call, record) }
}

/** The URLs whose files a run awaits. */
const awaitedBy = (run: HandlerRun) => run.part(createAwaited)
const createAwaited = () => new Set<UploadSlot>()

/** Ends the URLs of a run that ends without their files. */
export async function closeUploads(run: HandlerRun): Promise<void> {
  await Promise.all([...awaitedBy(run)].map((slot) => closeSlot(run.call, slot)))
}

/** Ends the URL. One that cannot be closed expires. */
async function closeSlot(call: Call, { owner, id, expiresAt }: UploadSlot): Promise<null> {
  const files = filesOf(call).of(owner)
  await files.closeUpload(id, expiresAt).catch(() => undefined)
  return null
}

/** The file of a slot: any within these bounds, or the one that a call names. */
interface SlotRequest
  extends Pick<KeyedUploadRequest, 'maxBytes' | 'mimeTypes' | 'ttlMs' | 'reason'> {
  readonly sent?: SentFile
}

/** @param webhook the secret of the handler that waits; undefined for one that does not */
export async function slotOf(
  run: Pick<HandlerRun, 'call' | 'place'>,
  { maxBytes = Number.POSITIVE_INFINITY, mimeTypes, ttlMs, reason, sent }: SlotRequest,
  operation: string,
  timeoutMs: number,
  webhook: string | undefined,
): Promise<UploadSlot> {
  const { call } = run
  // Fails here without the binding, and not when the person has uploaded the file.
  const bounds = fileBounds(call, ttlMs)
  const { owner, id } = await fileIdOf(call, operation)
  const expiresAt = Date.now() + timeoutMs
  const { auth } = call.request
  const secret = await sealUpload(call, {
    owner,
    id,
    expiresAt,
    maxBytes: Math.min(maxBytes, bounds.maxBytes),
    mimeTypes,
    // The row of the file is what refuses a second one, so it outlives the URL.
    lifetimeMs: Math.max(bounds.lifetimeMs, timeoutMs),
    webhook,
    subject: auth?.subject,
    path: auth && new URL(auth.resource).pathname,
    about: purposeOf(run, reason),
    sent,
  })
  return { owner, id, expiresAt, url: `${call.request.origin()}${UPLOADS_PATH}/${secret}` }
}

/** @throws {TypeError} for a malformed option */
function timeoutOf(call: Call, request: UploadRequest): number {
  const { message, maxBytes, mimeTypes, timeoutMs } = request
  if (typeof message !== 'string') throw new TypeError('ctx.upload needs a message')
  if (maxBytes !== undefined && !(Number.isSafeInteger(maxBytes) && maxBytes > 0)) {
    throw new TypeError('ctx.upload: maxBytes must be an integer above 0')
  }
  checkTypes('ctx.upload: mimeTypes', mimeTypes)
  const answerMs = answerTimeoutMs(call.deployment)
  const ofTask = call.run.task && call.services.tasks()?.limits.ttlMs
  return Math.min(lifetimeOf(timeoutMs ?? answerMs), ofTask ?? answerMs)
}
