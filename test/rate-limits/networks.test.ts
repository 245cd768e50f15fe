import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { HOSTED_NETWORKS } from '../../src/features/rate-limits/index.ts'
import { advanceClock } from '../support/clock.ts'
import { from, limitClassesOf, MINUTE_MS, openLimitedApp, statusesFrom } from './limited-server.ts'

const TWO = { classes: { network: { limit: 2 } } }
const HOSTED = { classes: { network: { limit: 1 }, 'hosted-network': { limit: 3 } } }

describe('the limit of a network', () => {
  it('refuses a request above it with 429, Retry-After, a JSON-RPC error and an event', async () => {
    const app = openLimitedApp({ classes: { network: { limit: 1, periodSeconds: 10 } } })
    await app.modern('tools/list', {}, { headers: from('192.0.2.1') })
    const { status, headers, body } = await app.modern(
      'tools/list',
      {},
      { headers: from('192.0.2.1') },
    )
    expect([status, headers.get('retry-after'), headers.get('content-type')]).toEqual([
      429,
      '10',
      'application/json',
    ])
    expect(body).toEqual({
      jsonrpc: '2.0',
      error: {
        code: -32600,
        message: 'Too many requests. Retry after 10 seconds [rate-limited]',
        data: { retryAfterSeconds: 10 },
      },
    })
    expect(app.events).toEqual([
      {
        type: 'refusal',
        name: 'rate-limited',
        status: 429,
        message: 'Too many requests. Retry after 10 seconds',
        limitClass: 'network',
      },
    ])
  })

  it.each([
    [
      'the modern era',
      (app: ReturnType<typeof openLimitedApp>) =>
        app.modern('tools/list', {}, { headers: from('192.0.2.1') }),
    ],
    [
      'a session era',
      (app: ReturnType<typeof openLimitedApp>) =>
        app.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, from('192.0.2.1')),
    ],
    [
      'a GET',
      (app: ReturnType<typeof openLimitedApp>) =>
        app.fetch(new Request('http://localhost:8787/mcp', { headers: from('192.0.2.1') })),
    ],
    [
      'the 2024-11-05 transport',
      (app: ReturnType<typeof openLimitedApp>) =>
        app.fetch(new Request('http://localhost:8787/sse', { headers: from('192.0.2.1') })),
    ],
    [
      'webhooks',
      (app: ReturnType<typeof openLimitedApp>) =>
        app.fetch(
          new Request('http://localhost:8787/webhooks/forged', {
            method: 'POST',
            headers: { ...from('192.0.2.1'), 'content-type': 'application/json' },
            body: '{}',
          }),
        ),
    ],
  ])('is the same for requests of %s', async (_, send) => {
    const app = openLimitedApp(TWO)
    await statusesFrom(app, ['192.0.2.1', '192.0.2.1'])
    expect((await send(app)).status).toBe(429)
  })

  it('refuses a large body before it is read, and the client receives the refusal', async () => {
    const app = openLimitedApp(TWO)
    await statusesFrom(app, ['192.0.2.1', '192.0.2.1'])
    const response = await app.post('x'.repeat(5 * 1024 * 1024), from('192.0.2.1'))
    expect(response.status).toBe(429)
  })

  it('does not count a CORS preflight', async () => {
    const app = openLimitedApp(TWO)
    const preflight = () => {
      const init = { method: 'OPTIONS', headers: from('192.0.2.1') }
      return app.fetch(new Request('http://localhost:8787/mcp', init))
    }
    for (let count = 0; count < 5; count++) expect((await preflight()).status).toBe(204)
    expect(await statusesFrom(app, ['192.0.2.1', '192.0.2.1'])).toEqual([200, 200])
  })

  it('allows requests again as time passes', async () => {
    const app = openLimitedApp(TWO)
    const three = ['192.0.2.1', '192.0.2.1', '192.0.2.1']
    expect(await statusesFrom(app, three)).toEqual([200, 200, 429])
    advanceClock(MINUTE_MS / 2)
    expect(await statusesFrom(app, three)).toEqual([200, 429, 429])
    advanceClock(MINUTE_MS)
    expect(await statusesFrom(app, three)).toEqual([200, 200, 429])
  })

  it.each([
    ['an IPv4 address', ['192.0.2.1', '192.0.2.1', '::ffff:192.0.2.1'], '192.0.2.2'],
    [
      'an IPv6 /64',
      ['2001:db8:1:2::1', '2001:db8:1:2:ffff::', '2001:0DB8:1:2::3'],
      '2001:db8:1:3::1',
    ],
    ['unreadable addresses', ['?', '192.0.2.1, 192.0.2.9', '192.0.2.256'], '192.0.2.1'],
    ['empty and long addresses', ['', ' ', '1'.repeat(5000)], '192.0.2.1'],
    [
      'addresses with a port or a zone',
      ['192.0.2.1:80', '[2001:db8::1]', 'fe80::1%eth0'],
      '192.0.2.1',
    ],
  ])('is shared by %s, and leaves other networks their own', async (_, same, other) => {
    const app = openLimitedApp(TWO)
    expect(await statusesFrom(app, same)).toEqual([200, 200, 429])
    expect(await statusesFrom(app, [other, other])).toEqual([200, 200])
  })

  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])(
    'does not apply to the loopback address %s',
    async (address) => {
      const app = openLimitedApp(TWO)
      expect(await statusesFrom(app, Array(5).fill(address))).toEqual(Array(5).fill(200))
    },
  )

  it('does not apply to a request without an address, which did not come from the Internet', async () => {
    const app = openLimitedApp(TWO)
    for (let count = 0; count < 5; count++) {
      expect((await app.modern('tools/list')).status).toBe(200)
    }
  })

  it('holds by default after 1,200 requests', async () => {
    // A clock that stands still: the bucket would fill during a slow test.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const app = openLimitedApp(undefined)
    const statuses = await statusesFrom(app, Array(1_201).fill('192.0.2.1'))
    expect(statuses.indexOf(429)).toBe(1_200)
  })

  it.each([
    ['rateLimits is false', false as const],
    ['its class is lifted', { classes: { network: false as const } }],
  ])('does not exist when %s', async (_, rateLimits) => {
    const app = openLimitedApp(rateLimits)
    const statuses = await statusesFrom(app, Array(1_201).fill('192.0.2.1'))
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  })
})

