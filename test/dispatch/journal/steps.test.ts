// features: asks
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { FullContext } from '../../support/full-server.ts'
import { verifies } from '../../support/verifies.ts'
import { ALL, accept, form, type Handler, said, serve } from './serve-handler.ts'

describe('ctx.step', () => {
  const counting = () => {
    const ran: string[] = []
    const step = (ctx: FullContext, key: string) =>
      ctx.step(key, () => {
        ran.push(key)
        return { key }
      })
    return { ran, step }
  }

  it('runs once, however often the handler runs again', async () => {
    const { ran, step } = counting()
    const { send } = serve(async (ctx) => {
      const one = await step(ctx, 'one')
      await ctx.elicit(form('a'))
      const two = await step(ctx, 'two')
      await ctx.elicit(form('b'))
      return [one, two, await step(ctx, 'three')]
    })
    const first = await send({ name: 't' })
    const second = await send({
      name: 't',
      requestState: first.result.requestState,
      inputResponses: { a: accept({ value: '' }) },
    })
    const third = await send({
      name: 't',
      requestState: second.result.requestState,
      inputResponses: { b: accept({ value: '' }) },
    })
    expect(said(third)).toEqual([{ key: 'one' }, { key: 'two' }, { key: 'three' }])
    expect(ran).toEqual(['one', 'two', 'three'])
  })

  it('fails when the results of all steps have more than 4 Mi characters', async () => {
    const { app, send } = serve(async (ctx) => {
      for (const key of ['a', 'b', 'c']) await ctx.step(key, () => 'x'.repeat(1_500_000))
    })
    const { result } = await send({ name: 't' })
    expect(result.isError).toBe(true)
    expect(String((app.events[0] as { error?: unknown }).error)).toMatch(
      /may have at most 4194304 characters/,
    )
  })

  it('completes before the question is sent', async () => {
    const { ran, step } = counting()
    const { send } = serve(async (ctx) => {
      const slow = ctx.step('slow', async () => {
        await new Promise((resolve) => setTimeout(resolve, 30))
        ran.push('slow')
        return 1
      })
      const [answer] = await Promise.all([
        ctx.elicit(form('a')),
        slow,
        slow.then(() => step(ctx, 'next')),
      ])
      return answer
    })
    const first = await send({ name: 't' })
    expect(ran).toEqual(['slow', 'next'])
    const second = await send({
      name: 't',
      requestState: first.result.requestState,
      inputResponses: { a: accept({ value: 'x' }) },
    })
    expect(said(second)).toEqual(accept({ value: 'x' }))
    expect(ran).toEqual(['slow', 'next'])
  })

  it('is not recorded when it throws', async () => {
    let attempts = 0
    const { send } = serve(async (ctx) => {
      const outcome = await ctx
        .step('try', () => {
          attempts++
          throw new Error('no')
        })
        .catch(() => 'failed')
      await ctx.elicit(form('a'))
      return outcome
    })
    const first = await send({ name: 't' })
    await send({
      name: 't',
      requestState: first.result.requestState,
      inputResponses: { a: accept({ value: '' }) },
    })
    expect(attempts).toBe(2)
  })

  it('may be retried under the same key after it threw', async () => {
    let attempts = 0
    const { send } = serve(async (ctx) => {
      const attempt = () =>
        ctx.step('try', () => {
          if (++attempts < 3) throw new Error('no')
          return attempts
        })
      return attempt().catch(attempt).catch(attempt)
    })
    expect(said(await send({ name: 't' }))).toBe(3)
  })

  it('returns the same value in every round', async () => {
    const { send } = serve(async (ctx) => {
      const value: unknown = await ctx.step('date', () => new Date(0))
      await ctx.elicit(form('a'))
      return [typeof value, value]
    })
    const first = await send({ name: 't' })
    expect(
      said(
        await send({
          name: 't',
          requestState: first.result.requestState,
          inputResponses: { a: accept({ value: '' }) },
        }),
      ),
    ).toEqual(['string', '1970-01-01T00:00:00.000Z'])
  })

  it('rejects a key that an ask of an earlier round has', async () => {
    let rounds = 0
    const { app, send } = serve(async (ctx) => {
      rounds++
      if (rounds === 3) return ctx.step('a', () => 'ran')
      await ctx.elicit(form('a'))
      await ctx.elicit(form('b'))
      return 'not reached'
    })
    const answer = async (key: string, requestState: string) =>
      send({ name: 't', requestState, inputResponses: { [key]: accept({ value: '' }) } })
    const first = await send({ name: 't' })
    const second = await answer('a', first.result.requestState)
    const third = await answer('b', second.result.requestState)
    expect([rounds, third.result.isError]).toEqual([3, true])
    expect(app.events.map((event) => 'error' in event && String(event.error))).toEqual([
      'TypeError: The key "a" is used for an ask and for a step',
    ])
  })

  it.each<[string, (ctx: FullContext) => unknown, string]>([
    [
      'a step without a function',
      (ctx) => ctx.step('a', undefined as never),
      'ctx.step needs a function: ctx.step(key, run), or with options between',
    ],
    [
      'a step with a value',
      (ctx) => ctx.step('a', 5 as never),
      'ctx.step needs a function: ctx.step(key, run), or with options between',
    ],
    [
      'a step without arguments',
      (ctx) => (ctx.step as () => unknown)(),
      'ctx.step needs a function',
    ],
    ['a bigint', (ctx) => ctx.step('a', () => 1n), 'Step "a" must return a JSON value'],
    [
      'a form without a schema',
      (ctx) => ctx.elicit({ message: 'x', requestedSchema: {} } as never),
      'ctx.elicit: schema: a schema must be a Standard Schema',
    ],
    [
      'an address without an origin',
      (ctx) => ctx.elicit({ message: 'x', url: '/login' }),
      'The URL of an elicitation must be a whole URL',
    ],
  ])('names the mistake of %s', async (_, handler, message) => {
    const { app, send } = serve(handler as Handler)
    await send({ name: 't' })
    expect(app.events.map((event) => 'error' in event && String(event.error))).toEqual([
      expect.stringContaining(`TypeError: ${message}`),
    ])
  })

  it.each([
    ['a key with a space', (ctx: FullContext) => ctx.step('a b', () => 1)],
    [
      'a repeated key',
      async (ctx: FullContext) => {
        await ctx.step('a', () => 1)
        await ctx.step('a', () => 1)
      },
    ],
    [
      'a key used for both',
      async (ctx: FullContext) => {
        await ctx.step('a', () => 1)
        await ctx.elicit(form('a'))
      },
    ],
    [
      'two asks with the same key',
      (ctx: FullContext) => Promise.all([ctx.elicit(form('a')), ctx.elicit(form('a'))]),
    ],
    ['a value that is not JSON', (ctx: FullContext) => ctx.step('a', () => 1n)],
    [
      'a form that cannot be shown',
      (ctx: FullContext) => ctx.elicit({ message: 'x', schema: z.object({ a: z.object({}) }) }),
    ],
    ['an ask inside a step', (ctx: FullContext) => ctx.step('a', () => ctx.elicit(form('b')))],
    [
      'an address that is not https',
      (ctx: FullContext) => ctx.elicit({ message: 'x', url: 'http://example.com' }),
    ],
    [
      'an address that is no URL',
      (ctx: FullContext) => ctx.elicit({ message: 'x', url: '/login' }),
    ],
    [
      'a script for an address',
      (ctx: FullContext) => ctx.elicit({ message: 'x', url: 'javascript:alert(1)' }),
    ],
  ])('rejects %s', async (_, handler) => {
    verifies('mrtr/keys-are-unique', { row: 'two asks with the same key' })
    verifies('elicitation/valid-url', { row: 'an address that is not https' })
    verifies('elicitation/valid-url', { row: 'an address that is no URL' })
    const { app, send } = serve(handler as Handler)
    expect((await send({ name: 't' })).result.isError).toBe(true)
    expect(app.events).toMatchObject([{ type: 'handler-error', error: expect.any(TypeError) }])
  })
})

