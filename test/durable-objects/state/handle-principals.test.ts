/** State handles of signed-in callers: each principal has an object of its own, which no other caller reaches. */
// features: auth
import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { StateObject } from '../../../durable-objects/state/state-object.ts'
import { principalDigest } from '../../../src/protocol/principal.ts'
import { objectsOfKind } from '../../support/objects.ts'
import { openTaskApp } from '../../support/task-server.ts'
import { verifies } from '../../support/verifies.ts'
import { TaskClient } from '../task/task-client.ts'
import { as, create, get, outcomeOf, reasonOfGet, run } from './run.ts'

const ISSUER = 'https://tasks.example.com'

/** The state object of a subject of the server behind authorization. */
async function objectOf(subject: string) {
  const principal = { issuer: ISSUER, subject, resource: `${ISSUER}/mcp` }
  return objectsOfKind<StateObject>('state').named(await principalDigest(principal))
}

describe('a state handle of a principal', () => {
  it.each([Number.POSITIVE_INFINITY, 1e300, 89 * 86_400_000])(
    'lives at most for state({ ttlMs }): %d',
    async (ttlMs) => {
      const before = Date.now()
      await create(1, as(`long ${ttlMs}`), ttlMs)
      const expiry = await runInDurableObject(
        await objectOf('long'),
        (_, { storage }) =>
          storage.sql.exec<{ at: number }>('SELECT max(expires_at) AS at FROM entries').one().at,
      )
      expect(expiry - before).toBeLessThan(30 * 86_400_000 + 60_000)
    },
  )
})

describe('the handle of another caller', () => {
  it('is unknown to every operation, and keeps its value', async () => {
    verifies('authorization-security-practices/state-handles')
    const handle = await create('mine', as('alice'))
    for (const stranger of [as('mallory'), new TaskClient(openTaskApp())]) {
      const outcomes = await run(
        async ({ state }) => [
          await outcomeOf(state.get(handle)),
          await outcomeOf(state.update(handle, 'taken')),
          await outcomeOf(state.delete(handle)),
        ],
        stranger,
      )
      expect(outcomes).toEqual(['unknown-handle', 'unknown-handle', 'unknown-handle'])
    }
    expect(await get(handle, as('alice'))).toBe('mine')
  })

  it('that is anonymous is unknown to a signed-in caller', async () => {
    expect(await reasonOfGet(await create(1), as('alice'))).toBe('unknown-handle')
  })

  it('has the same message as a handle that never existed', async () => {
    const foreign = await create(1, as('alice'))
    const deleted = await create(1, as('mallory'))
    await run((ctx) => ctx.state.delete(deleted), as('mallory'))
    const messages = await Promise.all(
      [foreign, deleted, 'nonsense'].map(async (handle) => {
        const { body } = await as('mallory').call('plain', async (ctx) =>
          String(await ctx.state.get(handle)),
        )
        expect(body.result.isError).toBe(true)
        return body.result.content[0].text
      }),
    )
    expect(new Set(messages)).toEqual(
      new Set([
        'There is no state with this handle: it has expired, was deleted, or belongs to another caller. Create it again.',
      ]),
    )
  })
})
