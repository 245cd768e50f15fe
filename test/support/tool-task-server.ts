/** A server that was moved from the SDK with its task tools. The test that calls one supplies its work. */
// features: sessions, tasks

import { env } from 'cloudflare:workers'
import * as z from 'zod'
import {
  type CreateTaskRequestHandlerExtra,
  ElicitResultSchema,
  McpServer,
} from '../../packages/sdk/src/index.ts'
import { createFullEdgeway } from './full-app.ts'
import { connectApp, type TestApp } from './test-app.ts'

export type Work = (taskId: string, extra: CreateTaskRequestHandlerExtra) => Promise<void>

const works = new Map<string, Work>()

/** Keeps the work of one call, and returns the arguments that name it. */
export function keepWork(work: Work): { readonly work: string } {
  const name = crypto.randomUUID()
  works.set(name, work)
  return { work: name }
}

export const say = (text: string) => ({ content: [{ type: 'text' as const, text }] })

/** Asks the client as the "everything" server of the SDK does. */
export async function ask(taskId: string, { sendRequest }: CreateTaskRequestHandlerExtra) {
  const { action, content } = await sendRequest(
    {
      method: 'elicitation/create',
      params: {
        message: 'Which one?',
        requestedSchema: {
          type: 'object',
          properties: { which: { type: 'string' } },
          required: ['which'],
        },
      },
    },
    ElicitResultSchema,
    { relatedTask: { taskId } },
  )
  return action === 'accept' ? String(content?.which) : action
}

const server = new McpServer(
  { name: 'tool-tasks', version: '1' },
  { capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } } },
)
const inputSchema = z.object({ work: z.string() })
for (const taskSupport of ['required', 'optional'] as const) {
  server.experimental.tasks.registerToolTask(
    taskSupport,
    { title: 'Works', inputSchema, execution: { taskSupport } },
    {
      createTask: async (args, extra) => {
        const task = await extra.taskStore.createTask({ ttl: 300_000, pollInterval: 1000 })
        works
          .get(args.work)?.(task.taskId, extra)
          .catch(async (error) => {
            await extra.taskStore.updateTaskStatus(task.taskId, 'failed', String(error))
          })
        return { task }
      },
      getTask: async (_, { taskStore, taskId }) => taskStore.getTask(taskId),
      getTaskResult: async (_, { taskStore, taskId }) =>
        (await taskStore.getTaskResult(taskId)) as ReturnType<typeof say>,
    },
  )
}
server.experimental.tasks.registerToolTask(
  'without_arguments',
  { description: 'Works at once' },
  {
    createTask: async ({ taskStore }) => {
      const task = await taskStore.createTask({})
      await taskStore.storeTaskResult(task.taskId, 'completed', say('at once'))
      return { task }
    },
    getTask: async ({ taskStore, taskId }) => taskStore.getTask(taskId),
    getTaskResult: async () => say('never called'),
  },
)
server.experimental.tasks.registerToolTask(
  'without_task',
  {},
  {
    createTask: async () => ({}) as never,
    getTask: async ({ taskStore, taskId }) => taskStore.getTask(taskId),
    getTaskResult: async () => say('never called'),
  },
)

export const toolTaskApp = createFullEdgeway(server)

export const openToolTaskApp = (): TestApp => connectApp(toolTaskApp, env)
