import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { ToolError } from '../../../src/index.ts'
import { HttpSession } from '../../support/http-session.ts'
import {
  authorizedJobControl,
  jobControl,
  jobEvents,
  jobObjectOf,
  openAuthorizedJobApp,
  openJobApp,
  revokedSubjects,
  Service,
} from '../../support/job-server.ts'
import { ENDPOINT } from '../../support/test-app.ts'
import { kill } from './job-rows.ts'
import { TaskClient, until } from './task-client.ts'

const client = new TaskClient(openJobApp())

/** Calls a tool and returns the id of its task. */
async function start(service: Service, tool = 'once', from = client): Promise<string> {
  const args = { name: tool, arguments: { service: service.name } }
  const { body } = await from.send('tools/call', args)
  expect(body.result?.resultType, JSON.stringify(body)).toBe('task')
  return body.result.taskId
}

async function started(tool = 'once', from = client) {
  const service = new Service()
  const taskId = await start(service, tool, from)
  await until(() => service.reads.length > 0)
  return { service, taskId }
}

const textOf = (task: { result: { content: { text: string }[] } }) => task.result.content[0]?.text

/** A promise that a function of a service waits for. */
const hang = () => new Promise<void>(() => undefined)

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
    expect(service.cancels).toEqual([])
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

describe('the cancellation of a task with a job', () => {
  it('cancels the job by an alarm, and the task stays cancelled though the job completes', async () => {
    const { service, taskId } = await started()
    await client.send('tasks/cancel', { taskId })
    service.complete('too late')
    expect((await client.get(taskId)).status).toBe('cancelled')
    await until(() => service.cancels.length === 1)
    expect(service.cancels[0]?.id).toBe(service.name)
    expect(service.cancels[0]?.ctx.taskId).toBe(taskId)
    expect((await client.get(taskId)).status).toBe('cancelled')
    await client.send('tasks/cancel', { taskId })
    await runDurableObjectAlarm(await jobObjectOf(taskId))
    expect(service.cancels).toHaveLength(1)
  })

  it('after the job has completed changes nothing', async () => {
    const { service, taskId } = await started()
    service.complete('in time')
    await client.reaches(taskId, 'completed')
    await client.send('tasks/cancel', { taskId })
    expect((await client.get(taskId)).status).toBe('completed')
    expect(service.cancels).toEqual([])
  })

  it('has one outcome in a race with the completion of the job: the job is cancelled if the task is', async () => {
    for (let round = 0; round < 5; round++) {
      const { service, taskId } = await started()
      const { promise, resolve } = Promise.withResolvers<void>()
      service.onStatus = () => promise
      const before = service.reads.length
      await until(() => service.reads.length > before)
      service.complete('done')
      const cancelled = client.send('tasks/cancel', { taskId })
      if (round % 2 === 0) resolve()
      await cancelled
      resolve()
      const { status } = await client.get(taskId)
      expect(['completed', 'cancelled']).toContain(status)
      if (status === 'cancelled') await until(() => service.cancels.length === 1)
      else expect(service.cancels).toEqual([])
      expect((await client.get(taskId)).status).toBe(status)
    }
  })

  it('while the job is being started cancels it as soon as its id is known', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const service = new Service()
    service.onStart = () => promise
    const taskId = await start(service)
    await until(() => service.starts.length === 1)
    await client.send('tasks/cancel', { taskId })
    expect(service.starts[0]?.signal.aborted).toBe(true)
    resolve()
    await until(() => service.cancels.length === 1)
    expect(service.cancels[0]?.id).toBe(service.name)
    expect(service.reads).toEqual([])
  })

  it('is repeated until the service accepts it, also over a kill', async () => {
    const { service, taskId } = await started()
    service.onCancel = () => {
      if (service.cancels.length === 1) throw new Error('unreachable')
    }
    await client.send('tasks/cancel', { taskId })
    await until(() => service.cancels.length === 1)
    await kill(taskId)
    await client.get(taskId)
    await until(() => service.cancels.length === 2)
  })

  it('is given up after ten attempts, which telemetry reports', async () => {
    const { service, taskId } = await started()
    const error = new Error('unreachable for good')
    service.onCancel = () => Promise.reject(error)
    await client.send('tasks/cancel', { taskId })
    await until(() => service.cancels.length === 1)
    const stub = await jobObjectOf(taskId)
    await runInDurableObject(stub, (_, { storage }) => {
      storage.sql.exec('UPDATE job SET attempts = 9, next_at = 0')
    })
    await runDurableObjectAlarm(stub)
    expect(service.cancels).toHaveLength(2)
    expect(jobEvents).toContainEqual({ type: 'internal-error', error })
    const rows = await runInDurableObject(stub, (_, { storage }) =>
      storage.sql.exec('SELECT * FROM job').toArray(),
    )
    expect(rows).toEqual([])
  })

  it('by its owner cancels the job too', async () => {
    const { service, taskId } = await started()
    expect((await jobControl.cancel(taskId))?.status).toBe('cancelled')
    await until(() => service.cancels.length === 1)
  })
})

