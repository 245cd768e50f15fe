// features: changes
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { UrlElicitationRequiredError } from '../../../src/index.ts'
import { createFullEdgeway } from '../../support/full-app.ts'
import { openSession, openSessionApp, textOf } from '../../support/session-client.ts'
import { type Handler, keepHandler, sessionServer } from '../../support/session-server.ts'
import type { SseReader } from '../../support/sse-reader.ts'
import { verifies } from '../../support/verifies.ts'

const { elicitationComplete, toolsChanged } = createFullEdgeway(sessionServer, {}).notify(env)

const complete = (elicitationId: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/elicitation/complete',
  params: { elicitationId },
})

const TOOLS_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }

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

/** Checks that the next message is a change published after all others. */
async function expectNothingElse(stream: SseReader) {
  await toolsChanged()
  expect(await stream.message()).toEqual(TOOLS_CHANGED)
}

describe('a completed elicitation', () => {
  it('is reported to the session that was asked, and to no other', async () => {
    verifies('elicitation/completion-to-the-asked-client', 'elicitation/completion-has-the-id')
    const [asked, other] = [await opened(), await opened()]
    const id = freshId()
    const call = await asked.session.stream(ELICITS_URL(id))
    expect((await call.message()).params.elicitationId).toBe(id)
    await elicitationComplete(id)
    expect(await asked.stream.message()).toEqual(complete(id))
    await expectNothingElse(other.stream)
  })

  it('is reported once, and not to a session that was asked for another', async () => {
    verifies('elicitation/completion-to-the-asked-client')
    const [one, two] = [await opened(), await opened()]
    const [first, second] = [freshId(), freshId()]
    await (await one.session.stream(ELICITS_URL(first))).message()
    await (await two.session.stream(ELICITS_URL(second))).message()
    await elicitationComplete(first)
    await elicitationComplete(first)
    expect(await one.stream.message()).toEqual(complete(first))
    await expectNothingElse(one.stream)
    await elicitationComplete(second)
    expect(await two.stream.message()).toEqual(TOOLS_CHANGED)
    expect(await two.stream.message()).toEqual(complete(second))
  })

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

  it('is not reported under a revision without the notification', async () => {
    const { session, stream } = await opened({ version: '2025-06-18' })
    const id = freshId()
    await (await session.stream(ELICITS_URL(id))).message()
    await elicitationComplete(id)
    await expectNothingElse(stream)
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
  it('is error -32042 for a client with URL elicitation, which is notified of the completion', async () => {
    verifies('elicitation/url-required-error-only-when-required')
    verifies('elicitation/url-required-error-lists-elicitations')
    verifies('elicitation/url-required-error-has-url-elicitations')
    verifies('elicitation/url-required-error-code')
    const { session, stream } = await opened()
    const id = freshId()
    const response = await session.call(REQUIRED(id), { id: 'r' })
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        jsonrpc: '2.0',
        id: 'r',
        error: {
          code: -32042,
          message: 'Do this first.',
          data: {
            elicitations: [
              {
                mode: 'url',
                message: 'Log in',
                url: 'https://x.example/login',
                elicitationId: id,
              },
              {
                mode: 'url',
                message: 'Then',
                url: 'https://y.example/',
                elicitationId: `${id}-2`,
              },
            ],
          },
        },
      },
    ])
    await elicitationComplete(`${id}-2`)
    expect(await stream.message()).toEqual(complete(`${id}-2`))
    await elicitationComplete(id)
    expect(await stream.message()).toEqual(complete(id))
  })

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
    ['2025-06-18', { elicitation: { url: {} } }],
    ['2025-03-26', { elicitation: { url: {} } }],
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
