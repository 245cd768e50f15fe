import { describe, expect, it } from 'vitest'
import { requestedRange } from '../../../src/features/files/transport/serve-file.ts'

const ETAG = '"tag"'
const of = (range: string, size = 100, ifRange?: string) =>
  requestedRange(
    new Headers({ range, ...(ifRange === undefined ? undefined : { 'if-range': ifRange }) }),
    size,
    ETAG,
  )

describe('the range of a request', () => {
  it.each([
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=0-99', { start: 0, end: 100 }],
    ['bytes=0-100', { start: 0, end: 100 }],
    ['bytes=99-', { start: 99, end: 100 }],
    ['bytes=0-', { start: 0, end: 100 }],
    ['bytes=-1', { start: 99, end: 100 }],
    ['bytes=-100', { start: 0, end: 100 }],
    ['bytes=-101', { start: 0, end: 100 }],
    ['BYTES=1-2', { start: 1, end: 3 }],
    ['bytes= 1 - 2', { start: 1, end: 3 }],
    [`bytes=0-${'9'.repeat(400)}`, { start: 0, end: 100 }],
    [`bytes=-${'9'.repeat(400)}`, { start: 0, end: 100 }],
  ])('%s is satisfiable', (range, expected) => expect(of(range)).toEqual(expected))

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0', `bytes=${'9'.repeat(400)}-`])(
    '%s is unsatisfiable',
    (range) => expect(of(range)).toBe('unsatisfiable'),
  )

  it.each([
    '',
    'bytes=',
    'bytes=-',
    'bytes=2-1',
    'bytes=0-1,2-3',
    'bytes=a-b',
    'items=0-1',
    'bytes 0-1',
    'bytes=0-1x',
    'bytes=--1',
    'bytes=1',
  ])('%j is ignored', (range) => expect(of(range)).toBe('whole'))

  it('of an empty file is ignored or unsatisfiable', () => {
    expect(of('bytes=0-', 0)).toBe('unsatisfiable')
    expect(of('bytes=-5', 0)).toBe('whole')
  })

  it.each([
    [ETAG, { start: 0, end: 1 }],
    ['"other"', 'whole'],
    ['W/"tag"', 'whole'],
    ['Sun, 22 Nov 2026 00:00:00 GMT', 'whole'],
  ])('with If-Range %s is %j', (ifRange, expected) =>
    expect(of('bytes=0-0', 100, ifRange)).toEqual(expected),
  )
})
