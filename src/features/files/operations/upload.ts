/**
 * Implements `ctx.upload`: asks the person to open a URL, and continues when a file was uploaded there. A
 * task and a call of a session are suspended until then; any other call waits for a while and asks again.
 */

import type { Call } from '../../../dispatch/call.ts'
import type { HandlerRun } from '../../../dispatch/handler-run.ts'
import { untrustedText } from '../../../pages/untrusted-text.ts'
import { delay } from '../../../platform/deadline.ts'
import type { FoundFile } from '../../../ports/files.ts'
import type { UploadRequest, UploadResult } from '../../../server/file.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { answerTimeoutMs } from '../../asks/asks-options.ts'
import { openUrl } from '../../asks/journal/elicitation.ts'
import { checkedWait } from '../../asks/journal/event.ts'
import type { Round } from '../../asks/journal/round.ts'
import { operationsOf, roundOf } from '../../asks/run-round.ts'
import { fileBounds, fileIdOf, recordOf } from './create-file.ts'
import {
  type FileId,
  type SentFile,
  sealUpload,
  UPLOADS_PATH,
  type UploadPurpose,
} from './file-seals.ts'
import { checkTypes } from './media-types.ts'
import { CallFile, filesOf, findFile, lifetimeOf } from './stored-file.ts'

/** How long a call that cannot be suspended waits for the file before it asks again. */
const WAIT_MS = 25_000

const POLL_MS = 500

/** How often such a call asks. */
const MAX_ROUNDS = 5

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
  const asks = roundOf(run)
  const { message, key, reason = message } = request
  const isWaiting = call.run.canWait && call.run.webhookUrl !== undefined
  const waitKey = `${key}-file`
  const timeoutMs = timeoutOf(call, request)
  const slot = await steps.run('upload', key, async (operation) => {
    const webhook = isWaiting ? await asks.webhook(waitKey) : undefined
    return slotOf(run, { ...request, reason }, operation, timeoutMs, webhook)
  })
  const awaited = awaitedBy(run).add(slot)
  const close = () => steps.run('upload-closed', key, () => closeSlot(call, slot))
  const first = await asks.ask(key, openUrl(message, slot.url))
  if (first.action !== 'accept') {
    await close()
    return { action: first.action }
  }
  if (isWaiting) {
    const { wait, read } = checkedWait({ timeoutMs }, undefined)
    // A wait that has ended without an event finds no file, below.
    await asks.event(waitKey, wait, read).catch(ignoreTimeout)
  } else {
    const again = await untilUploaded(run, asks, request, slot)
    if (again !== 'accept') {
      await close()
      return { action: again }
    }
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

/** Waits for the file and asks again for it. Returns what the person did last. */
async function untilUploaded(
  run: HandlerRun,
  asks: Round,
  { key, message }: KeyedUploadRequest,
  slot: UploadSlot,
): Promise<'accept' | 'decline' | 'cancel'> {
  for (let round = 2; ; round++) {
    const again = `${key}-${round}`
    // A round that was answered has waited already.
    const isPast = asks.isAnswered(again)
    if (!isPast && (await poll(run, slot)) !== undefined) return 'accept'
    if (round > MAX_ROUNDS) return 'accept'
    const question = `${message}\n\nThe file has not arrived yet. Upload it at the URL, then continue.`
    const { action } = await asks.ask(again, openUrl(question, slot.url))
    if (action !== 'accept') return action
  }
}

async function poll(run: HandlerRun, slot: UploadSlot): Promise<FoundFile | undefined> {
  const { call } = run
  const { cancellation } = call.run
  const { signal } = cancellation
  const end = Date.now() + WAIT_MS
  for (;;) {
    const found = await findFile(call, slot)
    if (signal.aborted && !cancellation.mayRepeat) await closeSlot(call, slot)
    const isEnded = signal.aborted || run.isClosed || Date.now() + POLL_MS > end
    if (found !== undefined || isEnded) return found
    await delay(POLL_MS)
  }
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

/** @param webhook that of the handler that waits; undefined for one that does not */
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
    webhook: webhook?.slice(webhook.lastIndexOf('/') + 1),
    subject: auth?.subject,
    path: auth && new URL(auth.resource).pathname,
    about: purposeOf(run, reason),
    sent,
  })
  return { owner, id, expiresAt, url: `${call.request.origin()}${UPLOADS_PATH}/${secret}` }
}

/** In code points. The text is in the URL, which a model may have to repeat. */
const MAX_NAME = 60
const MAX_REASON = 200

function purposeOf(
  { call, place }: Pick<HandlerRun, 'call' | 'place'>,
  reason: string | undefined,
): UploadPurpose {
  const { client, request } = call
  const name = request.method === 'tools/call' ? request.params?.name : undefined
  const tool = typeof name === 'string' ? place.definition?.tools.get(name)?.info : undefined
  const title = tool && (tool.title ?? tool.annotations?.title ?? tool.name)
  const app = client.info?.title ?? client.info?.name
  const cut = (text: string | undefined, most: number) => text && untrustedText(text, most)
  return { tool: cut(title, MAX_NAME), app: cut(app, MAX_NAME), reason: cut(reason, MAX_REASON) }
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

function ignoreTimeout(error: unknown): void {
  if (!(error instanceof ToolError)) throw error
}
