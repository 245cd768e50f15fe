/** A file that a handler has stored or received: a resource link with the means to read it. */

import type { Call } from '../../../dispatch/call.ts'
import { bound } from '../../../feature/binding.ts'
import { encodeBase64 } from '../../../platform/base64.ts'
import type { FileInfo, FoundFile } from '../../../ports/files.ts'
import type { ContentBlock, ResourceLink } from '../../../protocol/content.ts'
import { essenceOf } from '../../../protocol/file-name.ts'
import { defined } from '../../../server/define/checks.ts'
import type { FileContentOptions, FileUrlOptions, StoredFile } from '../../../server/file.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { FILES_PATH, type FileId, sealDownload } from './file-seals.ts'
import { isText, textOf } from './media-types.ts'

/** Lifetime of a URL whose caller names none. */
const DEFAULT_URL_TTL_MS = 15 * 60 * 1000

/** Largest file in a result: about a third more as base64. Hosted clients refuse larger images. */
const MAX_EMBEDDED_BYTES = 1024 * 1024

/** Images that the models of all clients read. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

const FORMS: readonly unknown[] = [undefined, 'link', 'embedded', 'url']

/** What the journal keeps of a file. */
export interface FileRecord extends FileId, FileInfo {
  readonly uri: string
}

/** How people and the model see the link. */
export type LinkFields = Pick<ResourceLink, 'title' | 'description' | 'annotations' | '_meta'>

/** Its own members are those of a resource link, so that it is sent as one. */
export class CallFile implements StoredFile {
  readonly type = 'resource_link'
  readonly uri: string
  readonly name: string
  readonly mimeType: string
  readonly size: number
  readonly #call: Call
  readonly #record: FileRecord

  constructor(
    call: Call,
    record: FileRecord,
    { title, description, annotations, _meta }: LinkFields = {},
  ) {
    this.uri = record.uri
    this.name = record.name
    this.mimeType = record.mimeType
    this.size = record.size
    Object.assign(this, defined({ title, description, annotations, _meta }))
    this.#call = call
    this.#record = record
  }

  get expiresAt(): number {
    return this.#record.expiresAt
  }

  async url({ ttlMs = DEFAULT_URL_TTL_MS }: FileUrlOptions = {}): Promise<string> {
    const { owner, id } = this.#record
    const expiresAt = Math.min(Date.now() + lifetimeOf(ttlMs), this.expiresAt)
    const secret = await sealDownload(this.#call, { owner, id, expiresAt })
    return `${this.#call.request.origin()}${FILES_PATH}/${secret}`
  }

  async stream(): Promise<ReadableStream<Uint8Array>> {
    const found = await findFile(this.#call, this.#record)
    const stream = await found?.read()
    if (stream === undefined) {
      throw new ToolError(`The file ${this.name} does not exist any more.`, { reason: 'expired' })
    }
    return stream
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await new Response(await this.stream()).arrayBuffer())
  }

  async text(): Promise<string> {
    return new Response(await this.stream()).text()
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return new Response(await this.stream()).arrayBuffer()
  }

  async sha256(): Promise<string> {
    const digest = new crypto.DigestStream('SHA-256')
    await (await this.stream()).pipeTo(digest)
    return new Uint8Array(await digest.digest).toHex()
  }

  async content({ as, ttlMs }: FileContentOptions = {}): Promise<readonly ContentBlock[]> {
    if (!FORMS.includes(as)) {
      throw new TypeError('file.content: as must be "link", "embedded" or "url"')
    }
    if (as === 'link') return [this]
    const isEmbedded = as === 'embedded' || (as === undefined && this.#isImage)
    const embedded =
      isEmbedded && this.size <= MAX_EMBEDDED_BYTES ? [await this.#embedded()] : undefined
    if (as === 'embedded' && embedded !== undefined) return embedded
    const url = await this.url(ttlMs === undefined ? {} : { ttlMs })
    const text = `${this.name} (${this.mimeType}, ${this.size} bytes): ${url}`
    // Some clients show the model text alone, so the URL is text beside the link too.
    const urlText = { type: 'text', text } as const
    return as === 'url' ? [urlText] : [...(embedded ?? []), this, urlText]
  }

  /** Models refuse an image without bytes. */
  get #isImage(): boolean {
    return this.size > 0 && IMAGES.includes(essenceOf(this.mimeType))
  }

  async #embedded(): Promise<ContentBlock> {
    const { uri, mimeType } = this
    const bytes = await this.bytes()
    if (this.#isImage) {
      // A type with parameters is none that models know.
      return { type: 'image', data: encodeBase64(bytes), mimeType: essenceOf(mimeType) }
    }
    const text = isText(mimeType) ? textOf(bytes) : undefined
    const resource =
      text === undefined ? { uri, mimeType, blob: encodeBase64(bytes) } : { uri, mimeType, text }
    return { type: 'resource', resource }
  }
}

export function findFile(call: Call, { owner, id }: FileId): Promise<FoundFile | undefined> {
  return filesOf(call).of(owner).find(id)
}

/** @throws {TypeError} without the binding */
export const filesOf = ({ services }: Call) =>
  bound(services.files(), 'Files need the binding MCP_OBJECTS')

/** @throws {TypeError} for a malformed time */
export function lifetimeOf(ttlMs: unknown): number {
  if (!(typeof ttlMs === 'number' && ttlMs > 0)) {
    throw new TypeError('ttlMs must be a number of milliseconds above 0')
  }
  return Math.ceil(Math.min(ttlMs, Number.MAX_SAFE_INTEGER / 2))
}
