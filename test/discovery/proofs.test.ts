/** Proofs of a domain: exact texts, nothing until they are configured, and errors for texts that directories refuse. */

import { describe, expect, it } from 'vitest'
import { type ProofOptions, proofs } from '../../src/features/proofs/index.ts'
import { createEdgeway } from '../../src/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { FullServer } from '../support/full-server.ts'
import { connectApp } from '../support/test-app.ts'
import { get } from './discovered.ts'

const OPENAI = '/.well-known/openai-apps-challenge'
const REGISTRY = '/.well-known/mcp-registry-auth'

const TOKEN = 'wXQ8-Zr4_kQ1.9'
const ED25519 = `v=MCPv1; k=ed25519; p=${'A'.repeat(43)}=`
const P384 = `v=MCPv1; k=ecdsap384; p=AvUGKTlupoWJNtt1rtl5R5SD9Z3yK59b7dTHmdbt53BWO/EqQARKJm+V22+awwN/HA==`

function open(options: ProofOptions, env: object = {}) {
  const events: TelemetryEvent[] = []
  const edgeway = createEdgeway(new FullServer({ name: 'a', version: '1' }), {
    features: [proofs(options)],
    telemetry: (event) => void events.push(event),
  })
  return connectApp(edgeway, env, events)
}

describe('a proof', () => {
  it.each([
    [OPENAI, { openaiApps: TOKEN }, TOKEN],
    [OPENAI, { openaiApps: ` ${TOKEN}\r\n` }, TOKEN],
    [OPENAI, { openaiApps: (env: { TOKEN: string }) => env.TOKEN }, TOKEN],
    [OPENAI, { openaiApps: async (env: { TOKEN: string }) => `${env.TOKEN}\n` }, TOKEN],
    [REGISTRY, { mcpRegistry: ED25519 }, ED25519],
    [REGISTRY, { mcpRegistry: `\n${P384}\n` }, P384],
    [REGISTRY, { mcpRegistry: ED25519.replaceAll('; ', ';') }, ED25519.replaceAll('; ', ';')],
  ] as readonly [string, ProofOptions, string][])(
    'at %s is its exact text',
    async (path, options, text) => {
      const app = open(options, { TOKEN })
      const headers = { accept: 'text/plain', 'user-agent': 'mcp-registry/1.0' }
      const response = await get(app, path, { headers })
      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers)).toEqual({
        'cache-control': 'no-store',
        'content-type': 'text/plain',
        'x-content-type-options': 'nosniff',
      })
      expect(await response.text()).toBe(text)
      const head = await get(app, path, { method: 'HEAD' })
      expect([head.status, await head.text()]).toEqual([200, ''])
    },
  )

  it.each([
    {},
    { openaiApps: undefined, mcpRegistry: '' },
    { openaiApps: '  \n', mcpRegistry: () => undefined },
    { openaiApps: ({ MISSING }: { MISSING?: string }) => MISSING, mcpRegistry: async () => '' },
  ] as ProofOptions[])('is answered with 404 until it is configured: %j', async (options) => {
    const app = open(options)
    for (const path of [OPENAI, REGISTRY]) {
      const response = await get(app, path)
      expect(response.status).toBe(404)
      expect(response.headers.get('content-type')).toMatch('application/json')
      expect(await response.json()).toMatchObject({ error: 'not_found' })
    }
  })

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('answers %s with 405', async (method) => {
    const response = await get(open({ openaiApps: TOKEN }), OPENAI, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('needs https, except on this machine', async () => {
    const app = open({ openaiApps: TOKEN })
    expect((await get(app, OPENAI, { origin: 'http://evil.example' })).status).toBe(403)
    expect((await get(app, OPENAI, { origin: 'http://127.0.0.1:8787' })).status).toBe(200)
  })

  it('of the environment that is invalid is answered with 500, and reported', async () => {
    const app = open({ openaiApps: () => 'two words', mcpRegistry: () => 7 as never })
    for (const path of [OPENAI, REGISTRY]) {
      const response = await get(app, path)
      expect(response.status).toBe(500)
      expect(await response.text()).not.toContain('two words')
    }
    expect(app.events).toMatchObject([
      {
        type: 'internal-error',
        error: { message: expect.stringMatching(/^proofs\.openaiApps must/) },
      },
      {
        type: 'internal-error',
        error: { message: expect.stringMatching(/^proofs\.mcpRegistry must/) },
      },
    ])
  })
})

describe('proofs() with a text that the directory would refuse', () => {
  it.each([
    [{ openaiApps: 'two words' }, /^proofs\.openaiApps must be the token alone/],
    [{ openaiApps: '{"token":"a"}' }, /token alone/],
    [{ openaiApps: '["a"]' }, /token alone/],
    [{ openaiApps: '"a"' }, /token alone/],
    [{ openaiApps: 'a\nb' }, /token alone/],
    [{ openaiApps: 'tökén' }, /token alone/],
    [{ openaiApps: 'a'.repeat(4097) }, /at most 4,096 characters/],
    [{ openaiApps: 7 }, /token alone/],
    [{ mcpRegistry: 'A'.repeat(43) }, /^proofs\.mcpRegistry must be one record like/],
    [{ mcpRegistry: `${ED25519}\n${P384}` }, /one record/],
    [{ mcpRegistry: `"${ED25519}"` }, /one record/],
    [{ mcpRegistry: ED25519.replace('MCPv1', 'MCPv2') }, /one record/],
    [{ mcpRegistry: ED25519.replace('ed25519', 'rsa') }, /one record/],
    [{ mcpRegistry: ED25519.replace('=A', '=AA') }, /44 characters, or 68/],
    [{ mcpRegistry: ED25519.slice(0, -1) }, /one record/],
    [{ mcpRegistry: ED25519.replace('AAAA', 'A_A-') }, /one record/],
    [{ mcpRegistry: ED25519.replace('ed25519', 'ecdsap384') }, /one record/],
    // The uncompressed form of a key begins with 4.
    [{ mcpRegistry: P384.replace('p=Av', 'p=BA') }, /one record/],
    [{ mcpRegistry: `v=MCPv1; k=ed25519; p=${'a1'.repeat(32)}` }, /one record/],
    [{ openai: TOKEN }, /^proofs\.openai does not exist/],
  ])('throws for %j', (options, message) => {
    expect(() => proofs(options as never)).toThrow(message)
    expect(() => proofs(options as never)).toThrow(TypeError)
  })

  it.each([[undefined], [null], [TOKEN]])('throws for %j', (options) => {
    expect(() => proofs(options as never)).toThrow('proofs must be an object')
  })
})
