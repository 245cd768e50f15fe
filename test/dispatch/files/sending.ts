/** A client of `io.modelcontextprotocol/files`, which reads answers as strictly as Claude Code 2.1.332 does. */
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { search } from '../../../packages/code/src/search/index.ts'
import { sha256Base64Url } from '../../../src/platform/digest.ts'
import { AUTHORIZED_AUDIENCE, taskServer } from '../../support/task-server.ts'
import { openApp, type TestApp } from '../../support/test-app.ts'
import { trusting } from '../../support/trusting.ts'
import { type Caller, call } from './taking.ts'

export const FILES = 'io.modelcontextprotocol/files'
export const SENDS = { extensions: { [FILES]: { upload: {} } } }
export const SAVES = { extensions: { [FILES]: { download: {} } } }

const OPTIONS = {
  limits: { streamAfterMs: 2000 },
  featureLimits: { files: { bytes: 40_000_000, experimental: true } },
}

/** An app with the extension for other tools. */
export const openExtended = (server = taskServer) => openApp(server, OPTIONS, env)
export const extended = openExtended()
export const searched = openApp(taskServer, { ...OPTIONS, search: search() }, env)
export const authorized = openApp(
  taskServer,
  { ...OPTIONS, audience: AUTHORIZED_AUDIENCE, auth: trusting('https://tasks.example.com') },
  env,
)

export const SENT = new TextEncoder().encode('a,b\n1,2\n')

/** The argument for a file. */
export const sent = async (bytes = SENT, more: object = {}) => ({
  id: 'file-1',
  name: 'list.csv',
  mimeType: 'text/csv',
  size: bytes.byteLength,
  digest: { algorithm: 'sha-256', value: await sha256Base64Url(bytes) },
  ...more,
})

const MEMBERS = ['fileId', 'url', 'method', 'credentials', 'expiresAt']
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

export interface Asked {
  readonly requestState: string
  /** The addresses, by the ids of the files. */
  readonly urls: Readonly<Record<string, string>>
}

/** The targets of an answer, one for each of the files. */
export function asked(
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
  answer: any,
  ids: readonly string[] = ['file-1'],
): Asked {
  expect(Object.keys(answer).sort()).toEqual(['_meta', 'requestState', 'resultType', 'uploads'])
  expect(answer).toMatchObject({ resultType: 'upload_required', requestState: expect.any(String) })
  const targets = answer.uploads as Record<string, string>[]
  expect(targets.map(({ fileId }) => fileId)).toEqual(ids)
  for (const target of targets) {
    expect(Object.keys(target)).toEqual(MEMBERS)
    expect(target).toMatchObject({ method: 'PUT', credentials: 'omit' })
    expect(target.url?.length).toBeLessThanOrEqual(4096)
    expect(target.expiresAt).toMatch(RFC_3339)
  }
  const urls = Object.fromEntries(targets.map(({ fileId = '', url = '' }) => [fileId, url]))
  return { requestState: answer.requestState, urls }
}

/** Sends bytes as the client does: without a type and a name. */
export async function send(
  url: string | undefined,
  bytes: BodyInit = SENT,
  to: TestApp = extended,
) {
  const response = await to.fetch(new Request(url ?? '', { method: 'PUT', body: bytes }))
  const { error, message } = (await response.json()) as Record<string, string>
  return [response.status, error ?? message] as const
}

/** A call of `take`, and the same with its state. */
export async function begin(caller: Caller = {}, more: object = {}) {
  const args = { note: 'n', data: await sent(), ...more }
  const by = { capabilities: SENDS, to: extended, ...caller }
  const first = asked(await call('take', args, by))
  const { requestState } = first
  const again = (other: Caller & { readonly args?: object } = {}) =>
    call('take', { ...args, ...other.args }, { ...by, ...other }, { requestState })
  return { url: first.urls['file-1'], requestState, again }
}
