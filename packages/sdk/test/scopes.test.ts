/** Scopes of registrations: those of Edgeway, and `scopeChallenge` of the SDK 2.x. */
import { describe, expect, it } from 'vitest'
import { verifier } from '../../../src/auth/index.ts'
import { openApp } from '../../../test/support/test-app.ts'
import { McpServer, ResourceTemplate, requireScopes } from '../src/index.ts'
import { create, listed } from './sdk-app.ts'

const content = [{ type: 'text' as const, text: 'done' }]
const contents = [{ uri: 'x://a', text: 'read' }]
const messages = [{ role: 'user' as const, content: content[0] as { type: 'text'; text: string } }]

const challenge = { scopeChallenge: requireScopes('write') }

function guarded() {
  const server = create()
  server.registerTool('challenged', challenge, () => ({ content }))
  server.registerTool('scoped', { scopes: ['write'] }, () => ({ content }))
  server.registerTool('open', {}, () => ({ content }))
  server.registerPrompt('challenged', challenge, () => ({ messages }))
  server.registerResource('a', 'x://a', challenge, () => ({ contents }))
  server.registerResource(
    'b',
    new ResourceTemplate('x://b/{id}', {
      list: () => ({ resources: [{ uri: 'x://b/1', name: 'one' }] }),
    }),
    { ...challenge, scopes: ['read'] },
    () => ({ contents }),
  )
  return server
}

/** A caller with these scopes. */
function appFor(...scopes: readonly string[]) {
  return openApp(guarded(), { auth: verifier(async () => ({ subject: 'ada', scopes })) })
}
const headers = { authorization: 'Bearer key' }

const CALLS = [
  ['tools/call', { name: 'challenged' }],
  ['tools/call', { name: 'scoped' }],
  ['prompts/get', { name: 'challenged' }],
  ['resources/read', { uri: 'x://a' }],
  ['resources/read', { uri: 'x://b/1' }],
] as const

describe('a registration of a moved server that requires scopes', () => {
  it.each(CALLS)('refuses %s %j of a token without them', async (method, params) => {
    const { status, body } = await appFor('read').modern(method, params, { headers })
    expect([status, body.result]).toEqual([403, undefined])
  })

  it.each(CALLS)('answers %s %j of a token that has them', async (method, params) => {
    const { status, body } = await appFor('read', 'write').modern(method, params, { headers })
    expect([status, body.error]).toEqual([200, undefined])
  })

  it('does not show them in lists', async () => {
    const { body } = await appFor('read', 'write').modern('resources/list', {}, { headers })
    expect(JSON.stringify(body.result)).toContain('x://b/1')
    expect(JSON.stringify(body.result)).not.toContain('copes')
  })

  it('keeps them when it is updated, and takes others', async () => {
    const server = create()
    const tool = server.registerTool('t', challenge, () => ({ content }))
    tool.update({ description: 'T' })
    const other = server.registerTool('u', {}, () => ({ content }))
    other.update({ scopes: ['write'] })
    const auth = verifier(async () => ({ subject: 'ada', scopes: ['read'] }))
    const app = openApp(server, { auth })
    for (const name of ['t', 'u']) {
      expect((await app.modern('tools/call', { name }, { headers })).status).toBe(403)
    }
  })

  it('is refused at start with a function, whose refusals would be lost', () => {
    const scopeChallenge = (() => ({ scopes: ['write'] })) as never
    const tool = create()
    tool.registerTool('t', { scopeChallenge }, () => ({ content }))
    expect(() => openApp(tool)).toThrow(/^Tool "t": scopeChallenge cannot decide in each call: use/)
    const prompt = create()
    prompt.registerPrompt('p', { scopeChallenge }, () => ({ messages }))
    expect(() => openApp(prompt)).toThrow(/^Prompt "p": scopeChallenge/)
    const resource = create()
    resource.registerResource('r', 'x://a', { scopeChallenge }, () => ({ contents }))
    expect(() => openApp(resource)).toThrow(/^Resource "r": scopeChallenge/)
  })

  it('is not called without authorization', async () => {
    const app = openApp(guarded())
    const { body } = await app.modern('tools/call', { name: 'challenged' })
    expect(body.result).toBeUndefined()
    expect(await listed(app, 'tools')).toHaveLength(3)
  })
})

describe('the capabilities that a moved server declares by name', () => {
  const declared = () => {
    const server = new McpServer(
      { name: 's', version: '1' },
      { capabilities: { experimental: { 'x/a': { on: true } }, extensions: { 'x/b': {} } } },
    )
    server.server.registerCapabilities({
      experimental: { 'x/c': {} },
      extensions: { 'x/d': { level: 2 }, 'io.modelcontextprotocol/tasks': {} },
    })
    server.registerTool('t', {}, () => ({ content }))
    return server
  }

  it('reach clients, but not extensions of the protocol, which features declare', async () => {
    const { body } = await openApp(declared()).modern('server/discover')
    expect(body.result.capabilities).toMatchObject({
      experimental: { 'x/a': { on: true }, 'x/c': {} },
      extensions: { 'x/b': {}, 'x/d': { level: 2 } },
      tools: {},
    })
    expect(Object.keys(body.result.capabilities.extensions)).toEqual(['x/b', 'x/d'])
  })

  it('are absent where none is declared', async () => {
    const server = create()
    server.registerTool('t', {}, () => ({ content }))
    const { body } = await openApp(server).modern('server/discover')
    expect(Object.keys(body.result.capabilities).sort()).toEqual(['logging', 'tools'])
  })
})
