import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { FullContext } from '../../support/full-server.ts'
import { CAN_ALL, openSession, textOf } from '../../support/session-client.ts'
import { verifies } from '../../support/verifies.ts'

const MESSAGES = [{ role: 'user', content: { type: 'text', text: 'Hi' } }] as const

const ASKS = {
  elicit: ({ elicit }: FullContext) => elicit({ message: 'Name?', schema: z.object({}) }),
  'elicit-url': ({ elicit }: FullContext) => elicit({ message: 'Go', url: 'https://x.example/' }),
  sample: ({ sample }: FullContext) => sample({ messages: MESSAGES, maxTokens: 1 }),
  'sample-tools': ({ sample }: FullContext) =>
    sample({ messages: MESSAGES, maxTokens: 1, toolChoice: { mode: 'auto' } }),
  roots: ({ listRoots }: FullContext) => listRoots(),
} as const

type Ask = keyof typeof ASKS

const METHODS: Readonly<Record<Ask, string>> = {
  elicit: 'elicitation/create',
  'elicit-url': 'elicitation/create',
  sample: 'sampling/createMessage',
  'sample-tools': 'sampling/createMessage',
  roots: 'roots/list',
}

const ALL = Object.keys(ASKS) as Ask[]

describe.each<[string, object, Ask[]]>([
  ['no capabilities', {}, []],
  ['elicitation without modes', { elicitation: {} }, ['elicit']],
  ['form elicitation', { elicitation: { form: {} } }, ['elicit']],
  ['URL elicitation', { elicitation: { url: {} } }, ['elicit-url']],
  ['form and URL elicitation', { elicitation: { form: {}, url: {} } }, ['elicit', 'elicit-url']],
  ['sampling', { sampling: {} }, ['sample']],
  ['sampling with tools', { sampling: { tools: {} } }, ['sample', 'sample-tools']],
  ['roots', { roots: {} }, ['roots']],
  ['roots with listChanged', { roots: { listChanged: true } }, ['roots']],
  ['all capabilities', CAN_ALL, ALL],
  ['malformed capabilities', { elicitation: true, sampling: 'yes', roots: null }, []],
])('a client that declares %s', (_, capabilities, can) => {
  it('is described to handlers by client.capabilities and client.can', async () => {
    verifies('lifecycle/negotiated-version-and-capabilities')
    verifies('elicitation/capability-at-initialization', 'elicitation/supported-modes-only')
    verifies('roots/capability-at-initialization', 'sampling/capability-at-initialization')
    verifies('sampling/tool-capability', 'sampling/tools-for-capable-clients-only')
    const session = await openSession({ capabilities })
    const response = await session.call(({ client }) =>
      JSON.stringify([client.capabilities, ALL.filter((ask) => client.can(ask))]),
    )
    expect(JSON.parse(textOf(await response.json()))).toEqual([capabilities, can])
  })
})

describe('a client that accepts only JSON', () => {
  it('receives no server requests, regardless of its capabilities', async () => {
    const session = await openSession()
    const headers = { accept: 'application/json' }
    const asked = await session.call(async ({ listRoots }) => `${await listRoots()}`, { headers })
    expect(await asked.json()).toMatchObject({
      result: {
        content: [
          {
            text: 'The server cannot ask on this connection: it carries no questions. It does in a session whose client accepts text/event-stream, and in the newest revision. Do not repeat the call here: tell the person.',
          },
        ],
        isError: true,
      },
    })
    const can = await session.call(
      ({ client }) => JSON.stringify(ALL.filter((ask) => client.can(ask))),
      { headers },
    )
    expect(textOf(await can.json())).toBe('[]')
  })
})

/** Opens a session, and returns the client as its handlers see it. */
async function clientOf(introduction: Parameters<typeof openSession>[0]) {
  const session = await openSession(introduction)
  const response = await session.call(({ client: { info, capabilities } }) =>
    JSON.stringify({ info, capabilities }),
  )
  return { session, ...JSON.parse(textOf(await response.json())) }
}

describe('capabilities of more than 2 KB', () => {
  const capabilities = {
    experimental: { padding: 'x'.repeat(3000) },
    elicitation: { form: { note: 'x'.repeat(500) }, url: {}, other: {} },
    sampling: { tools: {}, context: {} },
    roots: { listChanged: true },
    tasks: { list: {}, requests: { sampling: { createMessage: {} } } },
    extensions: { 'com.example/a': {} },
  }

  it('are reduced to the asks that they allow, and to whether the client has tasks', async () => {
    const { session, capabilities: stored } = await clientOf({ capabilities })
    expect(stored).toEqual({
      elicitation: { form: {}, url: {} },
      sampling: { tools: {}, context: {} },
      roots: {},
      tasks: {},
    })
    expect(session.id.length).toBeLessThan(1000)
  })

  it.each(ALL)('still allow the ask %s', async (ask) => {
    const session = await openSession({ capabilities })
    const call = await session.stream(async (ctx) => JSON.stringify(await ASKS[ask](ctx)))
    expect((await call.message()).method).toBe(METHODS[ask])
  })

  it('are unchanged up to 2048 bytes', async () => {
    const most = { experimental: { a: 'x'.repeat(2048 - '{"experimental":{"a":""}}'.length) } }
    expect((await clientOf({ capabilities: most })).capabilities).toEqual(most)
    const more = { experimental: { a: `${most.experimental.a}x` } }
    expect((await clientOf({ capabilities: more })).capabilities).toEqual({})
  })

  it('are measured in bytes, so that the session id stays short enough for any alphabet', async () => {
    const wide = { experimental: { a: '漢'.repeat(2000) }, roots: {} }
    const names = { name: '漢'.repeat(500), version: '字'.repeat(500), title: '語'.repeat(500) }
    const session = await openSession({ capabilities: wide, clientInfo: names })
    const call = await session.stream(async ({ listRoots }) => `${await listRoots()}`)
    expect((await call.message()).method).toBe('roots/list')
  })
})

describe('clientInfo', () => {
  it('is available to handlers with name, version and title', async () => {
    const clientInfo = {
      name: 'c',
      version: '2',
      title: 'The Client',
      websiteUrl: 'https://c.example',
      icons: [{ src: 'data:image/png;base64,AAAA' }],
    }
    const { info } = await clientOf({ clientInfo })
    expect(info).toEqual({ name: 'c', version: '2', title: 'The Client' })
  })

  it('is truncated when it is long, without splitting a character', async () => {
    const long = (letter: string) => letter.repeat(1_000_000)
    const clientInfo = { name: long('n'), version: long('v'), title: `${'t'.repeat(127)}😀` }
    const { session, info } = await clientOf({ clientInfo })
    expect(info).toEqual({
      name: 'n'.repeat(128),
      version: 'v'.repeat(128),
      title: `${'t'.repeat(127)}\ufffd`,
    })
    expect(session.id.length).toBeLessThan(1000)
  })

  it.each([
    ['a string', 'me'],
    ['an object without a name', { version: '1' }],
    ['an object without a version', { name: 'c' }],
    ['an object with a number as name', { name: 1, version: '1' }],
    ['null', null],
  ])('is undefined for handlers when it is %s', async (_, clientInfo) => {
    const session = await openSession()
    const response = await session.send('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo,
    })
    const id = response.headers.get('mcp-session-id')
    const called = await session.call(({ client }) => `${JSON.stringify(client.info)}`, {
      headers: { 'mcp-session-id': id },
    })
    expect(textOf(await called.json())).toBe('undefined')
  })
})
