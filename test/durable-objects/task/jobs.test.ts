import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { ToolError } from '../../../src/index.ts'
import { HttpSession } from '../../support/http-session.ts'
import {
  jobEvents,
  jobObjectOf,
  openJobApp,
  RESULT_BYTES,
  Service,
} from '../../support/job-server.ts'
import { ENDPOINT } from '../../support/test-app.ts'
import { client, hang, start, started, textOf } from './job-client.ts'
import { kill } from './job-rows.ts'
import { until } from './task-client.ts'

describe('the job of a task', () => {
  it('is started once, asked by alarms with its message as the status, and returns its output', async () => {
    const { service, taskId } = await started()
    service.state = { state: 'running', message: 'page 2 of 3' }
    await expect.poll(async () => (await client.get(taskId)).statusMessage).toBe('page 2 of 3')
    service.complete('three pages')
    expect(textOf(await client.reaches(taskId, 'completed'))).toBe('three pages')
    expect(service.starts).toHaveLength(1)
    expect(service.cancels).toEqual([])
    const [{ idempotencyKey = '', taskId: known } = {}] = service.starts
    expect(idempotencyKey).toMatch(/^task-[A-Za-z0-9_-]{43}$/)
    expect(known).toBe(taskId)
    expect(new Set(service.reads.map((ctx) => ctx.idempotencyKey))).toEqual(
      new Set([idempotencyKey]),
    )
  })

  it('returns an output that the schema of the tool accepts, and no other', async () => {
    const { service, taskId } = await started('typed')
    service.complete({ pages: 3 })
    const { result } = await client.reaches(taskId, 'completed')
    expect(result.structuredContent).toEqual({ pages: 3 })
    const other = await started('typed')
    other.service.complete({ pages: 'three' })
    expect((await client.reaches(other.taskId, 'completed')).result.isError).toBe(true)
    expect(other.service.cancels).toEqual([])
  })

  it('with an output beyond the limit of results ends its task with a tool error, and is not asked again', async () => {
    const { service, taskId } = await started()
    service.complete('x'.repeat(RESULT_BYTES))
    const task = await client.reaches(taskId, 'completed')
    expect(task.result.isError).toBe(true)
    expect(textOf(task)).toMatch(/^Tool once returned 100\d\d\d characters, and at most 100000 can/)
    const reads = service.reads.length
    await runDurableObjectAlarm(await jobObjectOf(taskId))
    expect([service.reads.length, service.starts.length]).toEqual([reads, 1])
    expect(service.cancels).toEqual([])
  })

  it('that fails ends its task with a tool error and the message of the job', async () => {
    const { service, taskId } = await started()
    service.state = { state: 'failed', message: 'The file is not a PDF.' }
    const { result } = await client.reaches(taskId, 'completed')
    expect([result.isError, result.content[0].text]).toEqual([true, 'The file is not a PDF.'])
  })

  it('that fails without a message discloses nothing of its error', async () => {
    const { service, taskId } = await started()
    const error = new Error('password=hunter2')
    service.state = { state: 'failed', error }
    const task = await client.reaches(taskId, 'completed')
    expect(textOf(task)).toMatch(/^Tool once failed \(reference /)
    expect(JSON.stringify(task)).not.toContain('hunter2')
    expect(jobEvents).toContainEqual(expect.objectContaining({ type: 'handler-error', error }))
  })

  it('that its service does not know any more fails the task', async () => {
    const { service, taskId } = await started()
    service.state = { state: 'unknown' }
    const { error } = await client.reaches(taskId, 'failed')
    expect(error.message).toContain('not known to its service any more')
    expect(service.cancels).toEqual([])
  })

  it('continues when its status has thrown, never returned and was malformed', async () => {
    const { service, taskId } = await started()
    const faults = [() => Promise.reject(new Error('unreachable')), hang]
    service.onStatus = () => faults.pop()?.()
    service.state = { state: 'done' } as unknown as Service['state']
    await until(() => faults.length === 0)
    const reads = service.reads.length
    await until(() => service.reads.length > reads + 1)
    service.complete('done')
    expect(textOf(await client.reaches(taskId, 'completed'))).toBe('done')
    await expect(service.cancels).toEqual([])
  })

  it('fails and is cancelled when its status throws ten times in a row', async () => {
    const { service, taskId } = await started()
    const before = service.reads.length
    service.onStatus = () => Promise.reject(new Error('secret'))
    const task = await client.reaches(taskId, 'failed')
    expect(task.error.message).toMatch(
      /^The state of the job could not be read, 10 times in a row \(reference /,
    )
    expect(JSON.stringify(task)).not.toContain('secret')
    expect(service.reads.length - before).toBe(10)
    await until(() => service.cancels.length === 1)
  })

  it('goes on after a kill between and during two questions for its status', async () => {
    const { service, taskId } = await started()
    await kill(taskId)
    await client.get(taskId)
    const reads = service.reads.length
    await until(() => service.reads.length > reads)
    service.onStatus = hang
    const now = service.reads.length
    await until(() => service.reads.length > now)
    service.onStatus = () => undefined
    service.complete('after two kills')
    await kill(taskId)
    expect(textOf(await client.reaches(taskId, 'completed'))).toBe('after two kills')
    expect(service.starts).toHaveLength(1)
  })
})

describe('the start of a job', () => {
  it('that was interrupted is repeated with the same key if it is idempotent', async () => {
    const service = new Service()
    service.onStart = hang
    const taskId = await start(service, 'idempotent')
    await until(() => service.starts.length === 1)
    service.onStart = () => undefined
    await kill(taskId)
    await client.get(taskId)
    await until(() => service.reads.length > 0)
    service.complete('done')
    await client.reaches(taskId, 'completed')
    const keys = service.starts.map(({ idempotencyKey }) => idempotencyKey)
    expect([keys.length, new Set(keys).size]).toEqual([2, 1])
  })

  it('that was interrupted is not repeated otherwise: the task fails', async () => {
    const service = new Service()
    service.onStart = hang
    const taskId = await start(service)
    await until(() => service.starts.length === 1)
    await kill(taskId)
    const { error } = await client.reaches(taskId, 'failed')
    expect(error.message).toContain('interrupted while the job was being started')
    expect(service.starts).toHaveLength(1)
  })

  it('is attempted again when it throws, if it is idempotent, and the task fails after ten times', async () => {
    const service = new Service()
    service.onStart = () => {
      if (service.starts.length < 3) throw new Error('secret')
    }
    const taskId = await start(service, 'idempotent')
    await until(() => service.reads.length > 0)
    service.complete('at last')
    expect(textOf(await client.reaches(taskId, 'completed'))).toBe('at last')
    const other = new Service()
    other.onStart = () => Promise.reject(new Error('secret'))
    const failing = await client.reaches(await start(other, 'idempotent'), 'failed')
    expect(failing.error.message).toMatch(/^The job could not be started, 10 times in a row/)
    expect(JSON.stringify(failing)).not.toContain('secret')
    expect(other.starts).toHaveLength(10)
  })

  it('that throws a tool error refuses the call with its message, and nothing is cancelled', async () => {
    const service = new Service()
    service.onStart = () => {
      throw new ToolError('There is no such file.')
    }
    const taskId = await start(service, 'idempotent')
    const { result } = await client.reaches(taskId, 'completed')
    expect([result.isError, result.content[0].text]).toEqual([true, 'There is no such file.'])
    expect([service.starts.length, service.cancels.length]).toEqual([1, 0])
  })

  it('that returns after its deadline is cancelled with its id, because the task has failed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const service = new Service()
    service.onStart = () => promise
    const taskId = await start(service)
    expect((await client.reaches(taskId, 'failed')).error.message).toContain('could not be started')
    resolve()
    await until(() => service.cancels.some(({ id }) => id === service.name))
  })
})

describe('a tool with a job, in 2025-11-25', () => {
  it('is called as a task, whose result is the output of the job', async () => {
    const session = await HttpSession.open({ url: ENDPOINT, fetch: openJobApp().fetch }, {})
    const service = new Service()
    const args = { name: 'once', arguments: { service: service.name } }
    expect((await session.request('tools/call', args)).error?.code).toBe(-32601)
    const { result } = await session.request('tools/call', { ...args, task: {} })
    const taskId = result?.task.taskId
    await until(() => service.reads.length > 0)
    service.complete('done')
    const fetched = await session.request('tasks/result', { taskId })
    expect(fetched.result?.content).toEqual([{ type: 'text', text: 'done' }])
    const other = new Service()
    const second = await session.request('tools/call', {
      name: 'once',
      arguments: { service: other.name },
      task: {},
    })
    await until(() => other.reads.length > 0)
    await session.request('tasks/cancel', { taskId: second.result?.task.taskId })
    await until(() => other.cancels.length === 1)
  })
})
