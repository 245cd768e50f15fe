/**
 * `/uploads/<secret>`: receives a file for a handler that waits for it, once. `GET` shows a form; the form
 * is sent as `multipart/form-data`, and a program may send the bytes alone with `PUT` or `POST`. The secret
 * names what may be uploaded, so a forged one is refused without a call of an object.
 */

import type { FileStored } from '../../../ports/files.ts'
import type { Services } from '../../../ports/services.ts'
import { essenceOf, safeFileName } from '../../../protocol/file-name.ts'
import { isCausedByOtherSite } from '../../../security/origin.ts'
import { drain, drainReader } from '../../../transport/body/drain.ts'
import type { PagePurpose } from '../../asks/ask-at-page.ts'
import { overLimit, textAnswer } from '../../asks/secret-routes.ts'
import { deliverWebhook, isWebhookAwaited } from '../../asks/serve-webhook.ts'
import { openUpload, type Upload } from '../operations/file-seals.ts'
import { sizeWords, typeWords } from '../operations/file-words.ts'
import { acceptsType, fileType } from '../operations/media-types.ts'
import { checkedBytes, OTHER_BYTES_ERROR } from './checked-bytes.ts'
import { boundaryOf, type FormFile, incompleteBody, readFormFile } from './multipart-file.ts'

/** What the page shows. */
export interface UploadView {
  readonly status: number
  readonly title: string
  /** Why the last attempt was refused, or what has happened; empty for neither. */
  readonly message: string
  /** The bounds of the file; undefined where nothing can be uploaded any more. */
  readonly upload: Pick<Upload, 'maxBytes' | 'mimeTypes'> | undefined
  /** Who asks for the file, and what for; undefined where the URL does not say it. */
  readonly about: PagePurpose | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
}

export interface UploadOptions {
  /** The subject that sends the request; undefined for one without credentials. */
  readonly visitor: (upload: Upload) => Promise<string | undefined>
  readonly page: (view: UploadView) => Response
  readonly audience: string
}

