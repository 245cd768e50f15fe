/** Results in the wire forms of the session revisions, each from one value of the neutral model. */
import { describe, expect, it } from 'vitest'
import type { ContentBlock } from '../../../src/protocol/content.ts'
import { type ByRevision, cases, codecOf, SESSION_REVISIONS } from './by-revision.ts'

const ICONS = [{ src: 'https://a.example/icon.png', sizes: ['48x48'] }]
const ANNOTATIONS = {
  audience: ['user'],
  priority: 0.5,
  lastModified: '2026-01-01T00:00:00Z',
} as const
const UNDATED = { audience: ['user'], priority: 0.5 }
const META = { 'a.example/key': 1 }

const TEXT = { type: 'text', text: 'hello' } as const
const IMAGE = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const
const AUDIO = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } as const
const LINK = { type: 'resource_link', uri: 'note://a', name: 'a' } as const
const CONTENTS = { uri: 'note://a', mimeType: 'text/plain', text: 'hello' } as const
const BLOB = { uri: 'note://b', blob: 'AAAA' } as const

const blocks: readonly (readonly [string, ContentBlock, ByRevision])[] = [
  [
    'a text',
    TEXT,
    { '2025-11-25': TEXT, '2025-06-18': TEXT, '2025-03-26': TEXT, '2024-11-05': TEXT },
  ],
  [
    'a text with annotations and _meta',
    { ...TEXT, annotations: ANNOTATIONS, _meta: META },
    {
      '2025-11-25': { ...TEXT, annotations: ANNOTATIONS, _meta: META },
      '2025-06-18': { ...TEXT, annotations: ANNOTATIONS, _meta: META },
      '2025-03-26': { ...TEXT, annotations: UNDATED },
      '2024-11-05': { ...TEXT, annotations: UNDATED },
    },
  ],
  [
    'an image with _meta',
    { ...IMAGE, _meta: META },
    {
      '2025-11-25': { ...IMAGE, _meta: META },
      '2025-06-18': { ...IMAGE, _meta: META },
      '2025-03-26': IMAGE,
      '2024-11-05': IMAGE,
    },
  ],
  [
    'audio, which the oldest revision has as an embedded resource',
    { ...AUDIO, annotations: ANNOTATIONS },
    {
      '2025-11-25': { ...AUDIO, annotations: ANNOTATIONS },
      '2025-06-18': { ...AUDIO, annotations: ANNOTATIONS },
      '2025-03-26': { ...AUDIO, annotations: UNDATED },
      '2024-11-05': {
        type: 'resource',
        resource: { uri: 'attachment:audio', mimeType: 'audio/wav', blob: 'AAAA' },
      },
    },
  ],
  [
    'a resource link, which older revisions have as text',
    LINK,
    {
      '2025-11-25': LINK,
      '2025-06-18': LINK,
      '2025-03-26': { type: 'text', text: 'a: note://a' },
      '2024-11-05': { type: 'text', text: 'a: note://a' },
    },
  ],
  [
    'a resource link with everything that a link can have',
    {
      ...LINK,
      title: 'Note A',
      description: 'The first note',
      mimeType: 'text/plain',
      size: 5,
      annotations: ANNOTATIONS,
      icons: ICONS,
      _meta: META,
    },
    {
      '2025-11-25': {
        ...LINK,
        title: 'Note A',
        description: 'The first note',
        mimeType: 'text/plain',
        size: 5,
        annotations: ANNOTATIONS,
        icons: ICONS,
        _meta: META,
      },
      '2025-06-18': {
        ...LINK,
        title: 'Note A',
        description: 'The first note',
        mimeType: 'text/plain',
        size: 5,
        annotations: ANNOTATIONS,
        _meta: META,
      },
      '2025-03-26': { type: 'text', text: 'Note A: note://a (The first note)' },
      '2024-11-05': { type: 'text', text: 'Note A: note://a (The first note)' },
    },
  ],
  [
    'an embedded text',
    {
      type: 'resource',
      resource: { ...CONTENTS, _meta: META },
      annotations: ANNOTATIONS,
      _meta: META,
    },
    {
      '2025-11-25': {
        type: 'resource',
        resource: { ...CONTENTS, _meta: META },
        annotations: ANNOTATIONS,
        _meta: META,
      },
      '2025-06-18': {
        type: 'resource',
        resource: { ...CONTENTS, _meta: META },
        annotations: ANNOTATIONS,
        _meta: META,
      },
      '2025-03-26': { type: 'resource', resource: CONTENTS, annotations: UNDATED },
      '2024-11-05': { type: 'resource', resource: CONTENTS, annotations: UNDATED },
    },
  ],
  [
    'an embedded blob',
    { type: 'resource', resource: BLOB },
    {
      '2025-11-25': { type: 'resource', resource: BLOB },
      '2025-06-18': { type: 'resource', resource: BLOB },
      '2025-03-26': { type: 'resource', resource: BLOB },
      '2024-11-05': { type: 'resource', resource: BLOB },
    },
  ],
]

