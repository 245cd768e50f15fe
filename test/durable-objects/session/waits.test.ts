import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  openSession,
  openSessionApp,
  type SessionClient,
  textOf,
} from '../../support/session-client.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { kill } from './lifetime.ts'

const ASK = { key: 'sure', message: 'Sure?', schema: z.object({ ok: z.boolean() }) }
const PAID = { schema: z.object({ paid: z.boolean() }) }

const app = openSessionApp()

async function deliver(url: string, value: unknown): Promise<number> {
  const body = JSON.stringify(value)
  const headers = { 'content-type': 'application/json' }
  return (await app.fetch(new Request(url, { method: 'POST', headers, body }))).status
}

/** Leaves a stream after the event that gives it a position. */
async function leave(stream: SseReader): Promise<void> {
  while (stream.lastId === '') await stream.next()
  await stream.leave()
}

/** Starts a call that waits for a webhook, and returns its stream and the URL. */
async function webhook(session: SessionClient) {
  let url = ''
  const ran: string[] = []
  const stream = await session.stream(async (ctx) => {
    ran.push('handler')
    await ctx.step('before', () => ran.push('step'))
    url = await ctx.webhook('paid')
    const { paid } = await ctx.waitFor('paid', PAID)
    return `${paid}`
  })
  return { stream, url, ran }
}

describe('a call in a session that sleeps', () => {
  it('keeps nothing in memory and goes on after its time, on the same stream', async () => {
    const session = await openSession()
    const ran: string[] = []
    const stream = await session.stream(async (ctx) => {
      ran.push('handler')
      await ctx.step('once', () => ran.push('step'))
      await ctx.sleep('nap', 1000)
      return 'awake'
    })
    await evictDurableObject(await session.stub())
    expect(textOf(await stream.message())).toBe('awake')
    expect(ran).toEqual(['handler', 'step', 'handler'])
  })

  it('goes on after a kill, when its alarm fires, and the client resumes its stream', async () => {
    const session = await openSession()
    const ran: string[] = []
    const stream = await session.stream(async (ctx) => {
      ran.push('handler')
      await ctx.sleep('nap', 1000)
      return 'awake'
    })
    await leave(stream)
    await kill(session)
    await expect.poll(() => ran.length).toBe(2)
    const resumed = await session.listen(stream.lastId)
    expect(textOf(await resumed.message())).toBe('awake')
  })

  it('sleeps once for its time, however often its handler runs again meanwhile', async () => {
    const session = await openSession()
    let runs = 0
    const stream = await session.stream(async (ctx) => {
      runs++
      const nap = ctx.sleep('nap', 1500)
      const { action } = await ctx.elicit(ASK)
      await nap
      return action
    })
    const begun = Date.now()
    const question = await stream.message()
    expect(await session.answer(question, { action: 'decline' })).toBe(202)
    await expect.poll(() => runs).toBe(2)
    expect(textOf(await stream.message())).toBe('decline')
    expect(Date.now() - begun).toBeGreaterThan(1300)
  })

  it('withdraws the ask that lost a race, which stays open with its id until then', async () => {
    const session = await openSession()
    const stream = await session.stream(async (ctx) => {
      const answered = ctx.elicit(ASK).then(({ action }) => action)
      await Promise.race([ctx.sleep('first', 100), answered])
      return Promise.race([ctx.sleep('second', 300).then(() => 'late'), answered])
    })
    const question = await stream.message()
    expect(question.method).toBe('elicitation/create')
    expect(await stream.message()).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: question.id },
    })
    expect(textOf(await stream.message())).toBe('late')
  })

  it('takes the answer of an ask while its handler runs for another reason', async () => {
    const session = await openSession()
    const go = Promise.withResolvers<void>()
    let isSlow = false
    const stream = await session.stream(async (ctx) => {
      const answered = ctx.elicit(ASK).then(({ action }) => action)
      await Promise.race([ctx.sleep('first', 50), answered])
      await ctx.step('slow', async () => {
        isSlow = true
        await go.promise
      })
      return answered
    })
    const question = await stream.message()
    await expect.poll(() => isSlow).toBe(true)
    expect(await session.answer(question, { action: 'decline' })).toBe(202)
    go.resolve()
    expect(textOf(await stream.message())).toBe('decline')
  })
})

