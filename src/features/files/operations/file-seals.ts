/**
 * The texts that name a file: its URI, the secrets of its URLs, and the cursors of a text in pages. Each is a
 * seal, so a forged one is refused without a call of an object. A URI and a cursor are bound to the caller;
 * a program that has the secret of a URL may use it until it expires.
 */

import type { Call } from '../../../dispatch/call.ts'
import { bound } from '../../../feature/binding.ts'
import { openJson, type Sealer, sealJson } from '../../../ports/sealer.ts'
import type { PagePurpose } from '../../asks/ask-at-page.ts'
import { callerContext } from '../../state/state-handles.ts'

/** The paths below which files are downloaded and uploaded. */
export const FILES_PATH = '/files'
export const UPLOADS_PATH = '/uploads'

/** The scheme of the URIs of files. */
const URI_SCHEME = 'edgeway-file:'

/** Maximum length of a seal, in UTF-16 code units: ours are far shorter. */
const MAX_LENGTH = 4096

/** Where a file is. */
export interface FileId {
  /** The name of the state object. */
  readonly owner: string
  readonly id: string
}

/** Where a file is until a time in epoch milliseconds. */
interface UntilTime extends FileId {
  readonly expiresAt: number
}

/** What a URL to download a file allows. */
export interface Download extends UntilTime {
  /** The name that a download redeems; undefined for a URL that can be used again. */
  readonly once?: string
}

/** A file as the call says that its client sends it. */
export interface SentFile {
  readonly name: string
  readonly mimeType: string
  readonly size: number
  /** The digest in base64url. */
  readonly sha256: string
}

/** What a URL to upload a file allows. */
export interface Upload extends UntilTime {
  readonly maxBytes: number
  /** Undefined allows all. */
  readonly mimeTypes: readonly string[] | undefined
  /** Lifetime of the file in milliseconds. */
  readonly lifetimeMs: number
  /** The secret of the webhook that resumes the handler; undefined for a handler that does not wait. */
  readonly webhook: string | undefined
  /** Whose call asked for the file; undefined for an anonymous caller. */
  readonly subject: string | undefined
  /** The path of the endpoint that the caller used, for which its credentials are. Undefined as `subject`. */
  readonly path: string | undefined
  /** What the page says of the call. */
  readonly about: PagePurpose
  /** The only file that it accepts; undefined accepts any within the bounds. */
  readonly sent: SentFile | undefined
}

/** Where the file of an argument arrives, and until when its page accepts it. */
export interface FileHandle extends UntilTime {}

/** Where the next page of a text begins. */
export interface PageCursor extends FileId {
  /** In bytes. */
  readonly position: number
}

export const isFileUri = (uri: string): boolean => uri.startsWith(URI_SCHEME)

export async function sealFileUri(call: Call, { owner, id }: FileId): Promise<string> {
  const seal = await sealJson(sealerOf(call), 'file/1', { owner, id }, callerContext(call))
  return `${URI_SCHEME}${seal}`
}

/** Undefined for text that is no file of this caller. */
export async function openFileUri(call: Call, uri: string): Promise<FileId | undefined> {
  if (!isFileUri(uri)) return undefined
  const seal = uri.slice(URI_SCHEME.length)
  return openJson(sealerOf(call), 'file/1', seal, callerContext(call), MAX_LENGTH)
}

export function sealDownload(
  call: Call,
  { owner, id, expiresAt, once }: Download,
): Promise<string> {
  const content = { owner, id, expiresAt, once }
  const purpose = once === undefined ? 'file-url/1' : 'file-url/2'
  return sealJson(sealerOf(call), purpose, content, call.deployment.audience)
}

/** Undefined for text that is no secret of this deployment. It may have expired. */
export async function openDownload(
  sealer: Sealer,
  audience: string,
  secret: string,
): Promise<Download | undefined> {
  const open = (purpose: 'file-url/1' | 'file-url/2') =>
    openJson<Download>(sealer, purpose, secret, audience, MAX_LENGTH)
  return (await open('file-url/1')) ?? open('file-url/2')
}

export function sealUpload(call: Call, upload: Upload): Promise<string> {
  // An earlier version, which would accept any file, does not open the second form.
  const purpose = upload.sent === undefined ? 'upload/1' : 'upload/2'
  return sealJson(sealerOf(call), purpose, upload, call.deployment.audience)
}

/** Undefined for text that is no secret of this deployment. It may have expired. */
export async function openUpload(
  sealer: Sealer,
  audience: string,
  secret: string,
): Promise<Upload | undefined> {
  const open = (purpose: 'upload/1' | 'upload/2') =>
    openJson<Upload>(sealer, purpose, secret, audience, MAX_LENGTH)
  return (await open('upload/1')) ?? open('upload/2')
}

/** What a handle begins with: a model passes text of several kinds. */
const HANDLE_PREFIX = 'upload.'

export const isFileHandle = (text: string): boolean => text.startsWith(HANDLE_PREFIX)

/** @param argument of the tool that is called */
export async function sealHandle(
  call: Call,
  argument: string,
  { owner, id, expiresAt }: FileHandle,
): Promise<string> {
  const content = { owner, id, expiresAt }
  const seal = await sealJson(
    sealerOf(call),
    'file-handle/1',
    content,
    contextOfTool(call, argument),
  )
  return `${HANDLE_PREFIX}${seal}`
}

/** Undefined for text that is no handle of this caller, tool and argument. */
export function openHandle(
  call: Call,
  argument: string,
  handle: string,
): Promise<FileHandle | undefined> {
  const seal = handle.slice(HANDLE_PREFIX.length)
  const context = contextOfTool(call, argument)
  return openJson(sealerOf(call), 'file-handle/1', seal, context, MAX_LENGTH)
}

export function sealCursor(call: Call, cursor: PageCursor): Promise<string> {
  return sealJson(sealerOf(call), 'page-cursor/1', cursor, contextOfTool(call))
}

/** Undefined for text that is no cursor of this tool and caller. */
export async function openCursor(call: Call, cursor: unknown): Promise<PageCursor | undefined> {
  if (typeof cursor !== 'string') return undefined
  return openJson(sealerOf(call), 'page-cursor/1', cursor, contextOfTool(call), MAX_LENGTH)
}

function contextOfTool(call: Call, ...more: readonly string[]): string {
  const { method, params } = call.request
  const name = params?.name ?? params?.uri ?? null
  return JSON.stringify([callerContext(call), method, name, ...more])
}

const sealerOf = ({ services }: Call) =>
  bound(services.sealer(), 'Files need the binding MCP_OBJECTS or the secret EDGEWAY_SECRET')
