/** Copies of the protected server, each broken in one way: the timeline names the fault by the code of the doctor. */
import { describe, expect, it } from 'vitest'
import { type Planted, PROTECTED } from '../../../faults/test/planted/table.ts'
import { advance, openRecorded, type RecordedOptions } from './support/recorded-server.ts'
import { type ClientOptions, StrictClient } from './support/strict-client.ts'

/** What a client, a proxy or the app does, so that no answer is changed. */
const OF_REQUESTS: readonly (Pick<Planted, 'fault' | 'when' | 'timeline'> & {
  readonly server?: RecordedOptions
  readonly client?: ClientOptions
})[] = [
  {
    fault: 'metadata-names-internal-host',
    when: 'the server derives its URLs from the host behind a proxy',
    client: {
      headers: { 'x-forwarded-host': 'mcp.example.com', 'x-forwarded-proto': 'https' },
      stopsBefore: 'authorization',
    },
    timeline: 'authorization request',
  },
  {
    fault: 'token-refused',
    when: 'a proxy drops the Authorization header',
    client: { losesToken: true },
    timeline: 'request with the token',
  },
  {
    fault: 'rate-limited',
    when: 'the first requests are refused',
    server: { app: { rateLimits: { classes: { principal: { limit: 1 } } } } },
    timeline: 'list',
  },
  {
    fault: 'origin-refused',
    when: 'a browser client has an origin that is not allowed',
    client: { headers: { origin: 'http://inspector.example' } },
    timeline: '401 or with a result',
  },
  {
    fault: 'endpoint-not-found',
    when: 'the URL was pasted without its path',
    client: { pasted: 'http://localhost:8787/' },
    timeline: '401 or with a result',
  },
]

const ROWS = [
  ...PROTECTED.flatMap((row) =>
    row.timeline === undefined || row.notInTimeline !== undefined
      ? []
      : { ...row, server: { plant: row.plant }, client: {} },
  ),
  ...OF_REQUESTS,
]

/** Longer than a client waits with its next step. */
const LATER_MS = 30_000

describe('the timeline of a server with one fault', () => {
  it.each(ROWS)('names $fault when $when', async ({ fault, server, client, timeline = '' }) => {
    const recorded = openRecorded(server)
    await new StrictClient(recorded, client).connect()
    advance(LATER_MS)
    const { verdict } = await recorded.connection()
    expect(verdict.findings.map(({ code }) => code)).toContain(fault)
    const finding = verdict.findings.find(({ code }) => code === fault)
    expect(finding?.answer).toMatch(/[^.\s]$/)
    const text = await recorded.control.text()
    expect(text).toContain(`\n    ${finding?.answer}.\n    docs/reference/faults.md#${fault}\n`)
    if (timeline === 'connects') {
      expect(verdict).toMatchObject({ state: 'connected', checked: [] })
      return
    }
    expect(verdict.state).toBe('stopped')
    expect(verdict.missing).toContain(timeline)
    expect(verdict.summary).toContain(fault)
  })

  it('names no fault of a correct server, and the client connects', async () => {
    const recorded = openRecorded()
    const walk = await new StrictClient(recorded).connect()
    expect(walk.stopped).toBeUndefined()
    advance(LATER_MS)
    const { verdict, client, steps } = await recorded.connection()
    expect(verdict).toEqual({
      state: 'connected',
      summary: 'The client connected and called.',
      findings: [],
      checked: [],
    })
    expect(client.name).toBe('strict-client')
    expect(steps.map(({ title, status }) => `${title} ${status}`)).toEqual([
      'POST 401',
      'protected resource metadata 200',
      'authorization server metadata 200',
      'registration 201',
      'authorization request 200',
      'decision of the person 303',
      'token (authorization_code) 200',
      'initialize 200',
      'notifications/initialized 202',
      'tools/list 200',
      'tools/call 200',
    ])
  })

  it('names the causes that it has checked when a client gets a token and sends nothing afterwards', async () => {
    const recorded = openRecorded()
    await new StrictClient(recorded, { stopsBefore: 'use' }).connect()
    const soon = await recorded.connection()
    expect(soon.verdict).toMatchObject({
      state: 'in-progress',
      missing: 'a request with the token',
    })
    advance(LATER_MS)
    const { verdict } = await recorded.connection()
    expect(verdict.findings).toEqual([])
    expect(verdict.summary).toContain('got a token, and a request with the token did not come')
    expect(verdict.summary).toContain('npx edgeway doctor URL')
    const checked = new Map(verdict.checked.map((cause) => [cause.code, cause]))
    expect(checked.get('resource-mismatch')).toEqual({
      code: 'resource-mismatch',
      result: 'passed',
      answer:
        'The resource is "http://localhost:8787/mcp", and the pasted URL is "http://localhost:8787/mcp"',
    })
    expect(checked.get('token-expiry-invalid')).toMatchObject({
      result: 'passed',
      answer: 'expires_in was 86400',
    })
    expect(verdict.checked.filter(({ result }) => result === 'failed')).toEqual([])
  })
})
