import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { file } from '../../../src/features/files/index.ts'
import { FullServer } from '../../support/full-server.ts'
import { pattern, storeFile } from './storage.ts'

describe('file()', () => {
  const register = (files: unknown, inputSchema?: object) => () =>
    new FullServer({ name: 'x', version: '1' }).registerTool(
      'a',
      { files, inputSchema } as never,
      () => '',
    )

  it.each([
    ['maxBytes', { maxBytes: 0 }],
    ['maxBytes', { maxBytes: 1.5 }],
    ['types', { types: [] }],
    ['types', { types: ['image'] }],
    ['description', { description: 7 }],
    ['required', { required: 'yes' }],
    ['ttlMs', { ttlMs: -1 }],
  ])('refuses a malformed %s', (name, options) => {
    expect(() => file(options as never)).toThrow(new RegExp(name))
  })

  it.each([
    ['no file', {}, /files must be true, or \{ name: file/],
    ['another value', { a: {} }, /files must be true/],
    ['another value beside a file', { a: file(), b: {} }, /files\.b must be the value of file/],
    ['a name with other characters', { 'a-b': file() }, /files\.a-b: use 1 to 32/],
    [
      'too many files',
      Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i}`, file()])),
      /at most 8 files/,
    ],
  ])('a tool with %s is refused', (_, files, message) => {
    expect(register(files)).toThrow(message as RegExp)
  })

  it('a tool whose schema has the same property is refused', async () => {
    expect(register({ a: file() }, z.object({ a: z.string() }))).toThrow(
      /files\.a is a property of inputSchema too/,
    )
  })
})

describe('file.content()', () => {
  it('hands out a file in the form that is asked for', async () => {
    const csv = await storeFile('bucket', 'a.csv', 'a,b')
    const png = await storeFile('bucket', 'a.png', pattern(0, 9))
    const large = await storeFile('bucket', 'l.png', pattern(0, 1024 * 1024 + 1))
    const kinds = async (...[stored, as]: [typeof csv, ('link' | 'embedded' | 'url')?]) =>
      (await stored.content(as === undefined ? {} : { as })).map(({ type }) => type)
    expect(await kinds(csv)).toEqual(['resource_link', 'text'])
    expect(await kinds(csv, 'link')).toEqual(['resource_link'])
    expect(await kinds(csv, 'url')).toEqual(['text'])
    expect(await csv.content({ as: 'embedded' })).toEqual([
      { type: 'resource', resource: { uri: csv.uri, mimeType: 'text/csv', text: 'a,b' } },
    ])
    expect(await kinds(png)).toEqual(['image', 'resource_link', 'text'])
    expect(await kinds(png, 'embedded')).toEqual(['image'])
    expect(await kinds(large)).toEqual(['resource_link', 'text'])
    expect(await kinds(large, 'embedded')).toEqual(['resource_link', 'text'])
    const empty = await storeFile('bucket', 'e.png', '')
    expect(await kinds(empty)).toEqual(['resource_link', 'text'])
    expect(await kinds(empty, 'embedded')).toEqual(['resource'])
    const typed = await storeFile('bucket', 'a', pattern(0, 9), { mimeType: 'Image/PNG; a=b' })
    expect((await typed.content())[0]).toMatchObject({ type: 'image', mimeType: 'image/png' })
    await expect(csv.content({ as: 'inline' as never })).rejects.toThrow(TypeError)
  })
})
