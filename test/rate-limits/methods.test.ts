// features: rate-limits
import { describe, expect, it } from 'vitest'
import { createSampleServer } from '../support/sample-server.ts'
import { MODERN, openApp } from '../support/test-app.ts'
import { verifies } from '../support/verifies.ts'
import { from } from './limited-server.ts'

const ADDRESS = from('192.0.2.1')

const COMPLETION = {
  ref: { type: 'ref/prompt', name: 'greet' },
  argument: { name: 'who', value: 'a' },
}
const CALL = { name: 'echo', arguments: { text: 'x' } }

const VERSIONS = [MODERN, '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

/** The statuses of three requests where the network may send two. */
async function statusesOfThree(version: string, method: string, params: object) {
  const rateLimits = { classes: { network: { limit: 2 } } }
  const app = openApp(createSampleServer(), { rateLimits }, {})
  const send = async () => {
    if (version === MODERN) return app.modern(method, { ...params }, { headers: ADDRESS })
    const body = { jsonrpc: '2.0', id: 1, method, params }
    return app.post(body, { 'mcp-protocol-version': version, ...ADDRESS })
  }
  return [(await send()).status, (await send()).status, (await send()).status]
}

describe('rate limits', () => {
  it.each(VERSIONS)('refuse tool calls above them in %s', async (version) => {
    verifies('tools/calls-are-rate-limited')
    expect(await statusesOfThree(version, 'tools/call', CALL)).toEqual([200, 200, 429])
  })

  it.each(VERSIONS)('refuse completions above them in %s', async (version) => {
    verifies('completion/rate-is-limited')
    expect(await statusesOfThree(version, 'completion/complete', COMPLETION)).toEqual([
      200, 200, 429,
    ])
  })
})
