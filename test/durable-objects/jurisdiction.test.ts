/** Where the objects of a server are: each one is taken in the jurisdiction of the server, and one object says which that is. */
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createAppObjects } from '../../durable-objects/app-objects.ts'
import { state } from '../../src/features/state/index.ts'
import { createEdgeway } from '../../src/index.ts'
import { KINDS, type Kind } from '../../src/ports/object-kinds.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { FullServer } from '../support/full-server.ts'
import { modernRequest, read } from '../support/test-app.ts'

/** A deployed namespace, which has jurisdictions. It records what is taken of it. */
function deployed(stored = new Map<string, string>()) {
  const taken: string[] = []
  const namespace = (place: string) => ({
    jurisdiction: (jurisdiction: string) => namespace(jurisdiction),
    getByName(name: string, options?: { readonly locationHint?: string }) {
      const hint = options?.locationHint === undefined ? '' : ` near ${options.locationHint}`
      taken.push(`${place} ${name}${hint}`)
      return {
        call: async (kind: Kind, _: string, [word]: readonly string[]) => {
          if (kind !== 'place') return undefined
          if (!stored.has(kind)) stored.set(kind, word ?? '')
          return stored.get(kind)
        },
        fetch: async () => new Response(),
      }
    },
  })
  return { taken, stored, MCP_OBJECTS: namespace('everywhere') }
}

const config = { audience: 'notes', isPublic: () => true, report: () => undefined }

/** Calls one object of each kind, all at the same time. */
const callAll = (objects: ReturnType<typeof createAppObjects>) =>
  Promise.all(KINDS.map((kind) => objects.of<{ any(): void }>(kind)?.named('key').any()))

describe('the objects of a server with a jurisdiction', () => {
  it('are all taken in it, and one object outside of it is asked before them, once', async () => {
    const { taken, stored, ...bindings } = deployed()
    await callAll(createAppObjects(bindings, { ...config, jurisdiction: 'eu' }))
    expect(taken[0]).toBe('everywhere place:')
    const others = taken.slice(1)
    expect(others).toHaveLength(KINDS.length)
    expect(others.filter((name) => !name.startsWith('eu '))).toEqual([])
    expect([...stored]).toEqual([['place', 'eu']])
  })

  it('are the same with the variable EDGEWAY_JURISDICTION, and near a location', async () => {
    const { taken, ...bindings } = deployed()
    const EDGEWAY_JURISDICTION = 'eu'
    const hinted = { ...config, locationHint: 'weur' } as const
    const objects = createAppObjects({ ...bindings, EDGEWAY_JURISDICTION }, hinted)
    await objects.of<{ any(): void }>('hub')?.named('0').any()
    expect(taken).toEqual(['everywhere place:', 'eu hub:0 near weur'])
  })

  it.each([
    ['another one', 'fedramp', 'eu'],
    ['none any more', undefined, 'eu'],
    ['one where it had none', 'eu', 'none'],
  ] as const)('are not reached when it is %s', async (_, jurisdiction, before) => {
    const { taken, ...bindings } = deployed(new Map([['place', before]]))
    const objects = createAppObjects(bindings, { ...config, jurisdiction })
    await expect(callAll(objects)).rejects.toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining(`is in the jurisdiction ${before}`),
    })
    expect(taken).toEqual(['everywhere place:'])
  })

  it('are not reached by a second server of the Worker that says another one', async () => {
    const { taken: _, stored: __, ...bindings } = deployed()
    await callAll(createAppObjects(bindings, { ...config, jurisdiction: 'eu' }))
    const second = createAppObjects(bindings, { ...config, audience: 'docs' })
    await expect(callAll(second)).rejects.toMatchObject({ reason: 'unavailable' })
  })

  it('are asked for again when the object that says it could not be reached', async () => {
    const { MCP_OBJECTS, taken } = deployed()
    let isDown = true
    const getByName = (name: string) => {
      if (isDown) throw new Error('down')
      return MCP_OBJECTS.getByName(name)
    }
    const objects = createAppObjects({ MCP_OBJECTS: { ...MCP_OBJECTS, getByName } }, config)
    const call = async () => objects.of<{ any(): void }>('hub')?.named('0').any()
    await expect(call()).rejects.toThrow('down')
    isDown = false
    await call()
    expect(taken).toEqual(['everywhere place:', 'everywhere hub:0'])
  })

  it('are never of one that the platform does not have', () => {
    const objects = createAppObjects({ ...env, EDGEWAY_JURISDICTION: 'moon' }, config)
    expect(() => objects.of('hub')).toThrow('There is no jurisdiction moon')
  })
})

describe('a server with a jurisdiction, called through its endpoint', () => {
  function open(bindings: object) {
    const events: TelemetryEvent[] = []
    const server = new FullServer({ name: 'placed', version: '1.0.0' })
    server.registerTool('keep', {}, async (ctx) => String(await ctx.state.create('blue')))
    const edgeway = createEdgeway(server, {
      jurisdiction: 'eu',
      features: [state()],
      telemetry: (event) => void events.push(event),
    })
    const call = async (origin: string) => {
      const { body, headers } = modernRequest('tools/call', { name: 'keep', arguments: {} })
      const init = { method: 'POST', body: JSON.stringify(body), headers: headers as HeadersInit }
      const request = new Request(`${origin}/mcp`, init)
      request.headers.set('content-type', 'application/json')
      request.headers.set('accept', 'application/json, text/event-stream')
      return edgeway.fetch(request, bindings as never, createExecutionContext())
    }
    return { call, events }
  }

  it('answers 503 with the reason and Retry-After when its data is in another one', async () => {
    const { taken: _, stored: __, ...bindings } = deployed(new Map([['place', 'none']]))
    const response = await open(bindings).call('https://notes.example.com')
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('1')
    const { body } = await read(response)
    expect(body.error.message).toMatch(/^The data of this server is in the jurisdiction none/)
  })

  it('goes on without it on a loopback host of a runtime that has none, and says so once', async () => {
    const { call, events } = open({ ...env })
    for (let n = 0; n < 2; n++) expect((await call('http://localhost:8787')).status).toBe(200)
    const warnings = events.filter(({ type }) => type === 'definition-warning')
    expect(warnings).toEqual([expect.objectContaining({ subject: 'jurisdiction' })])
  })

  it('fails on any other host of such a runtime', async () => {
    const { call, events } = open({ ...env })
    const { body } = await read(await call('https://notes.example.com'))
    expect(body.result.isError).toBe(true)
    expect(JSON.stringify(events)).toContain('handler-error')
  })
})
