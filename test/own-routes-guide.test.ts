/** The webhook of the guide of features, as readers copy it. */
import { createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const SECRET = 'of the bank'
const EVENT = { id: '1', subject: 'ada', cents: 500, text: 'Tea' }
const BODY = JSON.stringify(EVENT)

type ReadSigned = (request: Request, secret: string) => Promise<unknown>

// Inside the project, so that modules resolve. Git ignores node_modules.
const PLACE = join(ROOT, 'node_modules/.edgeway-guide')
let folder: string
let readSigned: ReadSigned

beforeAll(async () => {
  const guide = readFileSync(join(ROOT, 'docs/guides/features.md'), 'utf8')
  const [, source = ''] = /^```ts\n(\/\/ signed-webhook\.ts\n[\s\S]*?)^```$/m.exec(guide) ?? []
  mkdirSync(PLACE, { recursive: true })
  folder = mkdtempSync(join(PLACE, 'run-'))
  const file = join(folder, 'signed-webhook.mjs')
  writeFileSync(file, (await transform(source, { loader: 'ts', target: 'es2022' })).code)
  ;({ readSigned } = await import(pathToFileURL(file).href))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const now = () => Math.floor(Date.now() / 1000)

function delivery({ body = BODY, signed = BODY, secret = SECRET, time = now() } = {}): Request {
  const signature = createHmac('sha256', secret).update(`${time}.${signed}`).digest('hex')
  return new Request('https://server.example/hooks/bank', {
    method: 'POST',
    headers: {
      'content-length': String(body.length),
      'x-bank-signature': signature,
      'x-bank-time': String(time),
    },
    body,
  })
}

describe('the signed webhook of the guide', () => {
  it('returns the event of a delivery that the service has signed', async () => {
    expect(await readSigned(delivery(), SECRET)).toEqual(EVENT)
  })

  it.each([
    ['another body than the signed one', { body: `${BODY} ` }],
    ['the signature of another secret', { secret: 'guessed' }],
    ['a signature of an hour ago', { time: now() - 3600 }],
    ['a body above the limit', { body: 'x'.repeat(70_000), signed: 'x'.repeat(70_000) }],
  ])('refuses %s', async (_, wrong) => {
    expect(await readSigned(delivery(wrong), SECRET)).toBeUndefined()
  })
})
