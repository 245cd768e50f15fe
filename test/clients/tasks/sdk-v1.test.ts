/** The experimental tasks of the official SDK 1.x, over 2025-11-25. */
// features: auth
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, inject, it, onTestFinished } from 'vitest'

async function connect(): Promise<Client> {
  const client = new Client(
    { name: 'v1', version: '1.0.0' },
    { capabilities: { elicitation: {}, tasks: { requests: { elicitation: { create: {} } } } } },
  )
  client.setRequestHandler(ElicitRequestSchema, () => ({
    action: 'accept',
    content: { confirm: true },
  }))
  await client.connect(new StreamableHTTPClientTransport(new URL(inject('fixtureUrl'))))
  onTestFinished(() => client.close())
  return client
}

/** Calls a tool to its end: the types of the messages in between, and the text of the result. */
async function follow(client: Client, name: string, args: Record<string, unknown>) {
  const seen: string[] = []
  let taskId = ''
  let text: unknown
  const options = { task: {} }
  const stream = client.experimental.tasks.callToolStream(
    { name, arguments: args },
    CallToolResultSchema,
    options,
  )
  for await (const message of stream) {
    if (seen.at(-1) !== message.type) seen.push(message.type)
    if (message.type === 'taskCreated') taskId = message.task.taskId
    if (message.type === 'error') throw message.error
    if (message.type !== 'result') continue
    const [block] = message.result.content
    text = block?.type === 'text' ? block.text : block
  }
  return { seen, taskId, text }
}

describe('client.experimental.tasks of the SDK 1.x', () => {
  it.each([
    ['sleep_step', { name: 'sdk-v1', ms: 200 }, 'done'],
    ['slow_compute', { seconds: 0.2, label: 'It' }, 'It took 0.2 s'],
    ['ten_steps', { name: 'sdk-v1', gapMs: 1 }, 'done'],
    ['confirm_delete', { filename: 'a.txt' }, 'a.txt is deleted.'],
  ])('follows a task of %s to its result', async (name, args, expected) => {
    const { seen, text } = await follow(await connect(), name, args)
    expect(seen).toEqual(['taskCreated', 'taskStatus', 'result'])
    expect(text).toBe(expected)
  })

  it('reads, cancels and reads the task again', async () => {
    const client = await connect()
    const { tasks } = client.experimental
    const stream = tasks.callToolStream(
      { name: 'sleep_step', arguments: { name: 'cancelled', ms: 60_000 } },
      CallToolResultSchema,
      { task: { ttl: 60_000 } },
    )
    const { value } = await stream.next()
    if (value?.type !== 'taskCreated') throw new Error(`No task: ${JSON.stringify(value)}`)
    const { taskId, ttl } = value.task
    expect(ttl).toBe(60_000)
    expect((await tasks.getTask(taskId)).status).toBe('working')
    expect((await tasks.cancelTask(taskId)).status).toBe('cancelled')
    expect((await tasks.getTask(taskId)).status).toBe('cancelled')
    await expect(tasks.cancelTask(taskId)).rejects.toMatchObject({ code: -32602 })
    await expect(tasks.getTaskResult(taskId)).rejects.toMatchObject({ code: -32602 })
  })

  it('fetches the result of a task that is over, in another session', async () => {
    const { taskId } = await follow(await connect(), 'ten_steps', {
      name: 'sdk-v1-again',
      gapMs: 0,
    })
    const { tasks } = (await connect()).experimental
    const { content } = await tasks.getTaskResult(taskId, CallToolResultSchema)
    expect(content).toEqual([{ type: 'text', text: 'done' }])
  })
})
