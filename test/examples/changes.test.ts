/** Tests the changes example: the cron notifies the subscribed listeners and no others. */
import { createExecutionContext, createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import changes from '../../examples/changes/worker.ts'
import { connect } from '../../packages/testing/src/index.ts'
import { verifies } from '../support/verifies.ts'
import { createClient } from './client.ts'

const { ask } = createClient((request) => changes.fetch(request, env, createExecutionContext()))

const runCron = (bindings: typeof env) =>
  changes.scheduled(createScheduledController({ cron: '0 0 * * *' }), bindings)

afterEach(() => {
  vi.useRealTimers()
})

describe('the changes example', () => {
  it('notifies every listener that subscribed to the resource, and no other listener', async () => {
    verifies('authorization/status-codes')
    verifies('oauth-2-1-resource-requests/token-and-scope-are-validated')
    const client = await connect(changes, { env })
    const today = ['almanac://today']
    const one = await client.listen({ resourceSubscriptions: today })
    const two = await client.listen({ resourceSubscriptions: [...today, 'almanac://tomorrow'] })
    const none = await client.listen({ toolsListChanged: true })
    await runCron(env)
    for (const listener of [one, two]) {
      expect(await listener.next()).toEqual({ kind: 'resource_updated', uri: 'almanac://today' })
      expect(listener.unread).toEqual([])
    }
    expect(none.unread).toEqual([])
    for (const listener of [one, two, none]) listener.close()
  })

  it('fails the scheduled run when the notification cannot be published', async () => {
    const unreachable = () => Promise.reject(new Error('away'))
    const objects = { getByName: () => ({ call: unreachable }) }
    await expect(runCron({ ...env, MCP_OBJECTS: objects } as never)).rejects.toThrow(
      'did not store the change',
    )
  })

  it('completes the scheduled run without the binding of the objects', async () => {
    await expect(runCron({} as typeof env)).resolves.toBeUndefined()
  })

  it.each([
    ['2000-01-07T12:00:00Z', { date: '2000-01-07', dayOfYear: 7, moonAgeDays: 0 }],
    ['2024-12-31T23:59:59Z', { date: '2024-12-31', dayOfYear: 366, moonAgeDays: 0 }],
    ['2026-11-20T00:00:00Z', { date: '2026-11-20', dayOfYear: 324, moonAgeDays: 10 }],
  ])('returns the almanac of the current day at %s', async (now, day) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) })
    const { contents, cacheScope } = await ask('resources/read', { uri: 'almanac://today' })
    expect(JSON.parse(contents[0].text)).toEqual(day)
    expect(cacheScope).toBe('public')
  })
})
