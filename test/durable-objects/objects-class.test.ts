/** The one class of the objects of a Worker: which servers it accepts, and how the calls of a part reach it. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createAppObjects } from '../../durable-objects/app-objects.ts'
import { ObjectPart } from '../../durable-objects/object-part.ts'
import { embedded, passphrase } from '../../src/auth/index.ts'
import { createEdgeway, McpServer, objectsOf } from '../../src/index.ts'
import { objectName } from '../../src/ports/object-kinds.ts'
import type { ServerObjects } from '../../src/ports/objects.ts'
import { openServer } from '../support/opened-objects.ts'

const serverNamed = (name: string) => new McpServer({ name, version: '1.0.0' })

/** @param codeTtlMs an option of the accounts, which servers share */
const signedIn = (audience: string, codeTtlMs?: number) =>
  createEdgeway(serverNamed(audience), {
    audience,
    auth: embedded({
      origin: 'https://mcp.example.com',
      scopes: { read: 'Read notes' },
      login: passphrase({ people: { owner: 'correct horse battery staple' } }),
      ...(codeTtlMs !== undefined && { limits: { codeTtlMs } }),
    }),
  })

describe('the class of the objects of several servers', () => {
  it('is refused for two servers with one audience', () => {
    const [one, other] = [createEdgeway(serverNamed('notes')), createEdgeway(serverNamed('notes'))]
    expect(() => objectsOf(one, other)).toThrow(TypeError)
    expect(() => objectsOf(one, other)).toThrow('Two servers have the audience "notes"')
    expect(() =>
      objectsOf(one, createEdgeway(serverNamed('notes'), { audience: 'b' })),
    ).not.toThrow()
  })

  it('is refused for two servers with different options of objects that they share', () => {
    expect(() => objectsOf(signedIn('a', 50_000), signedIn('b', 40_000))).toThrow(TypeError)
    expect(() => objectsOf(signedIn('a', 50_000), signedIn('b'))).toThrow(
      'The servers "a" and "b" share the account objects',
    )
    expect(() => objectsOf(signedIn('a', 50_000), signedIn('b', 50_000))).not.toThrow()
  })

  it('is not refused when one of them alone has the objects', () => {
    expect(() => objectsOf(signedIn('a', 50_000), createEdgeway(serverNamed('b')))).not.toThrow()
  })
})

/** A part with values, a stream and members that are no calls. */
class SamplePart extends ObjectPart {
  readonly member = 'not a method'

  add(one: number, other: number) {
    return one + other
  }

  async mapOf(entries: readonly [string, number][]) {
    return new Map(entries)
  }

  stream() {
    return new Response('one two').body
  }

  alarm() {}
}

const AUDIENCE = 'objects-class-test'

const sample: ServerObjects = {
  audience: AUDIENCE,
  parts: { timeline: { create: (state, of) => new SamplePart(state, of) } },
  objectsIn: (bindings) =>
    createAppObjects(bindings as never, {
      audience: AUDIENCE,
      isPublic: () => false,
      report: () => undefined,
    }),
}
openServer(sample)

interface Called {
  call(kind: string, method: string, parameters: readonly unknown[]): Promise<unknown>
}

const open = () => {
  const objects = sample.objectsIn(env).of<SamplePart>('timeline')
  if (objects === undefined) throw new Error('The binding is missing')
  return objects.named(crypto.randomUUID())
}

describe('a call of a part', () => {
  it('returns a value, and a stream', async () => {
    expect(await open().add(1, 2)).toBe(3)
    expect(await open().mapOf([['a', 1]])).toEqual(new Map([['a', 1]]))
    const stream = await open().stream()
    expect(await new Response(stream as ReadableStream).text()).toBe('one two')
  })

  it.each([
    ['of another kind', 'hub', 'add'],
    ['of a method that this version does not have', 'timeline', 'next'],
    ['of an event of the platform', 'timeline', 'alarm'],
    ['of a member that is no method', 'timeline', 'member'],
    ['of the constructor', 'timeline', 'constructor'],
    ['of a member of every object', 'timeline', 'hasOwnProperty'],
    ['of the prototype', 'timeline', '__proto__'],
  ])('%s is refused as one that is not in this version', async (_, kind, method) => {
    const stub = env.MCP_OBJECTS.getByName(objectName('timeline', 'refusals', AUDIENCE))
    const refusal = await runInDurableObject(stub, (object) =>
      (object as unknown as Called)
        .call(kind, method, [1, 2])
        .catch((error: Error) => error.message),
    )
    expect(refusal).toBe(`not in this version of the Worker: ${kind}.${method}`)
  })
})

describe('a Worker whose object is of another version', () => {
  const answering = (object: object) => {
    const place = { call: async (_: string, __: string, [word]: string[]) => word }
    const getByName = (name: string) => (name === 'place:' ? place : object)
    const bindings = { MCP_OBJECTS: { getByName } }
    const objects = createAppObjects(bindings, {
      audience: AUDIENCE,
      isPublic: () => false,
      report: () => undefined,
    }).of<SamplePart>('timeline')
    if (objects === undefined) throw new Error('The binding is missing')
    return objects.named('key')
  }

  it('rejects a call with an error of its own, and passes on the errors of the part', async () => {
    const failing = (message: string) =>
      answering({ call: () => Promise.reject(new Error(message)) }).add(1, 2)
    await expect(failing('not in this version of the Worker: timeline.add')).rejects.toMatchObject({
      reason: 'unavailable',
    })
    await expect(failing('refused by the part')).rejects.toThrow('refused by the part')
    await expect(failing('refused by the part')).rejects.not.toHaveProperty('reason')
  })

  it('rejects a request for a socket with the same error, and passes on other answers', async () => {
    const request = () => new Request('https://object/')
    const older = answering({ fetch: async () => new Response(null, { status: 421 }) })
    await expect(older.fetch(request())).rejects.toMatchObject({ reason: 'unavailable' })
    const full = answering({ fetch: async () => new Response(null, { status: 503 }) })
    expect((await full.fetch(request())).status).toBe(503)
  })
})
