/** The addresses that the doctor connects to. */
import { describe, expect, it } from 'vitest'
import { checkHost, isPrivateHost, PrivateAddressError } from '../../cli/doctor/http/addresses.ts'
import { createHttpClient } from '../../cli/doctor/http/http-client.ts'

const PRIVATE = [
  'http://localhost/',
  'http://a.localhost/',
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0.0.0.0/',
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://100.64.0.1/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[fd00::1]/',
  'http://[fe80::1]/',
  'http://printer.local/',
  'http://service.internal/',
  'http://localhost./',
]

const PUBLIC = [
  'https://example.com/',
  'https://8.8.8.8/',
  'https://[2606:4700::1]/',
  'https://localhost.example/',
]

describe('the addresses of the doctor', () => {
  it.each(PRIVATE)('are private for %s', (url) => {
    expect(isPrivateHost(new URL(url))).toBe(true)
    expect(() => checkHost(new URL(url), false)).toThrow(PrivateAddressError)
  })

  it.each(PUBLIC)('are public for %s', (url) => {
    expect(isPrivateHost(new URL(url))).toBe(false)
  })

  it.each([...PRIVATE, 'file:///etc/passwd', 'data:text/plain,x'])(
    'of a public server do not include %s',
    async (url) => {
      const http = createHttpClient({ timeoutMs: 500, allowPrivate: false, userAgent: 'test' })
      const reply = await http.send({ method: 'GET', url: new URL(url) })
      expect(reply).toMatchObject({ ok: false, failure: { kind: 'address-refused' } })
    },
  )
})
