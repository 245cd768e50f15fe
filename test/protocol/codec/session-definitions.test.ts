/** Definitions and what a server is, in the wire forms of the session revisions. */
import { describe, expect, it } from 'vitest'
import type { Implementation, Resource } from '../../../src/protocol/content.ts'
import type { Prompt, ResourceTemplateInfo, Tool } from '../../../src/protocol/primitives.ts'
import { type ByRevision, cases, codecOf } from './by-revision.ts'

const ICONS = [{ src: 'https://a.example/icon.png' }]
const META = { 'a.example/key': 1 }
const ANNOTATIONS = { priority: 1, lastModified: '2026-01-01T00:00:00Z' }

describe('a tool', () => {
  const OBJECT = { type: 'object', properties: { a: { type: 'string' } } } as const
  const BARE = { name: 'add', description: 'Adds', inputSchema: OBJECT }
  const HINTS = { title: 'Add', readOnlyHint: true }

  const tools: readonly (readonly [string, Tool, ByRevision])[] = [
    [
      'with nothing but a schema',
      BARE,
      { '2025-11-25': BARE, '2025-06-18': BARE, '2025-03-26': BARE, '2024-11-05': BARE },
    ],
    [
      'with everything that a tool can have',
      {
        ...BARE,
        title: 'Add',
        outputSchema: OBJECT,
        annotations: HINTS,
        icons: ICONS,
        _meta: META,
      },
      {
        '2025-11-25': {
          ...BARE,
          title: 'Add',
          outputSchema: OBJECT,
          annotations: HINTS,
          icons: ICONS,
          _meta: META,
        },
        '2025-06-18': {
          ...BARE,
          title: 'Add',
          outputSchema: OBJECT,
          annotations: HINTS,
          _meta: META,
        },
        '2025-03-26': { ...BARE, annotations: HINTS },
        '2024-11-05': BARE,
      },
    ],
    ...(
      [
        ['a list', { type: 'array' }],
        ['a union', { anyOf: [OBJECT] }],
      ] as const
    ).map(
      ([name, outputSchema]) =>
        [
          `with ${name} as output`,
          { ...BARE, outputSchema },
          { '2025-11-25': BARE, '2025-06-18': BARE, '2025-03-26': BARE, '2024-11-05': BARE },
        ] as const,
    ),
  ]
  it.each(cases(tools))('is written for %s: %s', (version, _, tool, expected) => {
    expect(codecOf(version).listItem('tools/list', tool)).toStrictEqual(expected)
  })

  const schemas: readonly (readonly [string, Tool['inputSchema'], Tool['inputSchema']])[] = [
    ['without properties', { type: 'object' }, { type: 'object' }],
    ['with a property of true', { properties: { a: true } }, { properties: { a: {} } }],
    ['with a property of false', { properties: { a: false } }, { properties: { a: { not: {} } } }],
    [
      'with a boolean beside a schema',
      { properties: { a: { type: 'string' }, b: true }, required: ['b'] },
      { properties: { a: { type: 'string' }, b: {} }, required: ['b'] },
    ],
    ['with properties that are no object', { properties: [] }, { properties: [] }],
  ]
  const same = (schema: Tool['inputSchema']): ByRevision<Tool['inputSchema']> => ({
    '2025-11-25': schema,
    '2025-06-18': schema,
    '2025-03-26': schema,
    '2024-11-05': schema,
  })
  const everywhere = schemas.map(
    ([name, schema, written]) => [name, schema, same(written)] as const,
  )
  it.each(cases(everywhere))('has an input schema for %s: %s', (version, _, schema, expected) => {
    const tool = { name: 'add', inputSchema: schema }
    expect(codecOf(version).listItem('tools/list', tool)).toStrictEqual({
      name: 'add',
      inputSchema: expected,
    })
  })

  it.each(['2025-11-25', '2025-06-18'] as const)(
    'has an output schema for %s without boolean properties',
    (version) => {
      const outputSchema = { type: 'object', properties: { a: true } }
      const tool = { name: 'add', inputSchema: {}, outputSchema }
      expect(codecOf(version).listItem('tools/list', tool)).toStrictEqual({
        name: 'add',
        inputSchema: {},
        outputSchema: { type: 'object', properties: { a: {} } },
      })
    },
  )
})

describe('a prompt', () => {
  const BARE = { name: 'greet', description: 'Greets' }
  const prompts: readonly (readonly [string, Prompt, ByRevision])[] = [
    [
      'without arguments',
      BARE,
      { '2025-11-25': BARE, '2025-06-18': BARE, '2025-03-26': BARE, '2024-11-05': BARE },
    ],
    [
      'with everything that a prompt can have',
      {
        ...BARE,
        title: 'Greet',
        arguments: [{ name: 'who', title: 'Who', description: 'A name', required: true }],
        icons: ICONS,
        _meta: META,
      },
      {
        '2025-11-25': {
          ...BARE,
          title: 'Greet',
          arguments: [{ name: 'who', title: 'Who', description: 'A name', required: true }],
          icons: ICONS,
          _meta: META,
        },
        '2025-06-18': {
          ...BARE,
          title: 'Greet',
          arguments: [{ name: 'who', title: 'Who', description: 'A name', required: true }],
          _meta: META,
        },
        '2025-03-26': {
          ...BARE,
          arguments: [{ name: 'who', description: 'A name', required: true }],
        },
        '2024-11-05': {
          ...BARE,
          arguments: [{ name: 'who', description: 'A name', required: true }],
        },
      },
    ],
  ]
  it.each(cases(prompts))('is written for %s: %s', (version, _, prompt, expected) => {
    expect(codecOf(version).listItem('prompts/list', prompt)).toStrictEqual(expected)
  })
})