/** How a request ends. `again`: the URL can still be used. */
interface Outcome {
  readonly status: number
  readonly message: string
  /** In the words of people, for the page. Default: the message. */
  readonly onPage?: string
  readonly again?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

const UNKNOWN: Outcome = { status: 404, message: 'There is no such upload' }
const EXPIRED: Outcome = {
  status: 410,
  message: 'The time to upload has ended',
  onPage: 'The time to upload has ended. Ask your assistant again, and it gives you a new page.',
}
const CLOSED: Outcome = {
  status: 410,
  message: 'The call that asked for this file does not wait for it any more',
  onPage:
    'Your assistant does not wait for this file any more. Ask it again, and it gives you a new page.',
}
const FOREIGN: Outcome = {
  status: 403,
  message: 'This page is for another person: the one whose assistant asked for the file',
}
const USED: Outcome = { status: 410, message: 'A file was uploaded here before' }
const OTHER_SITE: Outcome = {
  status: 403,
  message: 'This file was sent by a page of another site. Choose the file here.',
  again: true,
}
const NO_FILE: Outcome = { status: 400, message: 'Choose a file', again: true }
const INCOMPLETE: Outcome = {
  status: 400,
  message: 'The file did not arrive as a whole. Upload it again.',
  again: true,
}

const OTHER_BYTES: Outcome = {
  status: 400,
  message:
    'These are not the bytes of the file: their number or digest differs from that of the call',
  again: true,
}

/** What a program does next that sends the file of a call. */
function nextOf(outcome: Outcome): string {
  if (outcome === USED || outcome.status < 300) return 'Make the call again with its requestState.'
  return outcome.again
    ? 'Send the bytes that the call describes to this address again.'
    : 'Make the call again without requestState, for a new address.'
}

export async function serveUpload(
  request: Request,
  secret: string,
  services: Services,
  options: UploadOptions,
): Promise<Response> {
  const { method, headers } = request
  const sealer = services.sealer()
  const limited = await overLimit(services, headers)
  const upload =
    limited === undefined && sealer !== undefined
      ? await openUpload(sealer, options.audience, secret)
      : undefined
  const outcome =
    limited === undefined
      ? await respondTo(request, upload, services, options)
      : { status: 429, message: 'Too many requests', headers: { 'retry-after': limited } }
  const isForm = boundaryOf(headers.get('content-type') ?? '') !== undefined
  const isPage = isForm || method === 'GET' || method === 'HEAD'
  if (!isPage) {
    const { status, message, headers: more } = outcome
    const next = upload?.sent && `${message.replace(/\.$/, '')}. ${nextOf(outcome)}`
    return textAnswer(request, status, next ?? message, more)
  }
  await drain(request)
  const { status, message, onPage = message, again = false } = outcome
  const page = options.page({
    status,
    title: again ? 'Upload a file' : status < 300 ? 'Thank you' : 'Not uploaded',
    message: onPage,
    upload: again ? upload : undefined,
    about: again ? upload?.about : undefined,
    headers: outcome.headers,
  })
  return method === 'HEAD' ? new Response(null, page) : page
}

async function respondTo(
  request: Request,
  upload: Upload | undefined,
  services: Services,
  { audience, visitor }: UploadOptions,
): Promise<Outcome> {
  const { method, headers, body } = request
  if (!['GET', 'HEAD', 'POST', 'PUT'].includes(method)) {
    const allow = { allow: 'GET, HEAD, POST, PUT' }
    return { status: 405, message: 'Send the file with POST or PUT', headers: allow }
  }
  const store = services.files()
  if (upload === undefined || store === undefined) return UNKNOWN
  const files = store.of(upload.owner)
  if (upload.expiresAt <= Date.now()) return EXPIRED
  if (upload.subject !== undefined) {
    // A browser without a sign-in, and a program without credentials, have the secret of the address alone.
    const subject = await visitor(upload)
    if (subject !== undefined && subject !== upload.subject) return FOREIGN
  }
  const state = await files.uploadState(upload.id)
  if (state === 'used') {
    // The handler may not have been reached when the file was stored.
    await resume(services, audience, upload)
    return USED
  }
  if (state === 'closed' || !(await isAwaited(services, audience, upload))) return CLOSED
  if (method === 'GET' || method === 'HEAD') return { status: 200, message: '', again: true }
  if (isOfOtherSite(request)) return OTHER_SITE
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.trim().toLowerCase() !== 'identity') {
    return { status: 415, message: 'Send the file without Content-Encoding', again: true }
  }
  if (headers.has('content-range')) {
    // A server without partial PUT must not store a part as the whole (RFC 9110 §14.5).
    return { status: 400, message: 'Send the whole file, without Content-Range', again: true }
  }
  if (method === 'POST' && isEmpty(request)) return NO_FILE
  const reader = (body ?? new Blob([]).stream()).getReader()
  try {
    const whole = uncancelled(reader)
    const { sent } = upload
    const file =
      sent === undefined
        ? await fileOf(request, whole)
        : { ...sent, bytes: checkedBytes(whole, sent) }
    if (file === undefined) return NO_FILE
    const name = safeFileName(file.name)
    const mimeType = fileType(file.mimeType, name)
    const refused = refuseFile({ name, mimeType }, upload, headers)
    if (refused !== undefined) return refused
    const stored = await files.store(
      {
        id: upload.id,
        name,
        mimeType,
        lifetimeMs: upload.lifetimeMs,
        maxBytes: upload.maxBytes,
        maxFiles: store.limits.perPrincipal,
        maxTotalBytes: store.limits.bytesPerPrincipal,
      },
      file.bytes,
    )
    if (stored.kind === 'stored') await resume(services, audience, upload)
    return outcomeOf(stored, name, upload)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'DataError') return INCOMPLETE
    if (error instanceof DOMException && error.name === OTHER_BYTES_ERROR) return OTHER_BYTES
    throw error
  } finally {
    // The client reads the answer when it has sent everything.
    await drainReader(reader)
  }
}

