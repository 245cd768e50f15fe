// features: asks
import { env } from 'cloudflare:test'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import type { FullOptions } from '../../support/full-app.ts'
import { FullServer } from '../../support/full-server.ts'
import { resealedAsNextVersion, sealOfNextVersion } from '../../support/next-version.ts'
import { testSealer } from '../../support/objects.ts'
import { openApp } from '../../support/test-app.ts'
import { verifies } from '../../support/verifies.ts'

const CAPABILITIES = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
const yes = { action: 'accept', content: { ok: true } }

function serve(options: FullOptions = {}, bindings: object = env, singleUse = false) {
  const ran: string[] = []
  const server = new FullServer({ name: 'state', version: '1' })
  for (const name of ['t', 'u']) {
    server.registerTool(
      name,
      { inputSchema: z.object({ a: z.unknown().optional() }), singleUse },
      async (_, ctx) => {
        await ctx.step('once', () => void ran.push(name))
        const { action } = await ctx.elicit({
          key: 'confirm',
          message: 'Sure?',
          schema: z.object({ ok: z.boolean() }),
        })
        return action
      },
    )
  }
  server.registerTool('plain', { inputSchema: z.looseObject({}) }, () => 'asks for nothing')
  server.registerPrompt(
    't',
    {},
    async (ctx) =>
      (
        await ctx.elicit({
          key: 'confirm',
          message: 'Sure?',
          schema: z.object({ ok: z.boolean() }),
        })
      ).action,
  )
  const app = openApp(server, options, bindings)
  const call = async (params: object, method = 'tools/call') =>
    (await app.modern(method, params as never, { meta: CAPABILITIES })).body
  const ask = async (params: object = { name: 't' }): Promise<string> =>
    (await call(params)).result.requestState
  const answer = (requestState: unknown, params: object = { name: 't' }, method?: string) =>
    call({ ...params, requestState, inputResponses: { confirm: yes } }, method)
  return { app, ran, call, ask, answer }
}

const REFUSED = { code: -32602, message: 'params.requestState is not valid for this request' }

