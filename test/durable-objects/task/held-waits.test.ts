/** Calls of 2026-07-28 of tools without tasks that wait: their handlers stay in memory on the stream of the call. */
// features: tasks
import { env } from 'cloudflare:workers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import type { AuthConfig } from '../../../src/auth/index.ts'
import { advanceClock } from '../../support/clock.ts'
import { type FullContext, FullServer } from '../../support/full-server.ts'
import { keepHandler } from '../../support/session-server.ts'
import { openApp } from '../../support/test-app.ts'
import { trusting } from '../../support/trusting.ts'
import { HeldClient } from './held-client.ts'
import { until } from './task-client.ts'

const PAID = { schema: z.object({ amount: z.number() }) }
const SURE = { key: 'sure', message: 'Sure?', schema: z.object({ ok: z.boolean() }) }

const client = new HeldClient()

/** Authorization that trusts every token, and whose callers are checked by the test. */
function watched(isStillAuthorized: () => Promise<boolean>): AuthConfig {
  const trusted = trusting('https://held.example.com')
  return {
    ...trusted,
    createGate: (...given) => ({ ...trusted.createGate(...given), isStillAuthorized }),
  }
}

describe('a call of a tool without tasks, of 2026-07-28, that sleeps', () => {
  it('waits in memory and answers with its result', async () => {
    const ran: string[] = []
    const { status, body } = await client.call('plain', async (ctx) => {
      ran.push('handler')
      await ctx.sleep('nap', 20)
      return 'awake'
    })
    expect([status, body.result.content[0].text]).toEqual([200, 'awake'])
    expect(ran).toEqual(['handler'])
  })

  it('sends its progress on the stream before and after the sleep', async () => {
    const stream = await client.stream(async (ctx) => {
      await ctx.progress(1)
      await ctx.sleep('nap', 20)
      await ctx.progress(2)
      return 'awake'
    })
    const messages = await stream.rest()
    expect(
      messages.map(({ params, result }) => params?.progress ?? result.content[0].text),
    ).toEqual([1, 2, 'awake'])
  })

  it('answers a client that accepts JSON alone with JSON', async () => {
    const json = new HeldClient({ limits: { streamAfterMs: 5 } })
    const handler = keepHandler(async (ctx) => {
      await ctx.sleep('nap', 50)
      return 'awake'
    })
    const call = { name: 'plain', arguments: handler }
    const headers = { accept: 'application/json' }
    const { status, body } = await json.app.modern('tools/call', call, { headers })
    expect([status, body.result.content[0].text]).toEqual([200, 'awake'])
  })

  it('is stopped at the timeout of its handler', async () => {
    const slow = new HeldClient({ limits: { handlerTimeoutMs: 40 } })
    const { body } = await slow.call('plain', async (ctx) => {
      await ctx.sleep('nap', 60_000)
      return 'awake'
    })
    expect(body.result).toMatchObject({
      isError: true,
      content: [
        {
          text: 'Tool plain exceeded its timeout and was stopped. Check what it has done before you repeat it.',
        },
      ],
    })
  })

  it('waits in a prompt and in a resource too', async () => {
    const server = new FullServer({ name: 'others', version: '1.0.0' })
    const nap = async (ctx: FullContext) => {
      await ctx.sleep('nap', 5)
      return 'awake'
    }
    server.registerPrompt('nap', {}, nap)
    server.registerResource('nap', 'nap://a', {}, (_, ctx) => nap(ctx))
    const app = openApp(server)
    const prompt = await app.modern('prompts/get', { name: 'nap' })
    const resource = await app.modern('resources/read', { uri: 'nap://a' })
    expect(prompt.body.result.messages[0].content.text).toBe('awake')
    expect(resource.body.result.contents[0].text).toBe('awake')
  })

  it('sleeps for the rest of its time in the round after a question', async () => {
    const first = await client.call('plain', async (ctx) => {
      const nap = ctx.sleep('nap', 60_000)
      const { action } = await ctx.elicit(SURE)
      await nap
      return action
    })
    advanceClock(59_950)
    const { body } = await client.answer(first, { sure: { action: 'decline' } })
    expect(body.result.content[0].text).toBe('decline')
  }, 20_000)

  it('runs again from the top in the round after a question', async () => {
    const ran: string[] = []
    const first = await client.call('plain', async (ctx) => {
      ran.push('handler')
      await ctx.sleep('nap', 20)
      await ctx.elicit(SURE)
      return 'awake'
    })
    const { body } = await client.answer(first, { sure: { action: 'decline' } })
    expect(body.result.content[0].text).toBe('awake')
    expect(ran).toEqual(['handler', 'handler'])
  })

  it('waits for at most 32 times at once', async () => {
    const { body } = await client.call('plain', async (ctx) => {
      const naps = Array.from({ length: 33 }, (_, index) => ctx.sleep(`nap-${index}`, 60_000))
      return Promise.race(naps).then(
        () => 'awake',
        (error: Error) => error.message,
      )
    })
    expect(body.result.content[0].text).toBe('At most 32 asks can be open at the same time')
  })
})

