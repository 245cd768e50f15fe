/** Resources: the list and its pages, templates, text and binary contents, missing resources. */
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { connect, MODES } from './connect.ts'

const MANY_URIS = Array.from({ length: 250 }, (_, index) => `probe://many/${index + 1}`)
const URIS = [
  'test://static-text',
  'test://static-binary',
  'test://watched-resource',
  'probe://static/a',
  'probe://static/b',
  'skill://conformance/pdf-processing/SKILL.md',
  'ui://probe/note',
  ...MANY_URIS,
]

describe.each(MODES)('a client in %s mode', (mode) => {
  let client: Client

  beforeAll(async () => {
    client = await connect(mode)
  })
  afterAll(() => client.close())

  test('lists every resource over all pages', async () => {
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(URIS)
    expect(resources[0]).toEqual({
      uri: 'test://static-text',
      name: 'static-text',
      title: 'Static text',
      description: 'A text that never changes.',
      mimeType: 'text/plain',
    })
  })

  test('receives pages of 100 resources', async () => {
    // Without a cursor the client fetches all pages, so the sizes are read from its requests.
    const sizes: number[] = []
    const counting = await connect(mode, {
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (String(init?.body).includes('"method":"resources/list"')) {
          const { result } = (await response.clone().json()) as {
            result: { resources: unknown[] }
          }
          sizes.push(result.resources.length)
        }
        return response
      },
    })
    await counting.listResources()
    expect(sizes).toEqual([100, 100, 57])
    await counting.close()
  })

  test('receives an error for a cursor that the server did not issue', async () => {
    await expect(client.listResources({ cursor: 'bogus' })).rejects.toMatchObject({ code: -32602 })
  })

  test('lists the templates', async () => {
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'test://template/{id}/data',
      'probe://item/{id}',
      'probe://tags{/tag*}',
      'probe://many/{n}',
      'probe://asked/{topic}',
    ])
    expect(resourceTemplates[1]).toEqual({
      uriTemplate: 'probe://item/{id}',
      name: 'item',
      description: 'An item by its id.',
      mimeType: 'text/plain',
    })
  })

  test.each([
    ['test://static-text', 'text/plain', 'This is the content of the static text resource.'],
    ['probe://static/b', 'text/plain', 'static b'],
    [
      'test://template/123/data',
      'application/json',
      '{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
    ],
    [
      'test://template/a%2Fb/data',
      'application/json',
      '{"id":"a/b","templateTest":true,"data":"Data for ID: a/b"}',
    ],
    ['probe://item/%C3%A9', 'text/plain', 'item é'],
    ['probe://tags', 'text/plain', ''],
    ['probe://tags/red/dark%20blue', 'text/plain', 'red, dark blue'],
    ['probe://many/250', 'text/plain', 'number 250'],
  ])('reads %s', async (uri, mimeType, text) => {
    const { contents } = await client.readResource({ uri })
    expect(contents).toEqual([{ uri, mimeType, text }])
  })

  test('reads binary contents as base64', async () => {
    verifies('resources/binary-data-is-encoded')
    const { contents } = await client.readResource({ uri: 'test://static-binary' })
    expect(contents).toEqual([
      {
        uri: 'test://static-binary',
        mimeType: 'image/png',
        blob: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
      },
    ])
  })

  test.each([
    'test://nonexistent',
    'probe://many/251',
    'probe://many/0',
    'probe://item/a/b',
    'probe://item/',
  ])('receives an error for %s, which does not exist', async (uri) => {
    await expect(client.readResource({ uri })).rejects.toMatchObject({
      message: 'Resource not found',
      data: { uri },
    })
  })
})

test('a modern client requests a cacheable resource once', async () => {
  let reads = 0
  const client = await connect('modern', {
    fetch: (input, init) => {
      if (String(init?.body).includes('"method":"resources/read"')) reads++
      return fetch(input, init)
    },
  })
  const read = () => client.readResource({ uri: 'test://static-text' })
  expect(await read()).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' })
  expect((await read()).contents).toEqual((await read()).contents)
  expect(reads).toBe(1)
  await client.readResource({ uri: 'probe://static/a' })
  await client.readResource({ uri: 'probe://static/a' })
  expect(reads).toBe(3)
  await client.close()
})