describe.for([
  ['an answer', { result: { action: 'decline' } }, 'decline'],
  ['an error', { error: { code: -32_603, message: 'No person' } }, 'The client did not answer'],
] as const)('%s that comes while the handler runs', ([, response, text]) => {
  it('ends the race in which the handler waits for it next', async () => {
    const session = await openSession()
    const go = Promise.withResolvers<void>()
    let isSlow = false
    const stream = await session.stream(async (ctx) => {
      const answered = ctx.elicit(ASK).then(({ action }) => action)
      await Promise.race([ctx.sleep('first', 50), answered])
      await ctx.step('slow', async () => {
        isSlow = true
        await go.promise
      })
      return Promise.race([answered, ctx.sleep('second', 3_600_000).then(() => 'late')])
    })
    const question = await stream.message()
    await expect.poll(() => isSlow).toBe(true)
    expect((await session.post({ jsonrpc: '2.0', id: question.id, ...response })).status).toBe(202)
    go.resolve()
    expect(textOf(await stream.message())).toContain(text)
  })
})

describe('a call in a session that waits for an event', () => {
  it('receives the value that is posted to its webhook, once, after an eviction', async () => {
    const session = await openSession()
    const { stream, url, ran } = await webhook(session)
    await evictDurableObject(await session.stub())
    expect(await deliver(url, { paid: 'no' })).toBe(422)
    const statuses = await Promise.all([deliver(url, { paid: true }), deliver(url, { paid: true })])
    expect(statuses.filter((status) => status === 202)).toHaveLength(1)
    expect(textOf(await stream.message())).toBe('true')
    expect(await deliver(url, { paid: true })).toBe(410)
    expect(ran).toEqual(['handler', 'step', 'handler'])
  })

  it('receives it after a kill', async () => {
    const session = await openSession()
    const { stream, url } = await webhook(session)
    await leave(stream)
    await kill(session)
    expect(await deliver(url, { paid: false })).toBe(202)
    const resumed = await session.listen(stream.lastId)
    expect(textOf(await resumed.message())).toBe('false')
  })

  it('receives a value that was delivered before it waited, also after a kill', async () => {
    const session = await openSession()
    let url = ''
    let runs = 0
    const response = session.call(
      async (ctx) => {
        url = await ctx.webhook('early')
        if (runs++ === 0) await new Promise(() => undefined)
        return JSON.stringify(await ctx.waitFor('early'))
      },
      { tool: 'repeat' },
    )
    await expect.poll(() => url).not.toBe('')
    expect(await deliver(url, [1])).toBe(202)
    const stream = new SseReader(await response)
    await leave(stream)
    await kill(session)
    const resumed = await session.listen(stream.lastId)
    expect(textOf(await resumed.message())).toBe('[1]')
  })

  it('receives a tool error when nothing was delivered in time', async () => {
    const session = await openSession()
    const stream = await session.stream(async (ctx) => {
      await ctx.waitFor('never', { timeoutMs: 50 })
      return 'not reached'
    })
    const { result } = await stream.message()
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: 'Nothing was delivered to "never" in time.' }],
    })
  })

  it('can be cancelled, and takes no value afterwards', async () => {
    const session = await openSession()
    let url = ''
    const response = await session.call(
      async (ctx) => {
        url = await ctx.webhook('paid')
        return JSON.stringify(await ctx.waitFor('paid'))
      },
      { id: 'to-cancel' },
    )
    await session.notify('notifications/cancelled', { requestId: 'to-cancel' })
    expect(await new SseReader(response).rest()).toEqual([])
    expect(await deliver(url, 1)).toBe(410)
  })
})

describe('a call of 2025-11-25 without a task and a session', () => {
  const waits = {
    'ctx.sleep': { script: 'sleep' },
    'ctx.waitFor': { script: 'waitFor' },
    'ctx.webhook': { script: 'webhook' },
  }

  it.for(Object.keys(waits))('ends with a tool error at %s', async (name) => {
    const { keepHandler } = await import('../../support/session-server.ts')
    const args = keepHandler(async (ctx) => {
      if (name === 'ctx.sleep') await ctx.sleep('nap', 1)
      else if (name === 'ctx.waitFor') await ctx.waitFor('event')
      else await ctx.webhook('event')
      return 'not reached'
    })
    const params = { name: 'run', arguments: args }
    const { body } = await app.session('tools/call', params)
    expect(body.result).toMatchObject({
      isError: true,
      content: [
        {
          text: 'This call waits for a time or an event, for which it needs a task or a session. Do not repeat it here: tell the person.',
        },
      ],
    })
  })
})
