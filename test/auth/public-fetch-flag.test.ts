/** The compatibility flag that keeps URLs of clients out of the deployer's own zone. */

import { afterEach, describe, expect, it, vi } from 'vitest'
import { external } from '../../src/auth/index.ts'
import { McpServer } from '../../src/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { createFullEdgeway } from '../support/full-app.ts'

function eventsAtStart(
  options: Partial<Parameters<typeof createFullEdgeway>[1]> = {},
): TelemetryEvent[] {
  const events: TelemetryEvent[] = []
  const server = new McpServer({ name: 'flags', version: '1.0.0' })
  createFullEdgeway(server, { telemetry: (event) => events.push(event), ...options })
  return events
}

const auth = external({ issuers: [{ issuer: 'https://issuer.example' }], scopes: {} })

describe('the compatibility flag global_fetch_strictly_public', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('is read from the platform', () => {
    expect(Cloudflare.compatibilityFlags.global_fetch_strictly_public).toBe(true)
    expect(eventsAtStart({ auth })).toEqual([])
  })

  it('is reported at the start of a server with authorization when it is missing', () => {
    vi.stubGlobal('Cloudflare', { compatibilityFlags: { global_fetch_strictly_public: false } })
    expect(eventsAtStart({ auth })).toEqual([
      {
        type: 'definition-warning',
        subject: 'The compatibility flag global_fetch_strictly_public',
        message: expect.stringMatching(/compatibility_flags$/),
      },
    ])
    expect(eventsAtStart()).toEqual([])
  })

  it('is not reported where the platform does not name its flags', () => {
    vi.stubGlobal('Cloudflare', undefined)
    expect(eventsAtStart({ auth })).toEqual([])
  })
})
