/** The files that a test passes to tools, by the way that the client has: at the page of an ask, or at that of a ticket. */

import type { Meta } from '../../../src/protocol/content.ts'
import { UPLOAD, UPLOADS_META } from '../../../src/protocol/file-arguments.ts'
import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts'
import { McpError } from '../../client/src/mcp-error.ts'
import type { ReceivedAsk } from './asks.ts'
import type { Fetch } from './post-channel.ts'

/** The files of a call, by the names of their arguments. */
export type FilesOfCall = Readonly<Record<string, File>>

export class Uploads {
  readonly #send: Fetch
  /** The files of the calls that run. */
  readonly #open = new Set<FilesOfCall>()

  constructor(send: Fetch) {
    this.#send = send
  }

  /**
   * Calls a tool with files.
   *
   * @param call sends the call with these arguments for the files
   */
  async callWith<Result extends { readonly _meta?: Meta }>(
    files: FilesOfCall,
    call: (args: object) => Promise<Result>,
  ): Promise<Result> {
    this.#open.add(files)
    try {
      const args = Object.fromEntries(Object.keys(files).map((name) => [name, UPLOAD]))
      const result = await call(args)
      const handles = await this.#redeem(files, result._meta?.[UPLOADS_META])
      return handles === undefined ? result : await call({ ...args, ...handles })
    } finally {
      this.#open.delete(files)
    }
  }

  /** Uploads the file of an ask to open a URL. Undefined for an ask that is for no file of a call. */
  async answer({ method, params }: ReceivedAsk): Promise<JsonObject | undefined> {
    const { mode, url, message } = params
    if (method !== 'elicitation/create' || mode !== 'url' || typeof url !== 'string')
      return undefined
    const [, name = ''] = /^Upload the file for "(\w+)"/.exec(String(message)) ?? []
    for (const files of this.#open) {
      const { [name]: file } = files
      if (file === undefined) continue
      await this.#upload(url, file)
      return { action: 'accept' }
    }
    return undefined
  }

  /** Uploads the files of tickets. Returns their handles; undefined for a result without tickets. */
  async #redeem(files: FilesOfCall, tickets: unknown): Promise<object | undefined> {
    if (!Array.isArray(tickets)) return undefined
    const handles: Record<string, unknown> = {}
    for (const ticket of tickets.filter(isJsonObject)) {
      const { argument, page, handle } = ticket
      const { [String(argument)]: file } = files
      if (file === undefined) return undefined
      await this.#upload(String(page), file)
      handles[String(argument)] = handle
    }
    return handles
  }

  /** @throws {McpError} when the page refuses the file */
  async #upload(page: string, file: File): Promise<void> {
    const url = new URL(page)
    url.searchParams.set('name', file.name)
    const headers = { 'content-type': file.type === '' ? 'application/octet-stream' : file.type }
    const request = new Request(url, { method: 'PUT', body: await file.arrayBuffer(), headers })
    const response = await this.#send(request)
    const text = await response.text()
    if (response.status === 201) return
    throw new McpError(`The upload of ${file.name} was refused: ${text}`, {
      status: response.status,
    })
  }
}
