/** The job of a task that ends before it: cancelled, at the end of its lifetime, or of its caller's access. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import {
  authorizedJobControl,
  jobControl,
  jobEvents,
  jobObjectOf,
  openAuthorizedJobApp,
  revokedSubjects,
  Service,
} from '../../support/job-server.ts'
import { client, start, started } from './job-client.ts'
import { kill } from './job-rows.ts'
import { TaskClient, until } from './task-client.ts'

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
    const stub = await jobObjectOf(taskId)
    const tables = () =>
      runInDurableObject(stub, (_, ctx) =>
        ctx.storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'task'").toArray(),
      )
    await expect.poll(tables).toEqual([])
    expect(service.cancels.map(({ id }) => id)).toEqual([service.name])
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