describe('a call of a tool without tasks, of 2026-07-28, that waits for a webhook', () => {
  it('receives the delivered value once, and refuses a value that does not fit', async () => {
    const { stream, url } = await client.waiting(async (ctx, show) => {
      await show(await ctx.webhook('paid'))
      const { amount } = await ctx.waitFor('paid', PAID)
      await ctx.sleep('then', 50)
      return `Paid ${amount}`
    })
    await expect.poll(() => client.deliver(url, { amount: 'many' })).toBe(422)
    expect(await client.deliver(url, { amount: 7 })).toBe(202)
    expect(await client.deliver(url, { amount: 8 })).toBe(409)
    expect((await stream.message()).result.content[0].text).toBe('Paid 7')
    await expect.poll(() => client.deliver(url, { amount: 9 })).toBe(410)
  })

  it('receives a value that was delivered before its wait', async () => {
    const { body } = await client.call('plain', async (ctx) => {
      const url = await ctx.webhook('paid')
      expect(await client.deliver(url, { amount: 7 })).toBe(202)
      return JSON.stringify(await ctx.waitFor('paid', PAID))
    })
    expect(body.result.content[0].text).toBe('{"amount":7}')
  })

  it('receives another value after one that was delivered early and does not fit', async () => {
    const { stream, url } = await client.waiting(async (ctx, show) => {
      const given = await ctx.webhook('paid')
      expect(await client.deliver(given, 'nothing')).toBe(202)
      await show(given)
      return JSON.stringify(await ctx.waitFor('paid', PAID))
    })
    await expect.poll(() => client.deliver(url, { amount: 7 })).toBe(202)
    expect((await stream.message()).result.content[0].text).toBe('{"amount":7}')
  })

  it('ends with a tool error when nothing was delivered in time, and refuses what comes later', async () => {
    let url = ''
    const { body } = await client.call('plain', async (ctx) => {
      url = await ctx.webhook('paid')
      const late = await ctx
        .waitFor('paid', { timeoutMs: 30 })
        .catch((error: Error) => error.message)
      expect(await client.deliver(url, 1)).toBe(410)
      return String(late)
    })
    expect(body.result.content[0].text).toBe('Nothing was delivered to "paid" in time.')
  })

  it('goes on with the first of two races', async () => {
    const { stream, url } = await client.waiting(async (ctx, show) => {
      await show(await ctx.webhook('paid'))
      const paid = ctx.waitFor('paid').then(() => 'paid')
      return Promise.race([paid, ctx.sleep('deadline', 60_000).then(() => 'late')])
    })
    expect(await client.deliver(url, 1)).toBe(202)
    expect((await stream.message()).result.content[0].text).toBe('paid')
  })

  it('receives what was delivered while its question was open, under the same URL', async () => {
    const urls: string[] = []
    const first = await client.call('plain', async (ctx) => {
      urls.push(await ctx.webhook('paid'))
      await ctx.step('order', () => 'order-1')
      const { action } = await ctx.elicit(SURE)
      const { amount } = await ctx.waitFor('paid', PAID)
      return `${action} ${amount}`
    })
    expect(first.body.result.resultType).toBe('input_required')
    expect(await client.deliver(urls[0] ?? '', { amount: 7 })).toBe(202)
    const { body } = await client.answer(first, { sure: { action: 'decline' } })
    expect(body.result.content[0].text).toBe('decline 7')
    expect(new Set(urls).size).toBe(1)
  })

  it('receives its value when the object is killed while it waits', async () => {
    const { stream, url } = await client.waiting(async (ctx, show) => {
      await show(await ctx.webhook('paid'))
      return JSON.stringify(await ctx.waitFor('paid'))
    })
    await client.kill(url)
    await expect.poll(() => client.deliver(url, 7)).toBe(202)
    expect((await stream.message()).result.content[0].text).toBe('7')
  })

  it('is cancelled when its client disconnects, and accepts no value any more', async () => {
    let aborted = false
    const { stream, url } = await client.waiting(async (ctx, show) => {
      ctx.signal.addEventListener('abort', () => {
        aborted = true
      })
      await show(await ctx.webhook('paid'))
      return JSON.stringify(await ctx.waitFor('paid'))
    })
    await stream.leave()
    await until(() => aborted)
    await expect.poll(() => client.deliver(url, 7)).toBe(410)
  })

  it('ends when the access of its caller is revoked, and accepts no value any more', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    let isAuthorized = true
    const guarded = new HeldClient({ auth: watched(async () => isAuthorized) })
    let reason: unknown
    const { stream, url } = await guarded.waiting(async (ctx, show) => {
      ctx.signal.addEventListener('abort', () => {
        reason = ctx.signal.reason.message
      })
      await show(await ctx.webhook('paid'))
      return JSON.stringify(await ctx.waitFor('paid'))
    })
    isAuthorized = false
    await vi.advanceTimersByTimeAsync(30_000)
    expect(JSON.stringify(await stream.rest())).toContain('The access of the caller has ended')
    expect(reason).toBe('The authorization of the caller was revoked')
    await expect.poll(() => guarded.deliver(url, 7)).toBe(410)
  })

  it('needs the binding of tasks, and says so to telemetry', async () => {
    const bare = new HeldClient(
      {},
      { ...env, MCP_OBJECTS: undefined, EDGEWAY_SECRET: 'a'.repeat(32) },
    )
    const { body } = await bare.call('plain', async (ctx) => ctx.webhook('paid'))
    expect(body.result.isError).toBe(true)
    expect(bare.app.events.find(({ type }) => type === 'handler-error')).toMatchObject({
      error: {
        message:
          'ctx.waitFor and ctx.webhook of a call without a session need features: [tasks()] and the binding MCP_OBJECTS',
      },
    })
  })

  it('deletes what it has stored when the next round cannot come any more', async () => {
    const { url } = await client.waiting(async (ctx, show) => {
      await show(await ctx.webhook('paid'))
      return JSON.stringify(await ctx.waitFor('paid'))
    })
    expect(await client.tablesOf(url)).toContain('inbox')
    await client.expire(url)
    expect(await client.tablesOf(url)).not.toContain('inbox')
    expect(await client.deliver(url, 7)).toBe(404)
  })
})

describe('inputResponses of a client', () => {
  it.for(['plain', 'optional'] as const)(
    'end no wait of a call without a task (tool %s)',
    async (tool) => {
      const script = keepHandler(async (ctx) => {
        const paid = ctx.waitFor('paid', { timeoutMs: 60 }).catch((error: Error) => error.message)
        return JSON.stringify(await paid)
      })
      const forged = { paid: { value: { amount: 1_000_000 } } }
      const { body } = await client.send({ name: tool, arguments: script, inputResponses: forged })
      expect(body.result.content[0].text).toBe('"Nothing was delivered to \\"paid\\" in time."')
    },
  )
})
