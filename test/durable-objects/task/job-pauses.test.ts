/** When the functions of a job are called: the pauses between two calls, and what ends them early. */
import { describe, expect, it } from 'vitest'
import { jobControl, jobEvents, openJobApp, Service } from '../../support/job-server.ts'
import { age, endPause, pauseOf } from './job-rows.ts'
import { TaskClient, until } from './task-client.ts'

const client = new TaskClient(openJobApp())

/** Starts a job whose first pause is 20 seconds and whose longest is 10 minutes. */
async function start(service = new Service(), tool = 'slow') {
  const args = { name: tool, arguments: { service: service.name } }
  const { body } = await client.send('tools/call', args)
  const { taskId } = body.result
  await until(() => service.starts.length > 0)
  return { service, taskId: taskId as string }
}

/** The pause in seconds, once the handler has ended. */
async function secondsOf(taskId: string): Promise<number> {
  await expect.poll(() => pauseOf(taskId)).toBeDefined()
  return Math.round(((await pauseOf(taskId)) ?? 0) / 1000)
}

/** Asks for the status now, and returns the pause after it, in seconds. */
async function askNow({ service, taskId }: Awaited<ReturnType<typeof start>>): Promise<number> {
  const reads = service.reads.length
  await secondsOf(taskId)
  await endPause(taskId)
  await until(() => service.reads.length > reads)
  return secondsOf(taskId)
}

const near = (seconds: number) => expect.toSatisfy((n: number) => Math.abs(n - seconds) <= 5)

describe('the pause between two questions for the status of a job', () => {
  it.each([
    { minutes: 0, seconds: 20 },
    { minutes: 5, seconds: 150 },
    { minutes: 60, seconds: 600 },
    // From 1000 of the longest pauses on, it is a thousandth of the age.
    { minutes: 20_000, seconds: 1200 },
  ])('is $seconds seconds when the job is $minutes minutes old', async ({ minutes, seconds }) => {
    const job = await start()
    await secondsOf(job.taskId)
    await age(job.taskId, minutes * 60_000)
    expect(await askNow(job)).toEqual(near(seconds))
  })

  it('doubles with each function that throws, and begins anew after one that does not', async () => {
    const job = await start()
    job.service.onStatus = () => Promise.reject(new Error('unreachable'))
    const pauses = [await askNow(job), await askNow(job), await askNow(job)]
    expect(pauses).toEqual([near(40), near(80), near(160)])
    job.service.onStatus = () => undefined
    expect(await askNow(job)).toEqual(near(20))
    job.service.onStatus = () => Promise.reject(new Error('unreachable'))
    expect(await askNow(job)).toEqual(near(40))
  })

  it('doubles with each status that is malformed', async () => {
    const job = await start()
    job.service.state = { state: 'done' } as unknown as Service['state']
    expect([await askNow(job), await askNow(job)]).toEqual([near(40), near(80)])
  })

  it('begins anew when a start has succeeded that threw before', async () => {
    const service = new Service()
    service.onStart = () => {
      if (service.starts.length < 3) throw new Error('unreachable')
    }
    const job = await start(service)
    for (const count of [2, 3]) {
      await secondsOf(job.taskId)
      await endPause(job.taskId)
      await until(() => service.starts.length === count)
    }
    service.onStatus = () => Promise.reject(new Error('unreachable'))
    expect(await askNow(job)).toEqual(near(40))
  })

  it('ends at once when an event of the job or its callback comes', async () => {
    const service = new Service()
    let url = ''
    service.onStart = async ({ callbackUrl }) => {
      url = await callbackUrl()
    }
    const { taskId } = await start(service)
    await secondsOf(taskId)
    expect(service.reads).toEqual([])
    await jobControl.deliver(taskId, 'paid', 7)
    await until(() => service.sent.length === 1 && service.reads.length === 1)
    await secondsOf(taskId)
    service.complete('done')
    const headers = { 'content-type': 'application/json' }
    await client.app.fetch(new Request(url, { method: 'POST', headers, body: '{}' }))
    await client.reaches(taskId, 'completed')
    expect(service.reads).toHaveLength(2)
  })
})

describe('a function of a job', () => {
  it('that exceeds its deadline has its signal aborted, and is called again', async () => {
    const { service, taskId } = await start(new Service(), 'once')
    await until(() => service.reads.length > 0)
    service.onStatus = () => new Promise<void>(() => undefined)
    const index = service.reads.length
    await until(() => service.reads.length > index)
    expect(service.reads[index]?.signal.aborted).toBe(false)
    await until(() => service.reads[index]?.signal.aborted === true)
    service.onStatus = () => undefined
    service.complete('done')
    await client.reaches(taskId, 'completed')
  })

  it.each([
    ['of more than 1024 characters', 'x'.repeat(1025)],
    ['that is no string', 7],
    ['that is missing', undefined],
  ])('that starts it with an id %s fails the task', async (_, id) => {
    const service = new Service()
    service.id = id as string
    const { taskId } = await start(service, 'once')
    const { error } = await client.reaches(taskId, 'failed')
    expect(error.message).toMatch(/^The job could not be started/)
  })

  it('that fails the task is reported to telemetry with the reference that the client receives', async () => {
    const service = new Service()
    const error = new Error('secret')
    service.onStart = () => Promise.reject(error)
    const { taskId } = await start(service, 'once')
    const task = await client.reaches(taskId, 'failed')
    const [, reference] = /\(reference (\S+)\)/.exec(task.error.message) ?? []
    const reported = { type: 'handler-error', subject: 'Tool once', reference, error }
    expect(jobEvents).toContainEqual(reported)
  })

  it('that starts a job late is not followed by its cancellation if it is idempotent', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const service = new Service()
    service.onStart = () => (service.starts.length === 1 ? promise : undefined)
    const { taskId } = await start(service, 'idempotent')
    await until(() => service.reads.length > 0)
    resolve()
    await until(() => service.reads.length > 1)
    service.complete('done')
    await client.reaches(taskId, 'completed')
    expect([service.starts.length, service.cancels.length]).toEqual([2, 0])
  })
})