describe('an invalid requestState', () => {
  const { ask, answer } = serve()

  it('is rejected when any byte is changed', async () => {
    verifies('mrtr/state-is-opaque', 'mrtr/state-is-untrusted', 'mrtr/invalid-state-is-refused')
    verifies('elicitation/state-is-protected')
    const state = await ask()
    await fc.assert(
      fc.asyncProperty(
        fc.nat(state.length - 1),
        fc.integer({ min: 33, max: 126 }),
        async (at, code) => {
          const changed = state.slice(0, at) + String.fromCharCode(code) + state.slice(at + 1)
          fc.pre(changed !== state)
          expect((await answer(changed)).error).toEqual(REFUSED)
        },
      ),
      { numRuns: 300 },
    )
    expect((await answer(state)).result.content[0].text).toBe('accept')
  })

  it.each([
    ['nothing', ''],
    ['a number', 5],
    ['null', null],
    ['an object', {}],
    ['any text', 'state'],
    ['any base64', btoa('{"answers":{},"steps":{}}')],
    ['200 KiB', 'x'.repeat(200 * 1024)],
    ['text outside ASCII', 'ä\u0000\ud83d\ude00'],
  ])('is rejected when it is %s', async (_, state) => {
    verifies('mrtr/state-is-untrusted')
    verifies('mrtr/no-invented-state', { row: 'any text' })
    expect((await answer(state)).error).toEqual(REFUSED)
  })

  it('is rejected when it is truncated, extended or repeated', async () => {
    verifies('mrtr/invalid-state-is-refused', 'mrtr/state-is-echoed')
    const state = await ask()
    for (const changed of [
      state.slice(0, -1),
      state.slice(1),
      `${state}A`,
      `${state}=`,
      `${state}-TAMPERED`,
      state + state,
      ` ${state}`,
      `${state}\n`,
    ]) {
      expect((await answer(changed)).error).toEqual(REFUSED)
    }
  })

  it('is rejected for another tool, method, arguments or server', async () => {
    verifies('mrtr/state-integrity', 'mrtr/inputs-belong-to-one-request')
    const state = await ask({ name: 't', arguments: { a: { x: 1, y: [1, 2] } } })
    const same = { name: 't', arguments: { a: { y: [1, 2], x: 1 } } }
    expect((await answer(state, { ...same, name: 'u' })).error).toEqual(REFUSED)
    expect((await answer(state, { ...same, name: 'plain' })).error).toEqual(REFUSED)
    expect((await answer(state, { name: 't' })).error).toEqual(REFUSED)
    expect(
      (await answer(state, { name: 't', arguments: { a: { x: 1, y: [2, 1] } } })).error,
    ).toEqual(REFUSED)
    expect(
      (await answer(state, { name: 't', arguments: { a: { x: '1', y: [1, 2] } } })).error,
    ).toEqual(REFUSED)
    expect((await answer(state, { name: 't' }, 'prompts/get')).error).toEqual(REFUSED)
    expect((await serve({ audience: 'another' }).answer(state, same)).error).toEqual(REFUSED)
    // Values that a careless serialisation would confuse.
    const nested = await ask({ name: 't', arguments: { a: { x: 1 } } })
    for (const a of [[['x', 1]], { x: [1] }, ['x', 1], { 0: ['x', 1] }, { x: 1, y: null }]) {
      expect((await answer(nested, { name: 't', arguments: { a } })).error).toEqual(REFUSED)
    }
    const empty = await ask({ name: 't', arguments: { a: {} } })
    expect((await answer(empty, { name: 't', arguments: { a: [] } })).error).toEqual(REFUSED)
    // The same arguments, serialised by a client in another order.
    expect((await answer(state, same)).result.content[0].text).toBe('accept')
  })

  it('is rejected under another key and without a key', async () => {
    verifies('mrtr/state-integrity')
    const state = await serve({}, { EDGEWAY_SECRET: 'a-secret-of-at-least-32-characters' }).ask()
    expect(
      (await serve({}, { EDGEWAY_SECRET: 'another-one-of-32-characters-or-more' }).answer(state))
        .error,
    ).toEqual(REFUSED)
    expect((await answer(state)).error).toEqual(REFUSED)
    expect((await serve({}, {}).answer(state)).error).toEqual(REFUSED)
  })

  it('is rejected after it expired and before it was issued', async () => {
    verifies('mrtr/invalid-state-is-refused')
    const { ask: askShort, answer: answerShort } = serve({
      featureLimits: { asks: { answerTimeoutMs: 1000 } },
    })
    const state = await askShort()
    const now = Date.now()
    const clock = vi.spyOn(Date, 'now')
    try {
      clock.mockReturnValue(now + 1500)
      expect((await answerShort(state)).error).toEqual({
        code: -32602,
        message: 'params.requestState has expired: call again without it',
      })
      clock.mockReturnValue(now - 120_000)
      expect((await answerShort(state)).error).toEqual(REFUSED)
      clock.mockReturnValue(now + 500)
      expect((await answerShort(state)).result.content[0].text).toBe('accept')
    } finally {
      clock.mockRestore()
    }
  })
})

describe('a single-use requestState', () => {
  it('is accepted once, even when twenty requests redeem it concurrently', async () => {
    verifies('mrtr/single-use-state')
    const { ask, answer } = serve({}, env, true)
    const state = await ask()
    const answers = await Promise.all(Array.from({ length: 20 }, () => answer(state)))
    expect(answers.filter((body) => body.result !== undefined)).toHaveLength(1)
    expect((await answer(state)).error.message).toMatch(/has been used/)
    // Answers without the state are rejected too.
    expect((await answer(undefined)).error.code).toBe(-32602)
  })
})