describe('a hosted network', () => {
  it('has a limit of its own for each address', async () => {
    const app = openLimitedApp(HOSTED)
    const [first, last] = ['160.79.104.0', '160.79.111.255']
    expect(await statusesFrom(app, Array(4).fill(first))).toEqual([200, 200, 200, 429])
    expect(await statusesFrom(app, Array(4).fill(last))).toEqual([200, 200, 200, 429])
    expect(limitClassesOf(app)).toEqual(['hosted-network', 'hosted-network'])
  })

  it.each(['160.79.103.255', '160.79.112.0', '161.79.104.0', '::160.79.104.1'])(
    'does not contain %s',
    async (address) => {
      const app = openLimitedApp(HOSTED)
      expect(await statusesFrom(app, [address, address])).toEqual([200, 429])
    },
  )

  it('is one of the networks that the owner names, in IPv4 and IPv6', async () => {
    const hostedNetworks = { mine: ['198.51.100.0/25', '2001:db8:8000::/33'] }
    const app = openLimitedApp({ ...HOSTED, hostedNetworks })
    for (const hosted of ['198.51.100.127', '2001:db8:ffff::1', '2001:db8:8000::']) {
      expect(await statusesFrom(app, [hosted, hosted, hosted])).toEqual([200, 200, 200])
    }
    for (const other of ['198.51.100.128', '2001:db8:7fff::1', '160.79.104.1']) {
      expect(await statusesFrom(app, [other, other])).toEqual([200, 429])
    }
  })

  it('is added to the default ones by spreading HOSTED_NETWORKS', async () => {
    const hostedNetworks = { ...HOSTED_NETWORKS, mine: ['198.51.100.7/32'] }
    const app = openLimitedApp({ ...HOSTED, hostedNetworks })
    expect(await statusesFrom(app, ['198.51.100.7', '198.51.100.7'])).toEqual([200, 200])
    expect(await statusesFrom(app, ['160.79.104.1', '160.79.104.1'])).toEqual([200, 200])
  })
})
