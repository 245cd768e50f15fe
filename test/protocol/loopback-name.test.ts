import { describe, expect, it } from 'vitest'
import { hostKind } from '../../packages/client/src/host-kind.ts'
import { isLoopbackName } from '../../src/protocol/loopback-name.ts'
import { checkElicitationUrl } from '../../src/server/url-elicitation-required-error.ts'

const LOOPBACK = [
  'localhost',
  'LOCALHOST:8787',
  '127.0.0.1',
  '127.1',
  '127.8.9.10',
  '2130706433',
  '0x7f.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
]

const OTHERS = [
  'app.localhost',
  'localhost.',
  'localhost.example',
  'notlocalhost',
  '127.0.0.1.example',
  '126.0.0.1',
  '128.0.0.1',
  '0.0.0.0',
  '10.0.0.1',
  '[::]',
  '[::2]',
  '[::ffff:127.0.0.1]',
]

describe('the host of a URL', () => {
  it.each(LOOPBACK)('is a loopback name: %s', (host) => {
    const url = new URL(`http://${host}/`)
    expect(isLoopbackName(url.hostname)).toBe(true)
    expect(hostKind(url)).toBe('loopback')
    expect(checkElicitationUrl(url.href)).toBe(url.href)
  })

  it.each(OTHERS)('is no loopback name, so plain http is refused: %s', (host) => {
    const url = new URL(`http://${host}/`)
    expect(isLoopbackName(url.hostname)).toBe(false)
    expect(() => checkElicitationUrl(url.href)).toThrow('must use https:')
  })
})
