/** Messages as the inspector shows them: bounded, and without what looks like a secret. */
// features: asks
import { describe, expect, it } from 'vitest'
import { randomToken } from '../../../../src/platform/random-token.ts'
import { boundMessage, shapeOfMessage } from '../../src/inspector/bounded-message.ts'
import { withoutSecrets } from '../../src/inspector/secret-text.ts'

describe('boundMessage', () => {
  it('keeps a small message as it is', () => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      result: { list: [1, 'two', null, true, { three: 3 }] },
    }
    expect(boundMessage(message)).toEqual({ message, cut: false })
  })

  it.each([
    ['a text of 4 MB', 'x '.repeat(2 * 1024 * 1024)],
    ['a list of 100,000 values', Array.from({ length: 100_000 }, (_, at) => at)],
    [
      '100,000 members',
      Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`m${at}`, at])),
    ],
    ['deep nesting', JSON.parse(`${'['.repeat(60)}1${']'.repeat(60)}`)],
    ['many long texts', Array.from({ length: 100 }, () => 'word '.repeat(400))],
    ['long names of members', { ['word '.repeat(100_000)]: 1 }],
    ['control characters', Array.from({ length: 100 }, () => '\u0001 '.repeat(900))],
    [
      'long numbers beside texts',
      [
        Array.from({ length: 9 }, () => Array.from({ length: 199 }, () => 0.1234567890123456)),
        Array.from({ length: 100 }, () => 'word '.repeat(400)),
      ],
    ],
  ])('cuts %s to at most 48 K characters', (_, text) => {
    const { message, cut } = boundMessage({ jsonrpc: '2.0', params: { text } })
    expect(cut).toBe(true)
    expect(JSON.stringify(message).length).toBeLessThan(48 * 1024)
  })

  it('keeps at most 2,000 values of a message', () => {
    const lists = Array.from({ length: 150 }, () => Array.from({ length: 150 }, () => []))
    const { message, cut } = boundMessage({ lists })
    expect(cut).toBe(true)
    // A list that was cut has a mark at its end, which is no value of the message.
    const kept = (message as { lists: readonly (readonly unknown[])[] }).lists.filter(Array.isArray)
    const values = kept.length + kept.flat().filter(Array.isArray).length
    expect(values).toBeGreaterThan(1_900)
    expect(values).toBeLessThanOrEqual(2_000)
  })

  it.each([
    ['a list', Array.from({ length: 300 }, (_, at) => at)],
    ['an object', Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`m${at}`, at]))],
  ])('keeps the first 200 members of %s', (_, value) => {
    const { message, cut } = boundMessage({ value })
    const kept = Object.values((message as { value: object }).value)
    expect(kept.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, at) => at))
    expect(kept.slice(200).filter((each) => each !== '…')).toEqual([])
    expect(cut).toBe(true)
  })

  it('hides a secret in a text that is cut', () => {
    const token = randomToken(32)
    const { message, cut } = boundMessage({ text: `${token} ${'word '.repeat(1_000)}` })
    expect(JSON.stringify(message)).not.toContain(token)
    expect(cut).toBe(true)
  })

  it('cuts no surrogate pair in two', () => {
    const { message } = boundMessage({ text: `a${'😀'.repeat(2_000)}` })
    expect(JSON.stringify(message)).not.toMatch(/\\ud[89a-f]/)
  })

  it.each([
    'requestState',
    'password',
    'api_key',
    'apiKey',
    'access_token',
    'refreshToken',
    'token',
    'id_token',
    'client_secret',
    'Authorization',
    'Cookie',
    'set-cookie',
    'passphrase',
    'credentials',
    'x-api-key',
  ])('hides the value of a member %s', (name) => {
    expect(boundMessage({ params: { [name]: 'short' } }).message).toEqual({
      params: { [name]: '…' },
    })
  })

  it.each(['progressToken', 'nextCursor', 'tokens', 'maxTokens', 'secretary_name_is_no'])(
    'a member %s is shown unless it is a secret',
    (name) => {
      const shown = boundMessage({ [name]: 7 }).message
      expect(shown).toEqual({ [name]: name.startsWith('secret') ? '…' : 7 })
    },
  )

  it('replaces base64 of a content block by its length', () => {
    const { message } = boundMessage({ type: 'image', data: 'iVBORw0KGgo='.repeat(100) })
    expect(message).toEqual({ type: 'image', data: '… (1200 characters)' })
  })

  it('sets no prototype by a member of the message', () => {
    const { message } = boundMessage(JSON.parse('{"__proto__":{"polluted":true}}'))
    expect(JSON.stringify(message)).toBe('{"__proto__":{"polluted":true}}')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('shapeOfMessage', () => {
  it('has the method and the names and types of members, and no value', () => {
    const params = {
      name: 'echo',
      arguments: { text: 'private', more: [1, { deep: null }] },
      _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', other: 'private' },
    }
    expect(shapeOfMessage({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }).message).toEqual(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'echo',
          arguments: { text: 'string', more: ['number', { deep: 'null' }] },
          _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', other: 'string' },
        },
      },
    )
  })

  it('has the code of an error, and not its text', () => {
    const error = { code: -32602, message: 'private', data: { uri: 'private' } }
    expect(shapeOfMessage({ id: 1, error }).message).toEqual({
      id: 1,
      error: { code: -32602, message: 'string', data: { uri: 'string' } },
    })
  })

  it.each([
    [null, 'null'],
    ['text', 'string'],
    [[{ id: 1, params: 'x' }], [{ id: 1, params: 'string' }]],
  ])('of %j is a shape too', (message, shape) => {
    expect(shapeOfMessage(message).message).toEqual(shape)
  })
})

