import { describe, expect, it } from 'vitest'
import { isMediaType, safeFileName } from '../../src/protocol/file-name.ts'

describe('safeFileName', () => {
  it.each([
    ['a.txt', 'a.txt'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\a\\b.txt', 'b.txt'],
    ['/', 'file'],
    ['..', 'file'],
    ['...', 'file'],
    ['', 'file'],
    [' a.txt ', 'a.txt'],
    ['a.txt. .', 'a.txt'],
    ['.hidden', '.hidden'],
    ['a\r\nb: c.txt', 'ab: c.txt'],
    ['a\u0000b.txt', 'ab.txt'],
    ['gpj\u202eexe.txt', 'gpjexe.txt'],
    ['a\u2028b\u2029c', 'abc'],
    ['a\ud800.txt', 'a\ufffd.txt'],
    ['a "quoted" name.txt', 'a "quoted" name.txt'],
    ['👩‍👩‍👧.png', '👩‍👩‍👧.png'],
  ])('returns for %j the name %j', (name, safe) => {
    expect(safeFileName(name)).toBe(safe)
    expect(safeFileName(safe)).toBe(safe)
  })

  it.each([
    ['x', 300, '.txt'],
    ['é', 200, '.tar.gz'],
    ['👩‍👩‍👧', 40, '.png'],
    ['x', 300, `.${'y'.repeat(30)}`],
  ])(
    'cuts %s of %d characters and %s to 255 bytes of whole characters',
    (letter, count, ending) => {
      const safe = safeFileName(letter.repeat(count) + ending)
      const { byteLength } = new TextEncoder().encode(safe)
      expect(byteLength).toBeLessThanOrEqual(255)
      expect(byteLength).toBeGreaterThan(240)
      expect(safe.isWellFormed()).toBe(true)
      if (ending.length < 16)
        expect(safe.endsWith(ending.slice(ending.lastIndexOf('.')))).toBe(true)
      expect(safeFileName(safe)).toBe(safe)
    },
  )

  it('takes linear time', () => {
    const start = performance.now()
    for (const part of ['/', '\\', '.', ' ', '\u202e', 'a']) safeFileName(part.repeat(200_000))
    expect(performance.now() - start).toBeLessThan(5000)
  })
})

describe('isMediaType', () => {
  it.each([
    'text/csv',
    'text/plain; charset=utf-8',
    'application/vnd.a+json;a="b c"',
    'x/y',
    'text/html ;charset=utf-8',
  ])('accepts %s', (text) => expect(isMediaType(text)).toBe(true))

  it.each([
    '',
    'text',
    '/csv',
    'text/',
    'text /csv',
    'text/csv\n',
    'text/csv; a',
    'a/b;\r\nc=d',
    7,
  ])('refuses %j', (text) => expect(isMediaType(text)).toBe(false))
})
