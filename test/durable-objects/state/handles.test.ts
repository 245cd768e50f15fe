import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { principalDigest } from '../../../src/protocol/principal.ts'
import type { FullContext } from '../../support/full-server.ts'
import { openTaskApp, taskEvents, taskServer } from '../../support/task-server.ts'
import { openApp } from '../../support/test-app.ts'
import { verifies } from '../../support/verifies.ts'
import { TaskClient } from '../task/task-client.ts'
import { as, create, get, outcomeOf, reasonOfGet, run } from './run.ts'

const ISSUER = 'https://tasks.example.com'

describe('a state handle', () => {
  it('finds its value in other calls of the same caller', async () => {
    verifies('statelessness/state-has-an-identifier')
    const value = { list: [1, 'two', null], deep: { '': 'é' } }
    const handle = await create(value, as('alice'))
    expect(await get(handle, as('alice'))).toEqual(value)
  })

  it('discloses neither its value nor its owner', async () => {
    const [one, other] = [await create('secret', as('alice')), await create('secret', as('alice'))]
    expect(one).toMatch(/^[\w.-]{60,300}$/)
    expect(one.slice(12)).not.toBe(other.slice(12))
    expect(one).not.toContain(
      await principalDigest({ issuer: ISSUER, subject: 'alice', resource: `${ISSUER}/mcp` }),
    )
  })

  it('returns a frozen value, so that a change of it is not mistaken for an update', async () => {
    const handle = await create({ items: [] })
    const change = run(async (ctx) => {
      const cart = await ctx.state.get<{ items: string[] }>(handle)
      return outcomeOf((async () => cart.items.push('shoes'))())
    })
    expect(await change).toBe('TypeError')
  })

  it.each([
    ['an equal number', 1, 1, 'done'],
    [
      'an equal object in another order',
      { a: 1, b: [{ c: 2, d: 3 }] },
      { b: [{ d: 3, c: 2 }], a: 1 },
      'done',
    ],
    ['null', null, null, 'done'],
    ['an array in another order', [1, 2], [2, 1], 'changed'],
    ['a text instead of a number', 1, '1', 'changed'],
    ['null instead of a number', 0, null, 'changed'],
    ['an object with one member more', {}, { a: 1 }, 'changed'],
  ])(
    'compares the expected value with the present one: %s',
    async (_, value, expected, outcome) => {
      const handle = await create(value)
      const update = (ctx: FullContext) => outcomeOf(ctx.state.update(handle, 'new', { expected }))
      expect(await run(update)).toBe(outcome)
      expect(await get(handle)).toEqual(outcome === 'done' ? 'new' : value)
    },
  )

  it('accepts exactly one of many concurrent updates that expect the same value', async () => {
    const handle = await create(0, as('racer'))
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        run((ctx) => outcomeOf(ctx.state.update(handle, index + 1, { expected: 0 })), as('racer')),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'changed')).toHaveLength(7)
    expect(await get(handle, as('racer'))).toBe(outcomes.indexOf('done') + 1)
  })

  it.each([0, -1, Number.NaN, '5', null, {}])(
    'is not created with the lifetime %j',
    async (ttlMs) => {
      const work = (ctx: FullContext) => outcomeOf(ctx.state.create(1, { ttlMs: ttlMs as number }))
      expect(await run(work)).toBe('TypeError')
    },
  )
})

describe('text that is no handle', () => {
  it.each([
    ['nothing', () => ''],
    ['a word', () => 'none'],
    ['a truncated handle', (handle: string) => handle.slice(0, -1)],
    ['a longer handle', (handle: string) => `${handle}A`],
    [
      'a handle with an altered character',
      (handle: string) =>
        `${handle.slice(0, 40)}${handle[40] === 'A' ? 'B' : 'A'}${handle.slice(41)}`,
    ],
    ['a handle of another version', (handle: string) => `2${handle.slice(1)}`],
    ['a handle with a space', (handle: string) => `${handle} `],
    ['NUL and a lone surrogate', () => '\0\ud800'],
    ['a name of a prototype', () => '__proto__'],
    ['a million characters', (handle: string) => handle.padEnd(1_000_000, 'A')],
    ['undefined', () => undefined],
    ['a number', () => 1],
    ['an object', () => ({ toString: () => 'x' })],
  ])('is unknown: %s', async (_, change) => {
    const handle = await create('value')
    expect(await reasonOfGet(change(handle))).toBe('unknown-handle')
  })
})

describe('a value', () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle

  it.each([
    ['undefined', undefined],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a BigInt', 1n],
    ['a cycle', cycle],
  ])('that JSON cannot represent is refused: %s', async (_, value) => {
    const outcomes = await run(async ({ state }) => [
      await outcomeOf(state.create(value)),
      await outcomeOf(state.update(await state.create(1), 2, { expected: value })),
    ])
    expect(outcomes[0]).toBe('TypeError')
    // Without a value to expect, any is replaced.
    expect(outcomes[1]).toBe(value === undefined ? 'done' : 'TypeError')
  })

  it.each([
    ['null', 'null'],
    ['false', 'false'],
    ['an empty text', '""'],
    ['names of prototypes', '{"__proto__":{"polluted":1},"constructor":2,"toString":3}'],
    ['a lone surrogate and NUL', '{"\\ud800":"\\udfff\\u0000"}'],
    ['an exponent', '1e+308'],
  ])('is read as it was stored: %s', async (_, json) => {
    const handle = await create(JSON.parse(json))
    expect(JSON.stringify(await get(handle))).toBe(JSON.stringify(JSON.parse(json)))
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it('has at most state({ bytes }) of JSON in UTF-8', async () => {
    const outcomes = await run(async ({ state }) => [
      await outcomeOf(state.create('x'.repeat(65_534))),
      await outcomeOf(state.create('x'.repeat(65_535))),
      await outcomeOf(state.create('é'.repeat(32_768))),
      await outcomeOf(state.update(await state.create(1), 'x'.repeat(65_535))),
    ])
    expect(outcomes).toEqual(['done', 'too-large', 'too-large', 'too-large'])
  })
})

describe('the number of handles', () => {
  it('of anonymous callers is limited by network, and every network can use a handle', async () => {
    const from = (address: string) =>
      new TaskClient(openTaskApp(), undefined, { 'cf-connecting-ip': address })
    const handle = await create('shared', from('192.0.2.1'))
    for (let n = 2; n <= 30; n++) await create(n, from(`192.0.2.${n}`))
    const next = (address: string) => run((ctx) => outcomeOf(ctx.state.create(0)), from(address))
    expect(await next('192.0.2.77')).toBe('too-many')
    expect(await next('198.51.100.1')).toBe('done')
    expect(await get(handle, from('203.0.113.9'))).toBe('shared')
  })
})

describe('a server without the binding MCP_OBJECTS', () => {
  it('fails a tool that uses state, and says why to the author at localhost and in telemetry', async () => {
    const app = openApp(
      taskServer,
      { telemetry: (event) => taskEvents.push(event) },
      { ...env, MCP_OBJECTS: undefined },
    )
    const { body } = await new TaskClient(app).call('plain', (ctx) => ctx.state.create(1))
    expect(body.result.isError).toBe(true)
    expect(body.result.content[0].text).toContain('needs the binding MCP_OBJECTS')
    expect(String((taskEvents.at(-1) as { error?: unknown }).error)).toContain(
      'needs the binding MCP_OBJECTS',
    )
  })
})