describe('a content block', () => {
  it.each(cases(blocks))(
    'of a tool result is written for %s: %s',
    (version, _, block, expected) => {
      const codec = codecOf(version)
      expect(codec.callToolResult({ content: [block] })).toStrictEqual({ content: [expected] })
    },
  )

  it.each(cases(blocks))('of a prompt is written for %s: %s', (version, _, content, expected) => {
    const codec = codecOf(version)
    const messages = [{ role: 'user', content } as const]
    expect(codec.getPromptResult({ description: 'd', messages })).toStrictEqual({
      description: 'd',
      messages: [{ role: 'user', content: expected }],
    })
  })
})

describe('structured content', () => {
  const RESULT = { content: [TEXT], isError: false, _meta: META } as const
  const OBJECT = { ...RESULT, structuredContent: { a: [1] } }
  const results: readonly (readonly [string, unknown, ByRevision])[] = [
    [
      'an object',
      { a: [1] },
      { '2025-11-25': OBJECT, '2025-06-18': OBJECT, '2025-03-26': RESULT, '2024-11-05': RESULT },
    ],
    ...(
      [
        ['a list', [1]],
        ['null', null],
        ['a text', 'x'],
        ['a number', 1],
      ] as const
    ).map(
      ([name, value]) =>
        [
          name,
          value,
          {
            '2025-11-25': RESULT,
            '2025-06-18': RESULT,
            '2025-03-26': RESULT,
            '2024-11-05': RESULT,
          },
        ] as const,
    ),
  ]
  it.each(cases(results))('is written for %s: %s', (version, _, structuredContent, expected) => {
    const codec = codecOf(version)
    expect(codec.callToolResult({ ...RESULT, structuredContent })).toStrictEqual(expected)
  })
})

describe('the contents of a resource', () => {
  const BARE = { contents: [CONTENTS, BLOB], _meta: META }
  const FULL = { contents: [{ ...CONTENTS, _meta: META }, BLOB], _meta: META }
  const contents: readonly (readonly [string, typeof FULL, ByRevision])[] = [
    [
      'with _meta',
      FULL,
      { '2025-11-25': FULL, '2025-06-18': FULL, '2025-03-26': BARE, '2024-11-05': BARE },
    ],
  ]
  it.each(cases(contents))('are written for %s: %s', (version, _, result, expected) => {
    expect(codecOf(version).readResourceResult(result)).toStrictEqual(expected)
  })
})

describe.each(SESSION_REVISIONS)('the codec of %s', (version) => {
  const codec = codecOf(version)

  it('passes a completion through', () => {
    const result = { completion: { values: ['a'], total: 1, hasMore: false } }
    expect(codec.completeResult(result)).toStrictEqual(result)
  })

  it('writes a result without an envelope, and without cache hints', () => {
    const cache = { ttlMs: 1000, cacheScope: 'public' } as const
    expect(codec.resultText({ content: [] }, cache)).toBe('{"content":[]}')
    expect(codec.resultText({})).toBe('{}')
  })

  it('asks by requests, not by results', () => {
    expect(codec.inputRequiredText).toBeUndefined()
  })

  it.each([-32700, -32600, -32601, -32602, -32603, -32002, -32001, -32042] as const)(
    'keeps the error code %i',
    (code) => {
      expect(codec.errorCode(code)).toBe(code)
    },
  )
})
