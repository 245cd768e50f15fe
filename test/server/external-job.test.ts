import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  type ExternalJobOptions,
  externalJob,
  workflowJob,
} from '../../src/features/tasks/index.ts'
import { McpServer } from '../../src/index.ts'

const FUNCTIONS: ExternalJobOptions<undefined, string> = {
  start: () => 'id',
  status: () => ({ state: 'running' }),
  cancel: () => undefined,
}

const SEND = (): void => undefined

const register = (task?: unknown) =>
  new McpServer({ name: 'jobs', version: '1' }).registerJob(
    'job',
    { ...(task === undefined ? undefined : { task: task as 'required' }) },
    externalJob(FUNCTIONS),
  )

describe('externalJob', () => {
  it.for([
    ['a missing function', { status: undefined }, 'the function status'],
    ['events without send', { events: { go: z.string() } }, 'the function send'],
    ['a malformed event key', { events: { 'go now': z.string() }, send: SEND }, 'go now'],
    ['the key of the callback', { events: { job: z.string() }, send: SEND }, '"job"'],
    ['pauses that are too short', { poll: { minMs: 99 } }, 'poll.minMs'],
    ['pauses in the wrong order', { poll: { minMs: 200, maxMs: 100 } }, 'poll.minMs'],
    ['pauses without end', { poll: { maxMs: Number.POSITIVE_INFINITY } }, 'poll.minMs'],
    ['a deadline that is too long', { timeoutMs: 60_001 }, 'timeoutMs'],
    ['a deadline that is no number', { timeoutMs: Number.NaN }, 'timeoutMs'],
  ] as const)('refuses %s', ([, options, message]) => {
    const malformed = { ...FUNCTIONS, ...options } as ExternalJobOptions<undefined, string>
    expect(() => externalJob(malformed)).toThrow(message)
  })

  it('refuses a schema that cannot be converted when it is created', () => {
    const events = { go: z.bigint() }
    expect(() => externalJob({ ...FUNCTIONS, events, send: SEND })).toThrow(TypeError)
  })

  it('makes a tool that is called as a task only', () => {
    expect(register).not.toThrow()
    expect(() => register({ support: 'required', ttlMs: 1000 })).not.toThrow()
  })

  it.for([
    'optional',
    { support: 'optional' },
    { support: 'required', inlineMs: 100 },
    { support: 'required', asks: 'before' },
  ])('refuses the task %j of its tool', (task) => {
    expect(() => register(task)).toThrow('Tool "job": a job needs task "required"')
  })
})

describe('workflowJob', () => {
  it('refuses malformed options like externalJob', () => {
    const binding = () => {
      throw new Error('not called')
    }
    expect(() => workflowJob(binding, { timeoutMs: 0 })).toThrow('timeoutMs')
    expect(() => workflowJob(binding, { events: { job: z.string() } })).toThrow('"job"')
  })
})
