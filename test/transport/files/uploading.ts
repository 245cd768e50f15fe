/** Handlers that ask for a file, and what is sent to the URL of the ask. */
import type { UploadRequest } from '../../../src/features/files/index.ts'
import { clientOf } from '../../dispatch/files/storage.ts'
import type { FullContext } from '../../support/full-server.ts'
import { keepHandler } from '../../support/session-server.ts'
import type { TestApp } from '../../support/test-app.ts'

export const { app } = clientOf('bucket')
export const BY_URL = { elicitation: { url: {} } }
export const META = { 'io.modelcontextprotocol/clientCapabilities': BY_URL }
export const ACCEPT = { action: 'accept' }

export const receive = (request: Partial<UploadRequest>) => async (ctx: FullContext) => {
  const { action, file } = await ctx.upload({ message: 'Your list, please', ...request })
  if (file === undefined) return action
  const bytes = await file.bytes()
  return JSON.stringify([file.name, file.mimeType, file.size, bytes.at(-1), file.uri.length > 50])
}

/** A modern call that asks for a file: its URL, and the answer with which it continues. */
export async function askForFile(request: Partial<UploadRequest> = {}, work = receive(request)) {
  const script = keepHandler(work)
  const call = (round: object = {}) =>
    app.modern('tools/call', { name: 'plain', arguments: script, ...round }, { meta: META })
  const { body } = await call()
  const { inputRequests, requestState } = body.result
  const [[key, { method, params }]] = Object.entries(inputRequests) as [
    [string, { method: string; params: { mode: string; message: string; url: string } }],
  ]
  return {
    key,
    method,
    params,
    url: params.url,
    answer: (given: object = ACCEPT) => call({ requestState, inputResponses: { [key]: given } }),
  }
}

export const send = (url: string, init: RequestInit, to: TestApp = app) =>
  to.fetch(new Request(url, { method: 'PUT', ...init }))

export const formWith = (parts: string, boundary = 'bound') => ({
  method: 'POST',
  headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  body: parts.replaceAll('\n', '\r\n'),
})

export const FORM = `--bound
Content-Disposition: form-data; name="file"; filename="list.csv"
Content-Type: text/csv

a,b
c,d
--bound--
`
