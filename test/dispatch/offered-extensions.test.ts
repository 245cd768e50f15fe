/** The extensions with which `initialize` is answered: those that the client offers and the server has. */
// features: tasks, admin
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { view } from '../../src/features/apps/index.ts'
import { skill } from '../../src/features/skills/index.ts'
import { McpServer } from '../../src/index.ts'
import { openApp } from '../support/test-app.ts'

const SKILLS = 'io.modelcontextprotocol/skills'
const UI = 'io.modelcontextprotocol/ui'
const TASKS = 'io.modelcontextprotocol/tasks'

const VIEW = {
  uri: 'ui://s/view',
  html: '<!doctype html><title>View</title><p>Hello</p>',
} as const

/** A server with every extension. */
function createServer(): McpServer {
  const server = new McpServer({ name: 'extended', version: '1.0.0' })
  server.registerTool('view', { ui: view(VIEW) }, () => 'seen')
  server.registerTool('long', { task: 'optional' }, () => 'done')
  server.registerSkill(
    skill({
      path: 'refunds',
      frontmatter: { description: 'Refunds an order.' },
      instructions: '# Refunds\n',
      files: {},
    }),
  )
  return server
}

const OFFERED = {
  [SKILLS]: {},
  [UI]: { mimeTypes: ['text/html;profile=mcp-app'] },
  [TASKS]: {},
  'com.example/other': {},
}

const app = openApp(createServer(), {}, env)

async function answered(extensions: unknown, version = '2025-11-25') {
  const capabilities = { extensions }
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: version, capabilities, clientInfo }
  const { body } = await app.session('initialize', params)
  return body.result.capabilities.extensions
}

describe('initialize of 2025-11-25', () => {
  it('is answered with the extensions that the client offers and that exist in its revision', async () => {
    expect(await answered(OFFERED)).toEqual({ [SKILLS]: { directoryRead: true }, [UI]: {} })
  })

  it.each([
    [SKILLS, { [SKILLS]: { directoryRead: true } }],
    [UI, { [UI]: {} }],
  ])('is answered with %s alone when the client offers nothing else', async (id, expected) => {
    expect(await answered({ [id]: {} })).toEqual(expected)
  })

  it.each([
    ['no extensions', undefined],
    ['an empty object', {}],
    ['an extension that the server does not have', { 'com.example/other': {} }],
    ['the extension for tasks, which does not exist in 2025-11-25', { [TASKS]: {} }],
    ['a list', [SKILLS]],
    ['null', null],
    ['an extension that is null', { [SKILLS]: null }],
    ['a name of Object.prototype', { constructor: {} }],
  ])('is answered without extensions when the client offers %s', async (_, extensions) => {
    expect(await answered(extensions)).toBeUndefined()
  })

  it('is answered with what the client offers, however large its capabilities are', async () => {
    const large = { [SKILLS]: {}, 'com.example/large': { text: 'x'.repeat(10_000) } }
    expect(await answered(large)).toEqual({ [SKILLS]: { directoryRead: true } })
  })
})

describe('initialize of an older revision', () => {
  it.each(['2025-06-18', '2025-03-26'])('is answered without extensions in %s', async (version) => {
    expect(await answered(OFFERED, version)).toBeUndefined()
  })
})

describe('server/discover', () => {
  it('names every extension of the server', async () => {
    const { body } = await app.modern('server/discover')
    expect(body.result.capabilities.extensions).toEqual({
      [SKILLS]: { directoryRead: true },
      [UI]: {},
      [TASKS]: {},
    })
  })
})
