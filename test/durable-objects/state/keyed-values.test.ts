import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { FullContext } from '../../support/full-server.ts'
import { openSession, type SessionClient, textOf } from '../../support/session-client.ts'
import { readMessage } from '../../support/sse-reader.ts'
import { kill } from '../session/lifetime.ts'
import { NOTHING, storedBy } from '../session/stored.ts'
import { as, outcomeOf, run } from './run.ts'

/** Runs `work` in a call of a session, and returns its result. */
async function inSession<T>(
  session: SessionClient,
  work: (ctx: FullContext) => Promise<T>,
): Promise<T> {
  const message = await readMessage(
    await session.call(async (ctx) => JSON.stringify([await work(ctx)])),
  )
  return JSON.parse(textOf(message))[0]
}

const scopes = [
  {
    scope: 'session' as const,
    open: async () => {
      const session = await openSession()
      return <T>(work: (ctx: FullContext) => Promise<T>) => inSession(session, work)
    },
  },
  {
    scope: 'principal' as const,
    open: async () => {
      const client = as(crypto.randomUUID())
      return <T>(work: (ctx: FullContext) => Promise<T>) => run(work, client)
    },
  },
]

describe.each(scopes)('a value of ctx.state.$scope', ({ scope, open }) => {
  it('is set, read, updated and deleted by its key', async () => {
    const call = await open()
    const get = () => call(async ({ state }) => (await state[scope].get('cart')) ?? 'none')
    expect(await get()).toBe('none')
    await call(({ state }) => state[scope].set('cart', { items: 1 }))
    expect(await get()).toEqual({ items: 1 })
    const update = { expected: { items: 1 } }
    const updates = await call(async ({ state }) => [
      await outcomeOf(state[scope].update('cart', 2, update)),
      await outcomeOf(state[scope].update('cart', 3, update)),
      await outcomeOf(state[scope].update('basket', 3)),
    ])
    expect(updates).toEqual(['done', 'changed', 'unknown-key'])
    await call(({ state }) => state[scope].delete('cart'))
    await call(({ state }) => state[scope].delete('cart'))
    expect(await get()).toBe('none')
  })

  it('is not found by another one', async () => {
    const [one, other] = [await open(), await open()]
    await one(({ state }) => state[scope].set('key', 'of one'))
    expect(await other(async ({ state }) => (await state[scope].get('key')) ?? 'none')).toBe('none')
  })

  it.each(['__proto__', 'constructor', 'a'.repeat(64)])('may have the key %s', async (key) => {
    const call = await open()
    await call(({ state }) => state[scope].set(key, key))
    expect(await call(({ state }) => state[scope].get(key))).toBe(key)
  })

  it.each(['', 'a'.repeat(65), 'a b', 'ä', '\0', '%', undefined, 1])(
    'cannot have the key %j',
    async (key) => {
      const call = await open()
      const outcomes = await call(async ({ state }) => [
        await outcomeOf(state[scope].set(key as string, 1)),
        await outcomeOf(state[scope].get(key as string)),
      ])
      expect(outcomes).toEqual(['TypeError', 'TypeError'])
    },
  )

  it('has at most state({ bytes }) of JSON', async () => {
    const call = await open()
    const set = await call(({ state }) => outcomeOf(state[scope].set('big', 'x'.repeat(65_535))))
    expect(set).toBe('too-large')
  })
})

describe('the values of a session', () => {
  it('survive a kill of the session object', async () => {
    const session = await openSession()
    await inSession(session, ({ state }) => state.session.set('key', 'kept'))
    await kill(session)
    expect(await inSession(session, ({ state }) => state.session.get('key'))).toBe('kept')
  })

  it('survive the alarms of the session, and end with it', async () => {
    const session = await openSession()
    await inSession(session, ({ state }) => state.session.set('key', 'kept'))
    await runInDurableObject(await session.stub(), (object) =>
      (object as unknown as { alarm(): Promise<void> }).alarm(),
    )
    expect(await inSession(session, ({ state }) => state.session.get('key'))).toBe('kept')
    await session.end()
    expect(await storedBy(session)).toEqual(NOTHING)
  })

  it('are at most 100', async () => {
    const session = await openSession()
    const outcomes = await inSession(session, async ({ state }) => {
      const ended: string[] = []
      for (let n = 0; n <= 100; n++) ended.push(await outcomeOf(state.session.set(`k${n}`, n)))
      ended.push(await outcomeOf(state.session.set('k0', 'again')))
      return ended
    })
    expect(outcomes.filter((outcome) => outcome !== 'done')).toEqual(['too-many'])
    expect(outcomes.indexOf('too-many')).toBe(100)
  })

  it('do not exist in a call without a session, whose error says so', async () => {
    const outcomes = await run(async ({ state: { session } }) => [
      await outcomeOf(session.get('key')),
      await outcomeOf(session.set('key', 1)),
      await outcomeOf(session.update('key', 1)),
      await outcomeOf(session.delete('key')),
    ])
    expect(new Set(outcomes)).toEqual(new Set(['no-session']))
  })
})

describe('the values of a principal', () => {
  it('share their limit with its handles', async () => {
    const client = as('collector')
    for (let n = 0; n < 29; n++) await run((ctx) => ctx.state.principal.set(`k${n}`, n), client)
    await run((ctx) => ctx.state.create(1), client)
    const outcomes = await run(
      async ({ state }) => [
        await outcomeOf(state.principal.set('one-more', 1)),
        await outcomeOf(state.create(1)),
        await outcomeOf(state.principal.set('k0', 'again')),
      ],
      client,
    )
    expect(outcomes).toEqual(['too-many', 'too-many', 'done'])
  })

  it('do not exist for an anonymous caller, whose error says so', async () => {
    expect(await run((ctx) => outcomeOf(ctx.state.principal.set('key', 1)))).toBe('no-principal')
  })
})
