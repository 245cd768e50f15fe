/** Calls of tools that take files. */
import { expect } from 'vitest'
import { sha256 } from '../../../src/platform/digest.ts'
import type { TestApp } from '../../support/test-app.ts'
import { clientOf } from './storage.ts'

export const { app } = clientOf('bucket')

export interface Caller {
  readonly capabilities?: object
  readonly to?: TestApp
  readonly subject?: string
}

/** A modern call; `round` has the answers of its asks. */
export async function call(
  name: string,
  args: object,
  { capabilities = {}, to = app, subject }: Caller = {},
  round: object = {},
) {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities }
  const headers = { authorization: subject === undefined ? null : `Bearer ${subject}` }
  const { body } = await to.modern(
    'tools/call',
    { name, arguments: args, ...round },
    { meta, headers },
  )
  return body.result ?? body.error
}

export const take = (data: unknown, caller?: Caller) => call('take', { note: 'n', data }, caller)

export const takeImage = async (image: unknown, caller?: Caller) => {
  const { content, isError = false } = await call('take_image', { image }, caller)
  return [isError, content[0].text]
}

export const BYTES = new TextEncoder().encode('a,b\n1,2\n')
export const DIGEST = async (bytes = BYTES) => (await sha256(bytes)).toHex()
export const taken = async (name = 'list.csv', mimeType = 'text/csv', bytes = BYTES) =>
  JSON.stringify([name, mimeType, bytes.byteLength, await DIGEST(bytes), 'n'])

export const DATA_URI = `data:text/csv;name=list.csv;base64,${BYTES.toBase64()}`
export const REFERENCE = {
  download_url: 'https://files.example.com/f/123?sig=a%20b',
  file_id: 'file_1',
  mime_type: 'text/csv',
  file_name: 'list.csv',
}
export const put = (url: string, init: RequestInit, to: TestApp = app) =>
  to.fetch(new Request(url, { method: 'PUT', ...init }))
export const CSV = { body: BYTES, headers: { 'content-type': 'text/csv' } }

/** A call that ends with a ticket. */
export async function ticketOf(caller?: Caller, tool = 'take', argument = 'data') {
  const result = await call(
    tool,
    tool === 'take' ? { note: 'n' } : { [argument]: 'upload' },
    caller,
  )
  const [upload] = result._meta['dev.edgeway/uploads']
  expect(upload.argument).toBe(argument)
  return { result, ...upload } as {
    // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
    readonly result: any
    readonly page: string
    readonly handle: string
    readonly expiresAt: number
  }
}

export const BY_URL = { elicitation: { url: {} } }

/** The page of the URL that a call asks to open, and the call after the answer. */
export async function askedBy(caller: Caller) {
  const first = await call('take', { note: 'n' }, caller)
  const [[key, { params }]] = Object.entries(first.inputRequests) as [
    [string, { params: { url: string; message: string } }],
  ]
  return {
    key,
    params,
    answer: (action = 'accept') =>
      call('take', { note: 'n' }, caller, {
        requestState: first.requestState,
        inputResponses: { [key]: { action } },
      }),
  }
}
