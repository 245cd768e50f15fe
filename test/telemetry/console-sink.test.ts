import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { McpServer } from '../../src/index.ts'
import { ConfigurationError } from '../../src/platform/configuration-error.ts'
import { consoleSink, type TelemetryEvent } from '../../src/telemetry/index.ts'
import { openApp } from '../support/test-app.ts'

afterEach(() => vi.restoreAllMocks())

const DEPLOYED = consoleSink()

/** Writes an event with the default options of a deployment. */
const write = (event: TelemetryEvent) => DEPLOYED.record(event, {})

function recordConsole() {
  const lines: string[] = []
  for (const level of ['error', 'warn', 'info'] as const) {
    vi.spyOn(console, level).mockImplementation(
      (line: string) => void lines.push(`${level} ${line}`),
    )
  }
  return lines
}

describe('consoleSink', () => {
  it('writes errors and warnings as one line of JSON each', () => {
    const lines = recordConsole()
    write({ type: 'handler-error', subject: 'Tool t', reference: '1', error: 'odd\nerror' })
    write({ type: 'bad-result', subject: 'Tool t', reference: '2', message: 'no' })
    write({ type: 'definition-warning', subject: 'Tool t', message: 'long' })
    expect(lines).toEqual([
      'error {"source":"edgeway","type":"handler-error","subject":"Tool t","reference":"1","error":"a thrown string"}',
      'error {"source":"edgeway","type":"bad-result","subject":"Tool t","reference":"2","message":"no"}',
      'warn {"source":"edgeway","type":"definition-warning","subject":"Tool t","message":"long"}',
    ])
  })

  it('writes refused grants, refused sign-ins and throttled requests as warnings', () => {
    const lines = recordConsole()
    write({
      type: 'grant-refused',
      error: 'invalid_grant',
      reason: 'code-replayed',
      message: 'x',
    })
    write({ type: 'sign-in-refused', reason: 'passphrase-wrong', message: 'x' })
    write({ type: 'refusal', name: 'too-many-requests', status: 429, message: 'x' })
    expect(lines).toEqual([
      'warn {"source":"edgeway","type":"grant-refused","error":"invalid_grant","reason":"code-replayed","message":"x"}',
      'warn {"source":"edgeway","type":"sign-in-refused","reason":"passphrase-wrong","message":"x"}',
      'warn {"source":"edgeway","type":"refusal","name":"too-many-requests","status":429,"message":"x"}',
    ])
  })

  it('writes refused and suspended subscriptions and lost events as warnings, and no other event', () => {
    const lines = recordConsole()
    const delivery = { type: 'event-delivery', event: 'note', subscription: 'sub_1' } as const
    const subscription = {
      type: 'event-subscription',
      event: 'note',
      subscription: 'sub_1',
    } as const
    write({ type: 'event-emitted', event: 'note' })
    write({ ...delivery, outcome: 'delivered' })
    write({ ...delivery, outcome: 'retried', reason: 'timeout' })
    write({ ...delivery, outcome: 'abandoned', reason: 'timeout' })
    write({ ...delivery, outcome: 'dropped' })
    write({ ...subscription, outcome: 'created' })
    write({ ...subscription, outcome: 'suspended', reason: 'http_5xx' })
    write({ ...subscription, outcome: 'refused', reason: 'challenge_failed' })
    write({ ...subscription, outcome: 'refused', reason: 'challenge_failed' })
    const start = (type: string) =>
      `warn {"source":"edgeway","type":"${type}","event":"note","subscription":"sub_1"`
    expect(lines).toEqual([
      `${start('event-delivery')},"outcome":"abandoned","reason":"timeout"}`,
      `${start('event-delivery')},"outcome":"dropped"}`,
      `${start('event-subscription')},"outcome":"suspended","reason":"http_5xx"}`,
      `${start('event-subscription')},"outcome":"refused","reason":"challenge_failed","omitted":0}`,
    ])
  })

  it('writes one line per second for each class of rate limits, with the number of omitted ones', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const lines = recordConsole()
    const refuse = (limitClass: string) =>
      write({ type: 'refusal', name: 'rate-limited', status: 429, message: 'x', limitClass })
    const line = (limitClass: string, omitted: number) =>
      `warn {"source":"edgeway","type":"refusal","name":"rate-limited","status":429,"message":"x","limitClass":"${limitClass}","omitted":${omitted}}`
    for (let count = 0; count < 1_000; count++) refuse('one')
    refuse('two')
    vi.setSystemTime(Date.now() + 999)
    refuse('one')
    expect(lines).toEqual([line('one', 0), line('two', 0)])
    vi.setSystemTime(Date.now() + 1)
    refuse('one')
    refuse('one')
    expect(lines.slice(2)).toEqual([line('one', 1_000)])
  })

  it('writes one line per second for each deprecated tool, with the number of omitted ones', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const lines = recordConsole()
    const call = (tool: string, client: string) =>
      write({ type: 'deprecated-call', tool, use: 'current', client })
    for (let client = 0; client < 10; client++) call('old', `client ${client}`)
    call('older', 'a')
    expect(lines).toEqual(
      [
        ['old', 'client 0'],
        ['older', 'a'],
      ].map(
        ([tool, client]) =>
          `warn {"source":"edgeway","type":"deprecated-call","tool":"${tool}","use":"current","client":"${client}","omitted":0}`,
      ),
    )
  })

  it('writes no leniencies, cancellations and refusals that are not throttling', () => {
    const lines = recordConsole()
    write({ type: 'leniency', name: 'accept-incomplete', method: undefined })
    write({ type: 'refusal', name: 'header-mismatch', status: 400, message: 'x' })
    write({ type: 'cancelled', method: 'tools/call', reason: 'client-disconnected' })
    expect(lines).toEqual([])
  })

  it.each([
    [false, /^error \{.*"error":"Error\\n {4}at .*telemetry/],
    [true, /^error \{.*"error":"Error: canary\\n {4}at .*telemetry/],
  ])(
    'writes the stack of a handler error, and its message if errorMessages is %s',
    async (errorMessages, expected) => {
      const lines = recordConsole()
      const server = new McpServer({ name: 's', version: '1' })
      server.registerTool('t', {}, () => {
        throw new Error('canary')
      })
      const app = openApp(server, { telemetry: consoleSink({ errorMessages }) })
      const { body } = await app.modern('tools/call', { name: 't' })
      expect(JSON.stringify(body)).not.toContain('canary')
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatch(expected)
      expect(lines[0]?.includes('canary')).toBe(errorMessages)
    },
  )

  it('leaves out every part of a message that looks like stack frames', () => {
    const lines = recordConsole()
    write({ type: 'internal-error', error: new Error('one\n    at canary (secret.js:1:1)\ntwo') })
    const renamed = new Error('plain')
    renamed.message = 'canary'
    renamed.name = 'canary with spaces'
    write({ type: 'internal-error', error: renamed })
    expect(lines).toHaveLength(2)
    expect(lines.join()).not.toContain('canary')
  })

  it('writes the message of a mistake of the deployment', () => {
    const lines = recordConsole()
    const error = new ConfigurationError('embedded() needs the binding MCP_OBJECTS')
    write({ type: 'internal-error', error })
    expect(lines.join()).toContain('"error":"TypeError: embedded() needs the binding MCP_OBJECTS')
  })

  it('leaves out the values that a bad result names after its first line', () => {
    const lines = recordConsole()
    const message = 'its value does not fit its outputSchema:\ncanary'
    write({ type: 'bad-result', subject: 'Tool t', reference: '2', message })
    expect(lines.join()).not.toContain('canary')
  })

  it('writes readable lines with the option format: text', () => {
    const lines = recordConsole()
    const sink = consoleSink({ format: 'text', errorMessages: true })
    const error = new Error('no')
    error.stack = 'Error: no\n    at x'
    sink.record({ type: 'handler-error', subject: 'Tool t', reference: 'r1', error }, {})
    sink.record({ type: 'sign-in-refused', reason: 'passphrase-wrong', message: 'A b' }, {})
    expect(lines).toEqual([
      'error [edgeway] handler-error  subject="Tool t" reference=r1\nError: no\n    at x',
      'warn [edgeway] sign-in-refused  reason=passphrase-wrong message="A b"',
    ])
  })

  it('writes a placeholder for an error that cannot be converted to text', () => {
    const lines = recordConsole()
    const error = {
      toString: () => {
        throw new Error('no')
      },
    }
    write({ type: 'internal-error', error })
    consoleSink({ errorMessages: true }).record({ type: 'internal-error', error }, {})
    expect(lines).toEqual([
      'error {"source":"edgeway","type":"internal-error","error":"a thrown object"}',
      'error {"source":"edgeway","type":"internal-error","error":"a value without a text form"}',
    ])
  })
})

describe('a telemetry sink', () => {
  it('that throws, rejects or never settles does not fail the request or another sink', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('t', {}, () => 'x')
    const seen: string[] = []
    const fail = (): never => {
      throw new Error('sink')
    }
    const telemetry = [
      fail,
      async () => fail(),
      { spans: true, record: fail, flush: fail },
      { record: async () => fail(), flush: () => new Promise(() => undefined) },
      (event: TelemetryEvent) => seen.push(event.type),
    ]
    const app = openApp(server, { telemetry })
    expect((await app.modern('tools/list', {}, { headers: { accept: '*/*' } })).status).toBe(200)
    expect(seen).toEqual(['leniency'])
  })
})
