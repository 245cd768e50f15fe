/** Mistakes in the definition of a feature: each throws when it is defined, or when the app is created. */
import { createExecutionContext } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { defineFeature, method } from '../../src/feature/index.ts'
import { createEdgeway } from '../../src/index.ts'
import { FullServer } from '../support/full-server.ts'

const run = async () => ({})
const list = method({}, run)

describe('defineFeature', () => {
  it.each([
    ['without a name', {}, 'A feature needs a name'],
    ['with a name of two words', { name: 'audit log' }, 'A feature needs a name'],
    ['with an extension without a prefix', { extension: { id: 'audit' } }, 'extension.id needs'],
    ['with an extension of one label', { extension: { id: 'com/audit' } }, 'extension.id needs'],
    [
      'with an extension of the protocol',
      { extension: { id: 'io.modelcontextprotocol/tasks' } },
      'extension.id "io.modelcontextprotocol/tasks" has a prefix of the protocol',
    ],
    [
      'with an extension below the prefix of the protocol',
      { extension: { id: 'com.mcp.audit/log' } },
      'has a prefix of the protocol',
    ],
    [
      'with settings that are no object',
      { extension: { id: 'com.example/audit', settings: [] } },
      'extension.settings must be an object',
    ],
    ['with a list of methods', { methods: [list] }, 'methods must be an object'],
    ['with a method without a slash', { methods: { audit: list } }, 'the method "audit" needs'],
    ['with a function as its method', { methods: { 'audit/list': run } }, 'the value of method('],
    ['with null as its method', { methods: { 'audit/list': null } }, 'the value of method('],
    ['with an object as its context', { context: {} }, 'context must be a function'],
    ['with a relative path', { routes: { audit: run } }, 'the path "audit" must begin'],
    [
      'with a response as its route',
      { routes: { '/audit': new Response() } },
      'must be a function',
    ],
    [
      'with a binding of another form',
      { objects: { 'a-b': class {} } },
      'needs a name like AUDIT_LOG',
    ],
    [
      'with a class instead of classes by binding',
      { objects: class {} },
      'objects must be an object',
    ],
    ['with an instance as its class', { objects: { AUDIT_LOG: {} } }, 'must be a class'],
    ['with one need instead of a list', { needs: {} }, 'needs must be a list'],
  ] as const)('refuses a definition %s', (_, definition, message) => {
    const whole =
      'name' in definition || message.startsWith('A feature')
        ? definition
        : { name: 'audit', ...definition }
    expect(() => defineFeature(whole as never)).toThrow(message)
  })

  it.each([
    ['tools/call', 'features: createEdgeway() and audit() both bring tools/call of the modern era'],
    ['logging/setLevel', 'features: createEdgeway() and audit() both bring logging/setLevel'],
  ])('refuses the method %s of the core', (name, message) => {
    const audit = defineFeature({ name: 'audit', methods: { [name]: list } })
    const server = new FullServer({ name: 'audited', version: '1.0.0' })
    expect(() => createEdgeway(server, { features: [audit] })).toThrow(message)
  })

  it('refuses the path of the endpoint as its route', () => {
    const audit = defineFeature({ name: 'audit', routes: { '/mcp': () => new Response() } })
    const server = new FullServer({ name: 'audited', version: '1.0.0' })
    expect(() => createEdgeway(server, { features: [audit] })).toThrow(
      'Feature audit: the path /mcp is one of this server',
    )
  })

  it('warns once in each environment of each binding that is missing', async () => {
    class AuditLog {}
    class AuditFiles {}
    const audit = defineFeature({
      name: 'audit',
      objects: { AUDIT_LOG: AuditLog, AUDIT_FILES: AuditFiles },
    })
    const warnings: string[] = []
    const { fetch } = createEdgeway(new FullServer({ name: 'audited', version: '1.0.0' }), {
      features: [audit],
      telemetry: (event) => {
        if (event.type === 'definition-warning') warnings.push(`${event.subject}: ${event.message}`)
      },
    })
    const ping = async (env: object) => {
      const request = new Request('https://example.com/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      })
      await (await fetch(request, env, createExecutionContext())).text()
    }
    const whole = { AUDIT_LOG: {}, AUDIT_FILES: {} }
    const partial = { AUDIT_LOG: {} }
    for (const env of [whole, partial, partial]) await ping(env)
    expect(warnings).toEqual([
      'features: [audit]: the binding AUDIT_FILES is missing, so its calls fail. Add it with the class AuditFiles to the configuration of the Worker',
    ])
  })

  it('serves its routes to the hosts of the server alone', async () => {
    const audit = defineFeature({ name: 'audit', routes: { '/audit': () => new Response('log') } })
    const server = new FullServer({ name: 'audited', version: '1.0.0' })
    const { fetch } = createEdgeway(server, { features: [audit] })
    const ctx = { waitUntil: () => undefined } as never
    const get = (url: string) => fetch(new Request(url), {}, ctx)
    expect(await (await get('https://a.example/audit')).text()).toBe('log')
    expect((await get('http://a.example/audit')).status).toBe(403)
  })
})
