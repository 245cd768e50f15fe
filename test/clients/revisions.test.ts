/** Differences between the session revisions, as clients that offer only one revision see them. */
import { describe, expect, inject, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import type { Received } from './client-interface.ts'
import { connectClient, type Kind, STREAMABLE_KINDS } from './connect-client.ts'
import { forEachKind } from './for-each-kind.ts'
import { openTcpProxy } from './tcp-proxy.ts'
import { messagesOf, resumedStreamsOf } from './wire.ts'

const SERVER_INFO = { name: 'edgeway-fixture', version: '1.0.0' }

const TITLED_CHOICE = {
  type: 'string',
  description: 'Choose one titled option',
  oneOf: [
    { const: 'value1', title: 'First Option' },
    { const: 'value2', title: 'Second Option' },
    { const: 'value3', title: 'Third Option' },
  ],
}

const NAMED_CHOICE = {
  type: 'string',
  description: 'Choose one titled option',
  enum: ['value1', 'value2', 'value3'],
  enumNames: ['First Option', 'Second Option', 'Third Option'],
}

const REVISIONS = [
  {
    version: '2025-11-25',
    kinds: STREAMABLE_KINDS,
    serverInfo: {
      ...SERVER_INFO,
      title: 'Edgeway fixture',
      description: 'Everything the conformance suite and the probes need.',
      websiteUrl: 'https://example.com/edgeway-fixture',
    },
    completes: true,
    structured: true,
    mode: 'form',
    choice: TITLED_CHOICE,
    audio: 'audio',
  },
  {
    version: '2025-06-18',
    kinds: STREAMABLE_KINDS,
    serverInfo: { ...SERVER_INFO, title: 'Edgeway fixture' },
    completes: true,
    structured: true,
    mode: undefined,
    choice: NAMED_CHOICE,
    audio: 'audio',
  },
  {
    version: '2025-03-26',
    kinds: STREAMABLE_KINDS,
    serverInfo: SERVER_INFO,
    completes: true,
    structured: false,
    mode: undefined,
    choice: NAMED_CHOICE,
    audio: 'audio',
  },
  {
    version: '2024-11-05',
    kinds: ['v1 over HTTP+SSE'] satisfies Kind[],
    serverInfo: SERVER_INFO,
    completes: false,
    structured: false,
    mode: undefined,
    choice: NAMED_CHOICE,
    audio: 'resource',
  },
]

const CASES = REVISIONS.flatMap(({ kinds, ...rest }) => kinds.map((kind) => ({ kind, ...rest })))

describe.each(CASES)(
  'the official client $kind, pinned to $version,',
  ({ kind, version, ...expected }) => {
    const connect = () => connectClient(kind, { version, capabilities: { elicitation: {} } })

    test('negotiates the revision, and sends it in every later request', async () => {
      verifies('lifecycle/supported-version-is-echoed')
      const { call, wire, client } = await connect()
      expect(JSON.parse((await call('whoami')).content[0].text).protocolVersion).toBe(version)
      const later = wire.exchanges.filter(({ body }) => /initialized|tools/.test(body))
      const versions = later.map(({ headers }) => headers.get('mcp-protocol-version'))
      expect(versions).toEqual([version, version])
      expect(client.getServerVersion()).toEqual(expected.serverInfo)
      const { completions } = client.getServerCapabilities() as Received
      expect(completions).toEqual(expected.completes ? {} : undefined)
    })

    test('receives results in the form of the revision', async () => {
      const { call } = await connect()
      const { content, structuredContent } = await call('read_count', { name: 'never' })
      expect(content).toEqual([{ type: 'text', text: '{"value":0}' }])
      expect(structuredContent).toEqual(expected.structured ? { value: 0 } : undefined)
      expect((await call('test_audio_content')).content[0].type).toBe(expected.audio)
    })

    test('receives elicitations in the form of the revision', async () => {
      const { call, answer, wire } = await connect()
      answer('elicitation/create', () => ({ action: 'decline' }))
      await call('test_elicitation_sep1330_enums')
      const { params } = messagesOf(wire).find(({ method }) => method === 'elicitation/create')
      expect(params.mode).toBe(expected.mode)
      expect(params.requestedSchema.properties.titledSingle).toEqual(expected.choice)
    })
  },
)

describe.each(['2025-06-18', '2025-03-26'])('a session of %s', (version) => {
  test(
    'resumes a call that was cut after its first event',
    forEachKind(async (kind) => {
      const proxy = await openTcpProxy(inject('fixtureUrl'))
      const { call, wire } = await connectClient(kind, { url: proxy.url, version })
      const cut = proxy.cutAfter('"progress":4')
      const progress: number[] = []
      const onprogress = (step: Received) => progress.push(step.progress)
      const result = call('progress', { count: 6, gapMs: 5 }, { onprogress })
      await cut
      expect((await result).content[0].text).toBe('done')
      expect(progress).toEqual([1, 2, 3, 4, 5, 6])
      expect(resumedStreamsOf(wire)).toHaveLength(1)
    }),
  )
})
