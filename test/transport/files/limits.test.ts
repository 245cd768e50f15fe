/** The URLs that need no token are counted by network, so that a program cannot guess their secrets. */
// features: sessions, files, rate-limits
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { taskServer } from '../../support/task-server.ts'
import { ENDPOINT, openApp } from '../../support/test-app.ts'

const app = openApp(taskServer, { rateLimits: { classes: { network: { limit: 2 } } } }, env)

const { origin } = new URL(ENDPOINT)

describe('a guessed URL', () => {
  it.each([
    ['/files/guessed', 'GET', '192.0.2.10'],
    ['/files/guessed', 'HEAD', '198.51.100.10'],
    ['/uploads/guessed', 'GET', '203.0.113.10'],
    ['/uploads/guessed', 'PUT', '192.88.99.10'],
    ['/webhooks/guessed', 'POST', '100.64.0.10'],
  ])('%s is refused to the third %s of a network', async (path, method, address) => {
    const send = async (from: string) => {
      const body = method === 'PUT' || method === 'POST' ? '{}' : null
      const headers = { 'cf-connecting-ip': from, 'content-type': 'application/json' }
      return app.fetch(new Request(`${origin}${path}`, { method, headers, body }))
    }
    expect([(await send(address)).status, (await send(address)).status]).toEqual([404, 404])
    const refused = await send(address)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})
