import { afterEach, describe, expect, it, vi } from 'vitest'
import { McpServer } from '../../src/index.ts'
import { consoleSink } from '../../src/telemetry/console-sink.ts'
import { openDoor } from '../support/door.ts'

afterEach(() => vi.restoreAllMocks())

function listen() {
  const lines: string[] = []
  for (const level of ['error', 'warn'] as const) {
    vi.spyOn(console, level).mockImplementation(
      (line: string) => void lines.push(`${level} ${line}`),
    )
  }
  return lines
}

describe('the console', () => {
  it('is told what somebody should look at, one line of JSON each', () => {
    const lines = listen()
    consoleSink({ type: 'handler-error', subject: 'Tool t', reference: '1', error: 'odd\nerror' })
    consoleSink({ type: 'bad-result', subject: 'Tool t', reference: '2', message: 'no' })
    consoleSink({ type: 'definition-warning', subject: 'Tool t', message: 'long' })
    expect(lines).toEqual([
      'error {"source":"edgeway","type":"handler-error","subject":"Tool t","reference":"1","error":"odd\\nerror"}',
      'error {"source":"edgeway","type":"bad-result","subject":"Tool t","reference":"2","message":"no"}',
      'warn {"source":"edgeway","type":"definition-warning","subject":"Tool t","message":"long"}',
    ])
  })

  it('is not told of every day', () => {
    const lines = listen()
    consoleSink({ type: 'leniency', name: 'accept-incomplete', method: undefined })
    consoleSink({ type: 'refusal', name: 'header-mismatch', status: 400, message: 'x' })
    consoleSink({ type: 'cancelled', method: 'tools/call', reason: 'client-disconnected' })
    expect(lines).toEqual([])
  })

  it('is the default, with the stack that no client sees', async () => {
    const lines = listen()
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('t', {}, () => {
      throw new Error('canary')
    })
    const { body } = await openDoor(server, { telemetry: consoleSink }).modern('tools/call', {
      name: 't',
    })
    expect(JSON.stringify(body)).not.toContain('canary')
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^error \{.*"error":"Error: canary\\n/)
  })

  it('survives what cannot be shown', () => {
    const lines = listen()
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

describe('a sink that throws', () => {
  it('does not take the request with it', async () => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool('t', {}, () => 'x')
    const telemetry = () => {
      throw new Error('sink')
    }
    const door = openDoor(server, { telemetry })
    expect((await door.modern('tools/list', {}, { headers: { accept: '*/*' } })).status).toBe(200)
  })
})