/** Our page has the origin `null` in its own form, because it sends no referrer; a program has none. */
function isOfOtherSite({ url, headers }: Request): boolean {
  const origin = headers.get('origin') ?? 'null'
  return (origin !== 'null' && origin !== new URL(url).origin) || isCausedByOtherSite(headers)
}

/** The platform gives a request without a body an empty one. With `PUT`, no bytes are an empty file. */
function isEmpty({ body, headers }: Request): boolean {
  return body === null || headers.get('content-length') === '0'
}

/** The file of a form, or the whole body. */
async function fileOf(
  { headers, url }: Request,
  body: ReadableStream<Uint8Array>,
): Promise<FormFile | undefined> {
  const mimeType = headers.get('content-type') ?? ''
  const boundary = boundaryOf(mimeType)
  if (boundary !== undefined) return readFormFile(body, boundary)
  if (essenceOf(mimeType) === 'multipart/form-data') {
    throw incompleteBody('The form has no boundary')
  }
  const name = new URL(url).searchParams.get('name') ?? ''
  return { name, mimeType, bytes: body }
}

function refuseFile(
  { name, mimeType }: Pick<FormFile, 'name' | 'mimeType'>,
  { mimeTypes, maxBytes }: Upload,
  headers: Headers,
): Outcome | undefined {
  if (!acceptsType(mimeTypes, mimeType)) {
    const message = `The type of the file must be ${mimeTypes?.join(' or ')}`
    const onPage = `“${name}” cannot be used here. Choose a file of the type ${typeWords(mimeTypes ?? [])}.`
    return { status: 415, message, onPage, again: true }
  }
  // A form has other bytes besides those of its file.
  const isBody = boundaryOf(headers.get('content-type') ?? '') === undefined
  if (isBody && Number(headers.get('content-length') ?? 0) > maxBytes) return tooLarge(maxBytes)
  return undefined
}

function outcomeOf(stored: FileStored, name: string, { about }: Upload): Outcome {
  switch (stored.kind) {
    case 'stored':
      return {
        status: 201,
        message: 'The file was received. You can close this page.',
        onPage: `“${name}” was received. Close this page and go back to ${about?.app ?? 'your assistant'}.`,
      }
    case 'existing':
      return USED
    case 'too-large':
      return tooLarge(stored.limit)
    case 'no-space':
    case 'too-many':
      return {
        status: 507,
        message:
          'There are too many files, or too many uploads that broke off. Try again in a minute, or when a file has expired.',
        again: true,
      }
  }
}

function tooLarge(limit: number): Outcome {
  return {
    status: 413,
    message: `The file must have at most ${limit} bytes`,
    onPage: `This file is too large. Choose one of at most ${sizeWords(limit)}.`,
    again: true,
  }
}

/**
 * Whether the handler that waits for the file still runs. An object that does not answer is no reason to
 * refuse a file: the handler looks for it at the end of its wait.
 */
async function isAwaited(
  services: Services,
  audience: string,
  { webhook }: Upload,
): Promise<boolean> {
  if (webhook === undefined) return true
  return isWebhookAwaited(services, audience, webhook).catch(() => true)
}

/** Resumes the handler, if it was suspended. One that cannot be reached looks for the file at the end of its wait. */
async function resume(services: Services, audience: string, { webhook }: Upload): Promise<void> {
  if (webhook === undefined) return
  await deliverWebhook(services, audience, webhook, true).catch(() => undefined)
}

/** The bytes of a body. Says when it has broken off, and leaves the rest of one that is not read to its reader. */
function uncancelled(reader: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read().catch(() => {
          throw incompleteBody('The body broke off')
        })
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}