describe('notifications of earlier rounds', () => {
  it('are recognised by content, so that a new log message is sent', async () => {
    const { app } = serve(async (ctx) => {
      await ctx.step('once', () => ctx.log('info', 'inside a step'))
      await ctx.log('debug', 'detail')
      await ctx.elicit(form('a'))
      await ctx.log('error', 'important')
      return 'done'
    })
    const call = async (logLevel: string, params: object = {}) => {
      const meta = {
        'io.modelcontextprotocol/clientCapabilities': ALL,
        'io.modelcontextprotocol/logLevel': logLevel,
      }
      const accept = 'text/event-stream'
      return (
        await app.modern('tools/call', { name: 't', ...params }, { meta, headers: { accept } })
      ).body
    }
    const first: string = await call('debug')
    expect(first.match(/"data":"[^"]+"/g)).toEqual(['"data":"inside a step"', '"data":"detail"'])
    const requestState = /"requestState":"([^"]+)"/.exec(first)?.[1]
    const second: string = await call('error', {
      requestState,
      inputResponses: { a: accept({ value: '' }) },
    })
    expect(second.match(/"data":"[^"]+"/g)).toEqual(['"data":"important"'])
  })

  it('are not sent again in the next round', async () => {
    verifies('progress/progress-increases', 'streamable-http/no-requests-on-a-modern-stream')
    const { app } = serve(async (ctx) => {
      await ctx.progress(1, 3)
      await ctx.log('info', 'before')
      await ctx.elicit(form('a'))
      await ctx.log('info', 'after')
      await ctx.progress(3, 3)
      return 'done'
    })
    const meta = {
      'io.modelcontextprotocol/clientCapabilities': ALL,
      'io.modelcontextprotocol/logLevel': 'debug',
      progressToken: 1,
    }
    const first = await app.modern('tools/call', { name: 't' }, { meta })
    expect(first.body.match(/"progress":\d|"data":"\w+"/g)).toEqual([
      '"progress":1',
      '"data":"before"',
    ])
    const requestState = /"requestState":"([^"]+)"/.exec(first.body)?.[1]
    const second = await app.modern(
      'tools/call',
      { name: 't', requestState, inputResponses: { a: accept({ value: '' }) } },
      { meta },
    )
    expect(second.body.match(/"progress":\d|"data":"\w+"/g)).toEqual([
      '"data":"after"',
      '"progress":3',
    ])
  })
})
