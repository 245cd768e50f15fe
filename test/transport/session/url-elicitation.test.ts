// features: changes
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { UrlElicitationRequiredError } from '../../../src/index.ts'
import { createFullEdgeway } from '../../support/full-app.ts'
import { openSession, openSessionApp, textOf } from '../../support/session-client.ts'
import { type Handler, keepHandler, sessionServer } from '../../support/session-server.ts'
import { verifies } from '../../support/verifies.ts'

const { elicitationComplete } = createFullEdgeway(sessionServer, {}).notify(env)

const complete = (elicitationId: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/elicitation/complete',
  params: { elicitationId },
})

/** Opens a session with a standalone stream. */
async function opened(introduction?: Parameters<typeof openSession>[0]) {
  const session = await openSession(introduction)
  const stream = await session.listen()
  expect(await stream.next()).toEqual({ comment: 'open' })
  return { session, stream }
}

const ELICITS_URL =
  (elicitationId: string): Handler =>
  async ({ elicit }) =>
    (await elicit({ message: 'Log in', url: 'https://x.example/login', elicitationId })).action

/** Returns a new elicitation id. */
const freshId = () => `login-${crypto.randomUUID()}`

describe('a completed elicitation', () => {
  it('can be published by a handler before and after the response to the ask', async () => {
    const { session, stream } = await opened()
    const ids = [freshId(), freshId()]
    for (const [index, id] of ids.entries()) {
      const call = await session.stream(ELICITS_URL(id))
      const question = await call.message()
      if (index === 1) await session.answer(question, { action: 'accept' })
      const published = await session.call(async ({ notify }) => {
        await notify.elicitationComplete(id)
        return 'done'
      })
      expect(textOf(await published.json())).toBe('done')
      expect(await stream.message()).toEqual(complete(id))
    }
  })

  it('is reported on a resumed stream when no client was connected', async () => {
    const { session, stream } = await opened()
    await stream.next()
    const id = freshId()
    await (await session.stream(ELICITS_URL(id))).message()
    await stream.leave()
    await elicitationComplete(id)
    const back = await session.listen(stream.lastId)
    expect(await back.message()).toEqual(complete(id))
  })
})

const REQUIRED = (elicitationId: string): Handler => {
  const second = { elicitationId: `${elicitationId}-2`, message: 'Then', url: 'https://y.example' }
  return () => {
    throw new UrlElicitationRequiredError(
      [{ elicitationId, message: 'Log in', url: 'https://x.example/login' }, second],
      'Do this first.',
    )
  }
}

const AS_TEXT = 'Do this first.\nLog in https://x.example/login\nThen https://y.example'

describe('UrlElicitationRequiredError', () => {
  it('is error -32042 for prompts and resources', async () => {
    verifies('elicitation/url-required-error-code')
    const session = await openSession()
    const { script } = keepHandler(REQUIRED(freshId()))
    const prompt = await session.request('prompts/get', { name: 'run', arguments: { script } })
    expect(prompt.error.code).toBe(-32042)
    const resource = await session.request('resources/read', { uri: `script://${script}` })
    expect(resource.error.code).toBe(-32042)
  })

  it('is error -32042 for a client that accepts only JSON, because it needs no stream', async () => {
    const session = await openSession()
    const headers = { accept: 'application/json' }
    const response = await session.call(REQUIRED(freshId()), { headers })
    expect(await response.json()).toMatchObject({ error: { code: -32042 } })
  })

  it.each([
    ['2025-11-25', {}],
    ['2025-11-25', { elicitation: {} }],
    ['2025-11-25', { elicitation: { form: {} } }],
  ])('is a text result under %s with capabilities %j', async (version, capabilities) => {
    verifies('elicitation/url-required-error-only-when-required')
    const session = await openSession({ version, capabilities })
    const response = await session.call(REQUIRED(freshId()))
    expect((await response.json<{ result: object }>()).result).toEqual({
      content: [{ type: 'text', text: AS_TEXT }],
      isError: true,
    })
  })

  it('is a text result without a session, where the capabilities are unknown', async () => {
    const app = openSessionApp()
    const params = { name: 'run', arguments: keepHandler(REQUIRED(freshId())) }
    const { body } = await app.session('tools/call', params)
    expect([textOf(body), body.result.isError]).toEqual([AS_TEXT, true])
  })
})
