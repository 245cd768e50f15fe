/** Answers of a hostile or broken server, and arguments, that `edgeway admin` is given: it ends with a sentence. */

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runEdgeway } from '../../../test/support/node/edgeway-command.ts'
import { startHttpServer, type TestServer } from '../../doctor/test/http-server.ts'
import { json } from '../../faults/test/planted/plant.ts'

const run = (url: string, args: readonly string[]) =>
  runEdgeway(['admin', ...args], {
    env: { EDGEWAY_ADMIN_URL: url, EDGEWAY_ADMIN_TOKEN: 'token' },
  })

const nested = (levels: number, open = '[', close = ']') =>
  `${open.repeat(levels)}1${close.repeat(levels)}`
const objects = (levels: number) => nested(levels, '{"a":', '}')

const JSON_TYPE = { 'content-type': 'application/json' }

interface WrongAnswer {
  readonly what: string
  readonly body: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly code: number
  readonly says: RegExp
}

const WRONG: readonly WrongAnswer[] = [
  ...[2000, 100_000].flatMap((levels) => [
    {
      what: `a result of ${levels} nested arrays`,
      body: `{"result":${nested(levels)}}`,
      code: 1,
      says: /nests more than 100 levels/,
    },
    {
      what: `a result of ${levels} nested objects`,
      body: `{"result":${objects(levels)}}`,
      code: 1,
      says: /nests more than 100 levels/,
    },
    {
      what: `connections of a timeline that nest ${levels} levels`,
      body: `{"result":{"connections":${nested(levels)}}}`,
      code: 1,
      says: /nests more than 100 levels/,
    },
    {
      what: `an error that nests ${levels} levels`,
      body: `{"error":${objects(levels)}}`,
      status: 400,
      code: 1,
      says: /answered 400/,
    },
    {
      what: `an error message that nests ${levels} levels`,
      body: `{"error":{"message":${nested(levels)}}}`,
      status: 500,
      code: 1,
      says: /answered 500/,
    },
  ]),
  {
    what: 'a result of 100 levels',
    body: `{"result":${objects(100)}}`,
    code: 0,
    says: /a:/,
  },
  {
    what: 'times that no date can have',
    body: '{"result":{"validFrom":1e300,"endsAt":-9e99,"at":null}}',
    code: 0,
    says: /validFrom: 1e\+300/,
  },
  { what: 'a result of null', body: '{"result":null}', code: 0, says: /null/ },
  { what: 'a result that is a text', body: '{"result":"x"}', code: 0, says: /x/ },
  { what: 'a result that is a list', body: '{"result":[null,[],{}]}', code: 0, says: /1: none/ },
  {
    what: 'members named __proto__ and toString',
    body: '{"result":{"__proto__":{"toString":1},"toString":{"valueOf":2}}}',
    code: 0,
    says: /valueOf: 2/,
  },
  {
    what: 'a connection whose verdict has a state of another shape',
    body: '{"result":{"connections":[{"id":"a","client":{"name":"c"},"networks":[],"beganAt":1,"lastAt":1,"verdict":{"state":{"x":1},"summary":"s"}}]}}',
    code: 0,
    says: /x: 1/,
  },
  { what: 'JSON that is no object', body: '[]', code: 1, says: /answered 200/ },
  { what: 'null', body: 'null', code: 1, says: /answered 200/ },
  { what: 'an empty body', body: '', code: 1, says: /answered 200/ },
  { what: 'a page', body: '<!doctype html>', status: 502, code: 1, says: /answered 502/ },
  { what: 'an error of null', body: '{"error":null}', status: 400, code: 1, says: /answered 400/ },
  {
    what: 'a redirect to another server',
    body: '',
    status: 307,
    headers: { location: 'http://127.0.0.1:9/' },
    code: 1,
    says: /answered 307/,
  },
  {
    what: 'a body that breaks off',
    body: '{"result":',
    headers: { 'content-length': '1000' },
    code: 2,
    says: /was not reached: The answer is not complete: broken/,
  },
  {
    what: 'a body of 9 MB',
    body: `{"result":"${'x'.repeat(9_000_000)}"}`,
    code: 2,
    says: /The answer is not complete: too-large/,
  },
  {
    what: 'a challenge that is not well formed',
    body: '{}',
    status: 401,
    headers: { 'www-authenticate': `Bearer ${'"=,'.repeat(5000)}` },
    code: 1,
    says: /answered 401/,
  },
]

describe('edgeway admin', () => {
  let answer: WrongAnswer
  let server: TestServer

  beforeAll(async () => {
    server = await startHttpServer(() => {
      const { status = 200, headers, body } = answer
      return { status, headers: { ...JSON_TYPE, ...headers }, body }
    })
  })

  afterAll(() => server.stop())

  it.each(WRONG)('ends with $code and one sentence for $what', async (row) => {
    answer = row
    const [shown, asJson] = await Promise.all([
      run(server.origin, ['timeline']),
      run(server.origin, ['timeline', '--json']),
    ])
    for (const { code, stderr } of [shown, asJson]) {
      expect(code).toBe(row.code)
      expect(stderr).not.toMatch(/\n.*\n|at .*\.ts/)
    }
    expect(row.code === 0 ? shown.stdout : shown.stderr).toMatch(row.says)
  })

  it.each([
    ['2,000 levels of JSON', nested(2000)],
    ['2,000 objects', objects(2000)],
    ['text of 100,000 characters', 'x'.repeat(100_000)],
    ['a name of a prototype', '__proto__'],
    ['lone surrogates', '\ud800'],
    ['line ends and escape sequences', '\u001b[2J\r\n'],
  ])('sends an argument as it is: %s', async (_, argument) => {
    const asked = await startHttpServer(() => json({ result: { grants: [] } }))
    onTestFinished(() => asked.stop())
    expect(await run(asked.origin, ['grants', argument])).toMatchObject({ code: 0, stderr: '' })
    const [sent] = asked.requests
    const { operation, subject } = sent?.json ?? {}
    expect(operation).toBe('grants')
    // A difference of 100,000 characters is not printed.
    expect(subject === Buffer.from(argument).toString()).toBe(true)
  })

  it.each([
    '//',
    'https://[',
    'https://a:99999',
    'https:',
    'https://a b',
    'https://%',
    'javascript:1',
  ])('ends with 2 for the URL %s', async (url) => {
    const { code, stderr } = await run(url, ['health'])
    expect(code).toBe(2)
    expect(stderr).not.toMatch(/at .*\.ts/)
  })
})
