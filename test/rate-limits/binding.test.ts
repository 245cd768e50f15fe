// features: rate-limits
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { advanceClock } from '../support/clock.ts'
import { from, limitClassesOf, openLimitedApp, statusesFrom } from './limited-server.ts'

/** No other test counts by this network: the binding is shared. */
const newAddress = () => `2001:db8:${crypto.randomUUID().slice(9, 18).replace('-', ':')}::1`

const NETWORK = { classes: { network: { limit: 1_000 } } }

describe('the rate limiting binding of a class', () => {
  it('replaces the limit of the class, and the period of the class is Retry-After', async () => {
    const app = openLimitedApp(NETWORK, { MCP_LIMIT_NETWORK: env.FIVE_PER_MINUTE })
    const address = newAddress()
    // Twice the limit and one more: the minute of the binding may end in between.
    const statuses = await statusesFrom(app, Array(11).fill(address))
    expect(statuses.slice(0, 5)).toEqual([200, 200, 200, 200, 200])
    expect(statuses).toContain(429)
    const refused = await app.modern('tools/list', {}, { headers: from(address) })
    if (refused.status === 429) expect(refused.headers.get('retry-after')).toBe('60')
    expect(limitClassesOf(app)[0]).toBe('network')
    expect(await statusesFrom(app, [newAddress()])).toEqual([200])
  })

  it('counts the calls of a tool, and the refusal names the longest possible wait', async () => {
    const app = openLimitedApp(NETWORK, { MCP_LIMIT_COSTLY: env.FIVE_PER_MINUTE })
    const headers = from(newAddress())
    const answers = []
    for (let id = 1; id <= 11; id++) {
      answers.push(await app.modern('tools/call', { name: 'echo' }, { id, headers }))
    }
    expect(answers.slice(0, 5).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const refused = answers.find(({ body }) => body.result.isError === true)
    expect(refused?.body.result.content).toEqual([
      {
        type: 'text',
        text: 'Too many calls of the tool echo. Nothing was done. Call it again in at most 60 seconds.',
      },
    ])
  })

  it('receives a digest of the key, and neither a limit nor a period', async () => {
    const received: object[] = []
    const binding = {
      limit: async (options: object) => {
        received.push(options)
        return { success: true }
      },
    }
    const app = openLimitedApp(NETWORK, { MCP_LIMIT_NETWORK: binding })
    await statusesFrom(app, ['192.0.2.1', '192.0.2.1', '192.0.2.2'])
    expect(received).toEqual([
      { key: expect.stringMatching(/^[\w-]{43}$/) },
      received[0],
      { key: expect.stringMatching(/^[\w-]{43}$/) },
    ])
    expect(received[2]).not.toEqual(received[0])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['never answers', () => new Promise(() => undefined)],
    ['answers nothing', () => Promise.resolve(undefined)],
  ])(
    'that %s fails no request, is reported, and is asked again after a second',
    async (_, limit) => {
      let calls = 0
      const binding = {
        limit: () => {
          calls += 1
          return limit()
        },
      }
      const app = openLimitedApp(NETWORK, { MCP_LIMIT_NETWORK: binding })
      expect(await statusesFrom(app, Array(5).fill('192.0.2.1'))).toEqual(Array(5).fill(200))
      const failures = () => app.events.filter(({ type }) => type === 'internal-error').length
      expect([calls, failures()]).toEqual([1, 1])
      advanceClock(1_000)
      expect(await statusesFrom(app, ['192.0.2.1', '192.0.2.1'])).toEqual([200, 200])
      expect([calls, failures()]).toEqual([2, 2])
    },
  )

  it('that answers without a verdict allows the request', async () => {
    const binding = { limit: async () => ({}) }
    const app = openLimitedApp(NETWORK, { MCP_LIMIT_NETWORK: binding })
    expect(await statusesFrom(app, ['192.0.2.1', '192.0.2.1'])).toEqual([200, 200])
  })

  it('that has no class, or is of another kind, is reported once and not used', async () => {
    const app = openLimitedApp(
      { classes: { network: { limit: 1 } } },
      { MCP_LIMIT_NETWORKS: env.FIVE_PER_MINUTE, MCP_LIMIT_NETWORK: 'text' },
    )
    expect(await statusesFrom(app, ['192.0.2.1', '192.0.2.1'])).toEqual([200, 429])
    expect(app.events.filter(({ type }) => type === 'definition-warning')).toEqual([
      {
        type: 'definition-warning',
        subject: 'The binding MCP_LIMIT_NETWORKS',
        message: 'it is not used, because rateLimits has no such class',
      },
      {
        type: 'definition-warning',
        subject: 'The binding MCP_LIMIT_NETWORK',
        message: 'it is not used, because it is no rate limiting binding',
      },
    ])
  })
})