describe('a deployment without a key for sealing', () => {
  it('sends a question without a state and accepts its answer', async () => {
    verifies('mrtr/requests-or-state')
    const { call, app } = serve({}, {})
    const first = await call({ name: 't' }, 'prompts/get')
    expect(first.result.requestState).toBeUndefined()
    const second = await call({ name: 't', inputResponses: { confirm: yes } }, 'prompts/get')
    expect(second.result.messages[0].content.text).toBe('accept')
    expect(app.events).toEqual([])
  })

  it('answers an internal error and reports it when the journal has entries', async () => {
    const { call, app } = serve({}, {})
    expect((await call({ name: 't' })).error).toEqual({ code: -32603, message: 'Internal error' })
    expect(app.events).toMatchObject([{ type: 'internal-error' }])
    expect(String((app.events[0] as { error: Error }).error.message)).toMatch(
      /add the binding MCP_OBJECTS/,
    )
  })
})

describe('a journal in requestState', () => {
  it('is limited in size only if it must be carried to another question', async () => {
    const server = new FullServer({ name: 's', version: '1' })
    server.registerTool('asks', {}, async (ctx) => {
      await ctx.step('large', () => 'x'.repeat(100 * 1024))
      await ctx.elicit({ key: 'k', message: 'x', schema: z.object({ ok: z.boolean() }) })
      return 'done'
    })
    server.registerTool('works', {}, async (ctx) => {
      await ctx.step('large', () => 'x'.repeat(100 * 1024))
      return 'done'
    })
    const app = openApp(server, {}, env)
    const call = async (name: string) =>
      (await app.modern('tools/call', { name }, { meta: CAPABILITIES })).body
    expect((await call('asks')).error.code).toBe(-32603)
    expect(String((app.events[0] as { error: Error }).error.message)).toMatch(/the limit is 98304/)
    expect((await call('works')).result.content[0].text).toBe('done')
  })

  it('produces the same result for any order of answers and runs every step once', async () => {
    const keys = ['a', 'b', 'c', 'd']
    await fc.assert(
      fc.asyncProperty(fc.array(fc.subarray(keys), { maxLength: 6 }), async (rounds) => {
        const ran: string[] = []
        const server = new FullServer({ name: 's', version: '1' })
        server.registerTool('t', {}, async (ctx) => {
          const branch = async (key: string) => {
            const { content } = await ctx.elicit({
              key,
              message: key,
              schema: z.object({ value: z.string() }),
            })
            return ctx.step(`step-${key}`, () => {
              ran.push(key)
              return `${key}=${content?.value}`
            })
          }
          const [a, b] = await Promise.all([branch('a'), branch('b')])
          const [c, d] = await Promise.all([branch('c'), branch('d')])
          return [a, b, c, d].join(' ')
        })
        const app = openApp(server, {}, env)
        let state: string | undefined
        let text: string | undefined
        for (const answered of [...rounds, keys, keys]) {
          const inputResponses = Object.fromEntries(
            answered.map((key) => [
              key,
              { action: 'accept', content: { value: key.toUpperCase() } },
            ]),
          )
          const { body } = await app.modern(
            'tools/call',
            { name: 't', inputResponses, ...(state && { requestState: state }) },
            { meta: CAPABILITIES },
          )
          if (body.result.resultType === 'complete') {
            text = body.result.content[0].text
            break
          }
          state = body.result.requestState
        }
        expect(text).toBe('a=A b=B c=C d=D')
        expect(ran.toSorted()).toEqual(keys)
      }),
      { numRuns: 60 },
    )
  })
})

describe('a requestState of the next version', () => {
  it('is accepted when only members were added', async () => {
    const { ask, answer, ran } = serve()
    const context = JSON.stringify(['state', null, 'tools/call', 't', null, {}])
    const sealer = testSealer()
    const state = await resealedAsNextVersion(sealer, 'request-state/1', await ask(), context)
    expect((await answer(state)).result.content).toEqual([{ type: 'text', text: 'accept' }])
    expect(ran).toEqual(['t'])
  })

  it('is refused like any invalid one when its format is newer, and telemetry says why', async () => {
    const { ask, answer, app } = serve()
    expect((await answer(sealOfNextVersion(await ask()))).error).toEqual(REFUSED)
    expect(app.events).toContainEqual({
      type: 'sealed-by-newer-version',
      purpose: 'request-state/2',
    })
  })
})