describe('withoutSecrets', () => {
  it.each([
    ['a token', (secret: string) => `Bearer ${secret}`],
    ['a signed URL', (secret: string) => `https://mcp.example.com/files/${secret}?x=1`],
    ['a webhook', (secret: string) => `POST /webhooks/${secret}`],
    ['a state handle in a sentence', (secret: string) => `Use the handle ${secret}, please.`],
  ])('hides %s of any length from 32 characters', (_, textOf) => {
    for (let bytes = 24; bytes < 200; bytes += 3) {
      const secret = randomToken(bytes)
      expect(withoutSecrets(textOf(secret))).not.toContain(secret.slice(6, 24))
    }
  })

  it.each([
    ['a header', (secret: string) => `Basic ${secret}`],
    ['a query', (secret: string) => `https://example.com/a?key=${encodeURIComponent(secret)}&b=1`],
    ['JSON', (secret: string) => JSON.stringify({ webhook: `whsec_${secret}` })],
  ])('hides a secret of standard base64 in %s, wherever it has + and /', (_, textOf) => {
    for (let bytes = 24; bytes < 200; bytes += 1) {
      const random = crypto.getRandomValues(new Uint8Array(bytes))
      // Every 20th character is + or /, so that the runs between are short.
      for (let at = 2; at < bytes; at += 15) random[at] = at % 2 === 0 ? 0xff : 0xfe
      const secret = random.toBase64()
      const shown = withoutSecrets(textOf(secret))
      const pieces = secret.slice(6).match(/.{12}/g) ?? []
      expect(pieces.filter((piece) => shown.includes(piece))).toEqual([])
    }
  })

  it('hides base64 in which a part between + and / looks like words', () => {
    const secret = 'whsec_abc/getUserByIdAndTenant+x9Kq2LmZ'
    expect(withoutSecrets(secret)).toBe('whsec_…')
  })

  it('keeps the names of a path beside its secrets', () => {
    expect(withoutSecrets('https://example.com/files/Zm9vYmFyYmF6cXV4Zm9v/list-of-pages')).toBe(
      'https://example.com/files/Zm9vYm…/list-of-pages',
    )
  })

  it('hides a UUID and a digest', () => {
    expect(withoutSecrets(crypto.randomUUID())).toMatch(/^.{6}…$/)
    expect(withoutSecrets('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b')).toBe('9f86d0…')
  })

  it.each([
    'io.modelcontextprotocol/clientCapabilities',
    'experimentalSupportsParallelToolCalls',
    'connection-timeline-of-the-server',
    'get_all_open_pull_requests_of_user',
    'getUserByIdAndTenantForRegion',
    'read_sha256_of_stored_file',
    'application/soap+xml',
    'application/problem+json',
    'MCP_ACCOUNT_SHORT_GRANTS',
    'https://example.com/a/long/path/of/several/plain/words',
    'https://api.example.com/v1/users/12345/orders/98765?page=2',
    'src/features/tasks/task-object.test.ts',
    '2026-11-22T20:17:06.000Z',
    'a'.repeat(100),
  ])('keeps %s', (text) => {
    expect(withoutSecrets(text)).toBe(text)
  })
})
