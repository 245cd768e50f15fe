/** The attempts to cancel the job of a task that has ended before it. */
import { describe, expect, it } from 'vitest'
import { ToolError } from '../../../src/index.ts'
import {
  authorizedJobAdmin,
  openAuthorizedJobApp,
  openJobApp,
  Service,
} from '../../support/job-server.ts'
import { kill, plannedCancellation, rowsOf, runAlarm } from './job-rows.ts'
import { TaskClient, until } from './task-client.ts'

const client = new TaskClient(openJobApp())

async function start(service: Service, tool = 'once', from = client): Promise<string> {
  const args = { name: tool, arguments: { service: service.name } }
  return (await from.send('tools/call', args)).body.result.taskId
}

/** Cancels a task whose job runs, after `prepare`. */
async function cancelled(prepare: (service: Service) => void) {
  const service = new Service()
  const taskId = await start(service)
  await until(() => service.reads.length > 0)
  prepare(service)
  await client.send('tasks/cancel', { taskId })
  await until(() => service.cancels.length > 0)
  return { service, taskId }
}

const hang = () => new Promise<void>(() => undefined)
const fail = () => Promise.reject(new Error('unreachable'))

describe('a job that has ended', () => {
  const ends: Readonly<Record<string, (service: Service) => void>> = {
    'has completed': (service) => service.complete('done'),
    'has failed': (service) => {
      service.state = { state: 'failed', message: 'No.' }
    },
    'is not known to its service': (service) => {
      service.state = { state: 'unknown' }
    },
    'was refused by its start': (service) => {
      service.onStart = () => {
        throw new ToolError('No.')
      }
    },
  }

  it.each(Object.keys(ends))(
    'because it %s is not cancelled at the end of its task',
    async (how) => {
      const service = new Service()
      ends[how]?.(service)
      const taskId = await start(service)
      await expect.poll(async () => (await client.get(taskId)).status).toMatch(/completed|failed/)
      expect(await plannedCancellation(taskId)).toBeUndefined()
      await runAlarm(taskId)
      expect(service.cancels).toEqual([])
    },
  )
})

describe('the cancellation of a job', () => {
  it('without an id names the job by its key, a minute after its start was given up', async () => {
    const service = new Service()
    service.onStart = hang
    const taskId = await start(service)
    await until(() => service.starts.length === 1)
    await kill(taskId)
    await client.reaches(taskId, 'failed')
    const planned = await plannedCancellation(taskId)
    expect(planned?.job_id).toBeNull()
    const waitMs = (planned?.next_at ?? 0) - Date.now()
    expect(waitMs).toBeGreaterThan(45_000)
    expect(waitMs).toBeLessThanOrEqual(60_000)
    await runAlarm(taskId)
    expect(service.cancels).toEqual([])
    await rowsOf(taskId, 'UPDATE job SET next_at = 0')
    await runAlarm(taskId)
    const [{ id, ctx } = { id: '' }] = service.cancels
    expect(id).toBeUndefined()
    expect(ctx?.idempotencyKey).toBe(service.starts[0]?.idempotencyKey)
    expect(await plannedCancellation(taskId)).toBeUndefined()
  })

  it('counts an attempt before it is made, so that one that ends the object is counted', async () => {
    const { taskId } = await cancelled((service) => {
      service.onCancel = hang
    })
    expect(await plannedCancellation(taskId)).toMatchObject({ attempts: 1 })
    await kill(taskId)
    expect(await plannedCancellation(taskId)).toMatchObject({ attempts: 1 })
  })

  it('is attempted again after a pause that doubles, and not before', async () => {
    const { service, taskId } = await cancelled((service) => {
      service.onCancel = fail
    })
    await rowsOf(taskId, 'UPDATE job SET attempts = 5, next_at = 0')
    await runAlarm(taskId)
    const attempts = service.cancels.length
    const planned = await plannedCancellation(taskId)
    expect(planned?.attempts).toBe(6)
    const waitMs = (planned?.next_at ?? 0) - Date.now()
    expect(waitMs).toBeGreaterThan(25_000)
    expect(waitMs).toBeLessThanOrEqual(32_000)
    await runAlarm(taskId)
    expect(service.cancels).toHaveLength(attempts)
  })

  it('is attempted ten times, and not an eleventh time', async () => {
    const { service, taskId } = await cancelled((service) => {
      service.onCancel = fail
    })
    await rowsOf(taskId, 'UPDATE job SET attempts = 8, next_at = 0')
    const before = service.cancels.length
    await runAlarm(taskId)
    expect(await plannedCancellation(taskId)).toMatchObject({ attempts: 9 })
    await rowsOf(taskId, 'UPDATE job SET next_at = 0')
    await runAlarm(taskId)
    expect(await plannedCancellation(taskId)).toBeUndefined()
    expect(service.cancels).toHaveLength(before + 2)
  })

  it('leaves nothing of itself when its service has accepted it', async () => {
    const { taskId } = await cancelled(() => undefined)
    await expect.poll(() => plannedCancellation(taskId)).toBeUndefined()
  })
})

describe('the deletion of a person with a job', () => {
  it('leaves its task until the service has accepted the cancellation', async () => {
    const owner = new TaskClient(openAuthorizedJobApp(), 'job-owner')
    const service = new Service()
    service.onCancel = fail
    const taskId = await start(service, 'once', owner)
    await until(() => service.reads.length > 0)
    const { deletePerson } = authorizedJobAdmin
    expect(await deletePerson('job-owner')).toMatchObject({ tasks: 0, tasksLeft: 1 })
    expect((await owner.get(taskId)).status).toBe('cancelled')
    service.onCancel = () => undefined
    const refused = service.cancels.length
    await expect.poll(async () => (await deletePerson('job-owner')).tasksLeft).toBe(0)
    expect(service.cancels).toHaveLength(refused + 1)
    expect((await owner.get(taskId)).code).toBe(-32602)
    expect(await deletePerson('job-owner')).toMatchObject({ tasks: 0, tasksLeft: 0 })
  })
})