describe('a resource', () => {
  const BARE = { uri: 'note://a', name: 'a', description: 'd', mimeType: 'text/plain', size: 5 }
  const resources: readonly (readonly [string, Resource, ByRevision])[] = [
    [
      'with everything that a resource can have',
      { ...BARE, title: 'A', annotations: ANNOTATIONS, icons: ICONS, _meta: META },
      {
        '2025-11-25': { ...BARE, title: 'A', annotations: ANNOTATIONS, icons: ICONS, _meta: META },
        '2025-06-18': { ...BARE, title: 'A', annotations: ANNOTATIONS, _meta: META },
        '2025-03-26': { ...BARE, annotations: { priority: 1 } },
        '2024-11-05': { ...BARE, annotations: { priority: 1 } },
      },
    ],
  ]
  it.each(cases(resources))('is written for %s: %s', (version, _, resource, expected) => {
    expect(codecOf(version).listItem('resources/list', resource)).toStrictEqual(expected)
  })
})

describe('a resource template', () => {
  const BARE = { uriTemplate: 'note://{id}', name: 'note' }
  const templates: readonly (readonly [string, ResourceTemplateInfo, ByRevision])[] = [
    [
      'with a title and icons',
      { ...BARE, title: 'Note', icons: ICONS },
      {
        '2025-11-25': { ...BARE, title: 'Note', icons: ICONS },
        '2025-06-18': { ...BARE, title: 'Note' },
        '2025-03-26': BARE,
        '2024-11-05': BARE,
      },
    ],
  ]
  it.each(cases(templates))('is written for %s: %s', (version, _, template, expected) => {
    expect(codecOf(version).listItem('resources/templates/list', template)).toStrictEqual(expected)
  })
})

describe('the implementation', () => {
  const BARE = { name: 'notes', version: '1.0.0' }
  const FULL = {
    ...BARE,
    title: 'Notes',
    description: 'd',
    websiteUrl: 'https://a.example',
    icons: ICONS,
  }
  const TITLED = { ...BARE, title: 'Notes' }
  const infos: readonly (readonly [string, Implementation, ByRevision])[] = [
    [
      'with name and version',
      BARE,
      { '2025-11-25': BARE, '2025-06-18': BARE, '2025-03-26': BARE, '2024-11-05': BARE },
    ],
    [
      'with everything that it can have',
      FULL,
      { '2025-11-25': FULL, '2025-06-18': TITLED, '2025-03-26': BARE, '2024-11-05': BARE },
    ],
  ]
  it.each(cases(infos))('is written for %s: %s', (version, _, info, expected) => {
    expect(codecOf(version).implementation(info)).toStrictEqual(expected)
  })
})

describe('the capabilities', () => {
  const BARE = { logging: {}, tools: { listChanged: true }, resources: { subscribe: true } }
  const COMPLETING = { ...BARE, completions: {} }
  const rows: readonly (readonly [string, object, ByRevision])[] = [
    [
      'without completions',
      BARE,
      { '2025-11-25': BARE, '2025-06-18': BARE, '2025-03-26': BARE, '2024-11-05': BARE },
    ],
    [
      'with completions and extensions',
      { ...COMPLETING, extensions: { 'a.example/x': {} } },
      {
        '2025-11-25': { ...COMPLETING, extensions: { 'a.example/x': {} } },
        '2025-06-18': COMPLETING,
        '2025-03-26': COMPLETING,
        '2024-11-05': BARE,
      },
    ],
  ]
  it.each(cases(rows))('are written for %s: %s', (version, _, capabilities, expected) => {
    expect(codecOf(version).capabilities(capabilities)).toStrictEqual(expected)
  })
})

describe('progress', () => {
  const BARE = { progressToken: 0, progress: 1 }
  const FULL = { ...BARE, total: 2, message: 'half' }
  const WORDLESS = { ...BARE, total: 2 }
  const NOTHING = { progress: 1, total: undefined, message: undefined }
  const rows: readonly (readonly [string, typeof NOTHING | typeof FULL, ByRevision])[] = [
    [
      'without total and message',
      NOTHING,
      { '2025-11-25': BARE, '2025-06-18': BARE, '2025-03-26': BARE, '2024-11-05': BARE },
    ],
    [
      'with total and message',
      { progressToken: 0, progress: 1, total: 2, message: 'half' },
      { '2025-11-25': FULL, '2025-06-18': FULL, '2025-03-26': FULL, '2024-11-05': WORDLESS },
    ],
  ]
  it.each(cases(rows))(
    'is written for %s: %s',
    (version, _, { progress, total, message }, expected) => {
      const written = codecOf(version).progressParams(0, { progress, total, message })
      expect(written).toStrictEqual(expected)
    },
  )
})
