/** Negotiation of versions, server info, instructions and capabilities. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { connect, MODES, textOf } from './connect.ts'

const SERVER_INFO = {
  name: 'edgeway-fixture',
  version: '1.0.0',
  title: 'Edgeway fixture',
  description: 'Everything the conformance suite and the probes need.',
  websiteUrl: 'https://example.com/edgeway-fixture',
}

const CAPABILITIES = {
  completions: {},
  logging: {},
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  tools: { listChanged: true },
}

/** Each era declares tasks in its own way. In a session a client is answered with the extensions that it offers. */
const EXTENSIONS = {
  modern: {
    extensions: {
      'io.modelcontextprotocol/skills': { directoryRead: true },
      'io.modelcontextprotocol/tasks': {},
      'io.modelcontextprotocol/ui': {},
    },
  },
  session: { tasks: { cancel: {}, requests: { tools: { call: {} } } } },
}

describe.each(MODES)('a client in %s mode', (mode) => {
  test('receives the server info, the instructions and the capabilities', async () => {
    verifies('versioning/discover-is-implemented', 'prompts/capability', 'resources/capability')
    verifies('tools/capability', 'completion/capability')
    const client = await connect(mode)
    expect(client.getServerVersion()).toEqual(SERVER_INFO)
    expect(client.getInstructions()).toBe('Call test_simple_text first.')
    expect(client.getServerCapabilities()).toEqual({ ...CAPABILITIES, ...EXTENSIONS[mode] })
    await client.close()
  })

  test('can connect three times in a row', async () => {
    for (let round = 0; round < 3; round++) {
      const client = await connect(mode)
      expect(textOf(await client.callTool({ name: 'test_simple_text' }))).toBe(
        'This is a simple text response for testing.',
      )
      await client.close()
    }
  })
})

test('a client that is pinned to the modern revision uses it', async () => {
  const client = await connect('modern')
  expect(client.getProtocolEra()).toBe('modern')
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  expect((await client.callTool({ name: 'whoami' })).structuredContent).toEqual({
    subject: null,
    clientId: null,
    scopes: [],
    sessionId: null,
    protocolVersion: '2026-07-28',
    era: 'modern',
  })
  await client.close()
})

test('a client in its default mode uses the newest session revision in a session, and can ping', async () => {
  const client = await connect('session')
  expect(client.getProtocolEra()).toBe('legacy')
  expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25')
  expect(await client.ping()).toEqual({})
  expect((await client.callTool({ name: 'whoami' })).structuredContent).toEqual({
    subject: null,
    clientId: null,
    scopes: [],
    sessionId: client.transport?.sessionId,
    protocolVersion: '2025-11-25',
    era: 'session',
  })
  await client.close()
})

test('the result of server/discover lists the modern revision only, and has the cache scope public', async () => {
  verifies('versioning/discover-is-implemented')
  const client = await connect('modern')
  expect(client.getDiscoverResult()).toMatchObject({
    supportedVersions: ['2026-07-28'],
    cacheScope: 'public',
  })
  await client.close()
})
