/** A server whose tools ask, take steps and become tasks, behind `search()`, with sessions and tasks. */
// features: search, sessions, tasks
import { abortAllDurableObjects } from 'cloudflare:test'
import * as z from 'zod'
import { sessions } from '../../../../../src/features/sessions/index.ts'
import { tasks } from '../../../../../src/features/tasks/index.ts'
import { createEdgeway } from '../../../../../src/index.ts'
import { FullServer } from '../../../../../test/support/full-server.ts'
import { search } from '../../../src/search/index.ts'

/** What steps have done, by the run that the test names. */
const done = new Map<string, string[]>()

export const doneIn = (run: string): readonly string[] => done.get(run) ?? []

const note = (run: string, what: string) => {
  done.set(run, [...doneIn(run), what])
  return what
}

const inputSchema = { run: z.string(), item: z.string() }

function createServer(): FullServer {
  const server = new FullServer({ name: 'searched-orders', version: '1.0.0' })
  server.registerTool('order', { inputSchema }, async ({ run, item }, ctx) => {
    await ctx.step('reserve', () => note(run, `reserve ${item}`))
    const { action } = await ctx.elicit({
      key: 'confirm',
      message: `Order ${item}?`,
      schema: z.object({ sure: z.boolean() }),
    })
    await ctx.step('pay', () => note(run, `pay ${item}`))
    return `${item} ${action}`
  })
  server.registerTool(
    'build',
    { inputSchema, task: { support: 'required', pollIntervalMs: 20 } },
    async ({ run, item }, ctx) => {
      await ctx.step('build', () => note(run, `build ${item}`))
      return `${item} built`
    },
  )
  server.registerTool('mark', { inputSchema }, async ({ run, item }) => {
    note(run, `mark ${item}`)
    if (item === 'held') await new Promise(() => undefined)
    return `${item} marked`
  })
  server.registerTool('mark_seen', { inputSchema, visible: () => true }, () => 'marked')
  return server
}

export const searchApp = createEdgeway(createServer(), {
  features: [
    sessions(),
    tasks(),
    search({ listAllTo: ({ capabilities }) => capabilities.roots !== undefined }),
  ],
})

/** Ends all objects at once, as a kill of their processes does. */
export const killObjects = (): Promise<void> => abortAllDurableObjects()
