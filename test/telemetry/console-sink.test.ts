import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { McpServer } from '../../src/index.ts'
import { consoleSink } from '../../src/telemetry/console-sink.ts'
import { openApp } from '../support/test-app.ts'

afterEach(() => vi.restoreAllMocks())

function recordConsole() {
  const lines: string[] = []
  for (const level of ['error', 'warn'] as const) {
    vi.spyOn(console, level).mockImplementation(
      (line: string) => void lines.push(`${level} ${line}`),
    )
  }
  return lines
}

describe('consoleSink', () => {
  it('writes errors and warnings as one line of JSON each', () => {
    const lines = recordConsole()
    consoleSink({ type: 'handler-error', subject: 'Tool t', reference: '1', error: 'odd\nerror' })
    consoleSink({ type: 'bad-result', subject: 'Tool t', reference: '2', message: 'no' })
    consoleSink({ type: 'definition-warning', subject: 'Tool t', message: 'long' })
    expect(lines).toEqual([
      'error {"source":"edgeway","type":"handler-error","subject":"Tool t","reference":"1","error":"odd\\nerror"}',
      'error {"source":"edgeway","type":"bad-result","subject":"Tool t","reference":"2","message":"no"}',
      'warn {"source":"edgeway","type":"definition-warning","subject":"Tool t","message":"long"}',
    ])
  })

  it('writes refused grants, refused sign-ins and throttled requests as warnings', () => {
    const lines = recordConsole()
    consoleSink({
      type: 'grant-refused',
      error: 'invalid_grant',
      reason: 'code-replayed',
      message: 'x',
    })
    consoleSink({ type: 'sign-in-refused', reason: 'passphrase-wrong', message: 'x' })
    consoleSink({ type: 'refusal', name: 'too-many-requests', status: 429, message: 'x' })
    expect(lines).toEqual([
      'warn {"source":"edgeway","type":"grant-refused","error":"invalid_grant","reason":"code-replayed","message":"x"}',
      'warn {"source":"edgeway","type":"sign-in-refused","reason":"passphrase-wrong","message":"x"}',
      'warn {"source":"edgeway","type":"refusal","name":"too-many-requests","status":429,"message":"x"}',
    ])
  })

  it('writes one line per second for each class of rate limits, with the number of omitted ones', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const lines = recordConsole()
    const refuse = (limitClass: string) =>
      consoleSink({ type: 'refusal', name: 'rate-limited', status: 429, message: 'x', limitClass })
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

  it('writes no leniencies, cancellations and refusals that are not throttling', () => {
    const lines = recordConsole()
    consoleSink({ type: 'leniency', name: 'accept-incomplete', method: undefined })
    consoleSink({ type: 'refusal', name: 'header-mismatch', status: 400, message: 'x' })
    consoleSink({ type: 'cancelled', method: 'tools/call', reason: 'client-disconnected' })
    expect(lines).toEqual([])
  })

  it('writes the stack of a handler error, which the client does not receive', async () => {
    const lines = recordConsole()
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('t', {}, () => {
      throw new Error('canary')
    })
    const { body } = await openApp(server, { telemetry: consoleSink }).modern('tools/call', {
      name: 't',
    })
    expect(JSON.stringify(body)).not.toContain('canary')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^error \{.*"error":"Error: canary\\n/)
  })

  it('writes a placeholder for an error that cannot be converted to text', () => {
    const lines = recordConsole()
    const error = {
      toString: () => {
        throw new Error('no')
      },
    }
    consoleSink({ type: 'internal-error', error })
    expect(lines).toEqual([
      'error {"source":"edgeway","type":"internal-error","error":"a value without a text form"}',
    ])
  })
})

describe('a telemetry sink that throws', () => {
  it('does not fail the request', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('t', {}, () => 'x')
    const telemetry = () => {
      throw new Error('sink')
    }
    const app = openApp(server, { telemetry })
    expect((await app.modern('tools/list', {}, { headers: { accept: '*/*' } })).status).toBe(200)
  })
})
