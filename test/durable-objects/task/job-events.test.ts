/** What reaches a job while it runs: events of its task, and the callback of its service. */
import { describe, expect, it } from 'vitest'
import { jobControl, Service } from '../../support/job-server.ts'
import { client, start, started, textOf } from './job-client.ts'
import { until } from './task-client.ts'

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
