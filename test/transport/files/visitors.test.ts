/** The page of an upload, opened with the credentials of the caller that was asked, of another one, and without any. */
// features: files
import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { type AuthConfig, fromContext, verifier } from '../../../src/auth/index.ts'
import { file } from '../../../src/features/files/index.ts'
import { McpServer } from '../../../src/index.ts'
import { createFullEdgeway } from '../../support/full-app.ts'
import { modernRequest } from '../../support/test-app.ts'

const ORIGIN = 'https://mcp.example.com'

/** What a request has of its sender. */
interface Sender {
  readonly headers?: Readonly<Record<string, string>>
  /** What the code in front adds. */
  readonly front?: object
}

interface Kind {
  readonly auth: () => AuthConfig
  readonly sender: (person: string) => Sender
}

const PEOPLE: readonly string[] = ['ada', 'bob']

const known = (person: string | null | undefined) =>
  typeof person === 'string' && PEOPLE.includes(person) ? { subject: person } : undefined

const inHeader = (name: string, read: (value: string | null) => string | undefined): Kind => ({
  auth: () =>
    verifier(({ headers }) => known(read(headers.get(name))), { credentials: { header: name } }),
  sender: (person) => ({ headers: { [name]: person } }),
})

const KINDS: Readonly<Record<string, Kind>> = {
  'verifier()': {
    auth: () => verifier(({ headers }) => known(headers.get('authorization')?.slice(7))),
    sender: (person) => ({ headers: { authorization: `Bearer ${person}` } }),
  },
  'verifier() with a header': inHeader('X-Api-Key', (value) => value ?? undefined),
  'verifier() with the header of a proxy': inHeader(
    'Cf-Access-Jwt-Assertion',
    (value) => value ?? undefined,
  ),
  'verifier() with a cookie': {
    auth: () =>
      verifier(({ headers }) => known(headers.get('cookie')?.slice('sid='.length)), {
        credentials: { cookie: 'sid' },
      }),
    sender: (person) => ({ headers: { cookie: `sid=${person}` } }),
  },
  'fromContext()': {
    auth: () => fromContext(),
    sender: (person) =>
      PEOPLE.includes(person) ? { front: { auth: { userId: person }, props: { person } } } : {},
  },
}

async function askedByAda({ auth, sender }: Kind, pattern: string) {
  const factory = () => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('take', { files: { data: file() } }, ({ files }) => files.data.name)
    return server
  }
  const edgeway = createFullEdgeway(factory, {
    auth: auth(),
    path: pattern,
    info: { name: 's', version: '1' },
    telemetry: () => undefined,
  })
  const send = (url: string, method: string, from: Sender, body?: object | string) => {
    const { body: message, headers: own } = modernRequest('tools/call', { name: 'take' })
    const headers = new Headers(from.headers)
    if (typeof body === 'object') {
      for (const [name, value] of Object.entries(own)) if (value) headers.set(name, value)
      headers.set('content-type', 'application/json')
      headers.set('accept', 'application/json, text/event-stream')
    }
    const text = typeof body === 'object' ? JSON.stringify(message) : (body ?? null)
    const request = new Request(url, { method, headers, body: text })
    const ctx = Object.assign(Object.create(createExecutionContext()), from.front)
    return edgeway.fetch(request, env, ctx)
  }
  const url = `${ORIGIN}${pattern.replace('{org}', 'acme')}`
  const { result } = (await (await send(url, 'POST', sender('ada'), {})).json()) as Called
  const page = result._meta['dev.edgeway/uploads']?.[0].page ?? ''
  return async (person: string | undefined, method: string) => {
    const from = person === undefined ? {} : sender(person)
    const response = await send(page, method, from, method === 'PUT' ? 'a' : undefined)
    return [response.status, await response.text()] as const
  }
}

interface Called {
  readonly result: {
    readonly _meta: Readonly<Record<string, readonly [{ readonly page: string }]>>
  }
}

describe('the page of an upload', () => {
  const cases = Object.keys(KINDS).flatMap((kind) => [
    [kind, '/mcp'] as const,
    [kind, '/mcp/{org}'] as const,
  ])

  it.each(cases)('is refused to another caller of %s at %s, and to no one else', async (...at) => {
    const [kind, pattern] = at
    const open = await askedByAda(KINDS[kind] as Kind, pattern)
    for (const method of ['GET', 'PUT']) {
      const refused = [403, expect.stringContaining('another person')]
      expect([method, ...(await open('bob', method))]).toEqual([method, ...refused])
    }
    for (const person of ['ada', 'unknown', undefined]) {
      expect([person, (await open(person, 'GET'))[0]]).toEqual([person, 200])
    }
    expect((await open('ada', 'PUT'))[0]).toBe(201)
  })
})
