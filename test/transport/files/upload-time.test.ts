/** How long the URL of an upload can be used, and how long a call waits for its file. */
// features: sessions, files
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { advanceClock } from '../../support/clock.ts'
import type { FullContext } from '../../support/full-server.ts'
import { intercepting } from '../../support/objects.ts'
import { keepHandler } from '../../support/session-server.ts'
import { taskServer } from '../../support/task-server.ts'
import { openApp } from '../../support/test-app.ts'

const META = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } }

/** Calls a tool that runs `work`, and answers its questions. */
function serve(
  work: (ctx: FullContext) => Promise<string>,
  answerTimeoutMs: number | undefined,
  bindings: object = env,
) {
  const featureLimits = answerTimeoutMs === undefined ? {} : { asks: { answerTimeoutMs } }
  const app = openApp(taskServer, { featureLimits }, bindings as never)
  const script = keepHandler(work)
  const call = async (round: object = {}) => {
    const params = { name: 'plain', arguments: script, ...round }
    return (await app.modern('tools/call', params, { meta: META })).body.result
  }
  return { app, call }
}

const urlOf = (result: { inputRequests: object }): string => {
  const [asked] = Object.values<{ params: { url: string } }>({ ...result.inputRequests } as never)
  return asked?.params.url ?? ''
}

it('the URL of an upload ends with the request state, also when its tool asks for longer', async () => {
  const { app, call } = serve(
    async (ctx) =>
      (await ctx.upload({ message: 'Your list, please', timeoutMs: 86_400_000 })).action,
    300,
  )
  const url = urlOf(await call())
  await expect.poll(async () => (await app.fetch(new Request(url))).status).toBe(410)
})

it('the URL of an upload stores one file in its whole life, also when the file may expire before it', async () => {
  const { app, call } = serve(
    async (ctx) => (await ctx.upload({ message: 'Your list, please', ttlMs: 1000 })).action,
    undefined,
  )
  const url = urlOf(await call())
  const send = async (body: string) =>
    (await app.fetch(new Request(url, { method: 'PUT', body }))).status
  expect(await send('first')).toBe(201)
  advanceClock(60_000)
  expect(await send('second')).toBe(410)
})

it('a call that waits for a file that does not come asks five times, and ends with an error', async () => {
  // Each time that the call looks for the file, it has waited long enough to ask again.
  const bindings = intercepting({ ...env }, 'state', {
    call: (method, _, next) => (method === 'findFile' ? advanceClock(30_000) : next()),
  })
  const { call } = serve(
    async (ctx) => (await ctx.upload({ message: 'Your list, please' })).action,
    86_400_000,
    bindings,
  )
  const urls: string[] = []
  let result = await call()
  while (result.inputRequests !== undefined && urls.length < 20) {
    urls.push(urlOf(result))
    const [key = ''] = Object.keys(result.inputRequests)
    const { requestState } = result
    result = await call({ requestState, inputResponses: { [key]: { action: 'accept' } } })
  }
  expect([urls.length, new Set(urls).size]).toEqual([5, 1])
  expect([result.isError, result.content?.[0]?.text]).toEqual([
    true,
    'No file was uploaded in time. Call the tool again.',
  ])
})
