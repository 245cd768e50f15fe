import { describe, expect, it } from 'vitest'
import { originOf } from '../../src/platform/origin.ts'

describe('originOf', () => {
  it.each([
    'http://a/',
    'https://a.example',
    'https://a.example:8443/mcp/a/b?c=/d#e',
    'http://[::1]:8787/mcp',
    'http://127.0.0.1:8787?a=b',
  ])('returns what URL returns for a request to %s', (url) => {
    expect(originOf(new Request(url).url)).toBe(new URL(url).origin)
  })
})