describe('the end of a lifetime', () => {
  it('cancels the job, and deletes the task afterwards', async () => {
    const service = new Service()
    const taskId = await start(service, 'brief')
    await expect.poll(async () => (await client.get(taskId)).code).toBe(-32602)
    expect(service.cancels.map(({ id }) => id)).toEqual([service.name])
    const rows = await runInDurableObject(await jobObjectOf(taskId), (_, ctx) =>
      ctx.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'task'").toArray(),
    )
    expect(rows).toEqual([])
  })

  it('deletes the task after the job, when its service accepts the cancellation late', async () => {
    const service = new Service()
    service.onCancel = () => {
      if (service.cancels.length === 1) throw new Error('unreachable')
    }
    const taskId = await start(service, 'brief')
    await until(() => service.cancels.length === 1)
    expect((await client.get(taskId)).status).toBe('cancelled')
    await expect.poll(async () => (await client.get(taskId)).code).toBe(-32602)
    expect(service.cancels).toHaveLength(2)
  })
})

describe('the end of the access of a caller', () => {
  it('ends the task and cancels the job, which a factory finds for the former caller', async () => {
    const leaver = new TaskClient(openAuthorizedJobApp(), 'leaver')
    const { service, taskId } = await started('once', leaver)
    expect(service.starts[0]?.auth?.subject).toBe('leaver')
    revokedSubjects.add('leaver')
    const { error } = await leaver.reaches(taskId, 'failed')
    expect(error.message).toContain('access')
    await until(() => service.cancels.length === 1)
    expect(service.cancels[0]?.ctx).not.toHaveProperty('auth')
    expect((await authorizedJobControl.get(taskId))?.status).toBe('failed')
  })
})

describe('an event of a job', () => {
  const deliver = (taskId: string, key: string, value: unknown) =>
    jobControl.deliver(taskId, key, value as string).then(
      () => 'delivered',
      (error) => error.reason,
    )

  it('is sent to the job once, with its key and its value', async () => {
    const { service, taskId } = await started()
    expect(await deliver(taskId, 'approved', { by: 'Ada' })).toBe('delivered')
    await until(() => service.sent.length === 1)
    expect(await deliver(taskId, 'approved', { by: 'Bob' })).toBe('delivered-before')
    expect(await deliver(taskId, 'paid', 7)).toBe('delivered')
    await until(() => service.sent.length === 2)
    service.complete('done')
    await client.reaches(taskId, 'completed')
    expect(service.sent).toEqual([
      { key: 'approved', value: { by: 'Ada' } },
      { key: 'paid', value: 7 },
    ])
    expect(await deliver(taskId, 'paid', 8)).toBe('task-is-over')
  })

  it('is refused when it does not fit the schema of the event, which stays open', async () => {
    const { service, taskId } = await started()
    expect(await deliver(taskId, 'paid', 'much')).toBe('does-not-fit')
    expect(await deliver(taskId, 'paid', 7)).toBe('delivered')
    await until(() => service.sent.length === 1)
    expect(service.sent).toEqual([{ key: 'paid', value: 7 }])
  })

  it('is kept until the job has been started, and sent again when the service was unreachable', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const service = new Service()
    let failures = 0
    service.onStart = () => promise
    service.onSend = () => {
      if (failures++ === 0) throw new Error('unreachable')
    }
    const taskId = await start(service)
    await until(() => service.starts.length === 1)
    expect(await deliver(taskId, 'paid', 7)).toBe('delivered')
    resolve()
    await until(() => service.sent.length === 1)
    expect(failures).toBe(2)
    expect((await client.get(taskId)).status).toBe('working')
  })

  it('that no job knows is kept and never sent', async () => {
    const { service, taskId } = await started()
    await deliver(taskId, 'other', 1)
    const reads = service.reads.length
    await until(() => service.reads.length > reads + 1)
    expect(service.sent).toEqual([])
  })
})

describe('the callback URL of a job', () => {
  it('asks for the status at once, ignores its body, and works once', async () => {
    const service = new Service()
    const urls: string[] = []
    service.onStart = async ({ callbackUrl }) => {
      urls.push(await callbackUrl(), await callbackUrl())
    }
    const taskId = await start(service)
    await until(() => service.reads.length > 0)
    const [url = '', again] = urls
    expect(again).toBe(url)
    const post = () =>
      client.app.fetch(
        new Request(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"state":"completed","output":"forged"}',
        }),
      )
    expect((await post()).status).toBe(202)
    expect((await post()).status).toBe(409)
    const reads = service.reads.length
    await until(() => service.reads.length > reads)
    expect((await client.get(taskId)).status).toBe('working')
    service.complete('true output')
    expect(textOf(await client.reaches(taskId, 'completed'))).toBe('true output')
    expect((await post()).status).toBe(410)
    expect(service.sent).toEqual([])
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
