/** A client that calls tools with jobs, in workerd. */
import { expect } from 'vitest'
import { openJobApp, Service } from '../../support/job-server.ts'
import { TaskClient, until } from './task-client.ts'

export const client = new TaskClient(openJobApp())

/** Calls a tool and returns the id of its task. */
export async function start(service: Service, tool = 'once', from = client): Promise<string> {
  const args = { name: tool, arguments: { service: service.name } }
  const { body } = await from.send('tools/call', args)
  expect(body.result?.resultType, JSON.stringify(body)).toBe('task')
  return body.result.taskId
}

export async function started(tool = 'once', from = client) {
  const service = new Service()
  const taskId = await start(service, tool, from)
  await until(() => service.reads.length > 0)
  return { service, taskId }
}

export const textOf = (task: { result: { content: { text: string }[] } }) =>
  task.result.content[0]?.text

/** A promise that a function of a service waits for. */
export const hang = () => new Promise<void>(() => undefined)
