/** A deployment whose lists differ: a session that survives it sends one notification for each. */
import { expect, it, onTestFinished } from 'vitest'
import { HttpSseSession } from './http-sse-session.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession } from './session.ts'

const TOOLS = 'notifications/tools/list_changed'
const PROMPTS = 'notifications/prompts/list_changed'

/** The stream of a client, which opens it again after the last event that it has. */
const clients = {
  'session that has had no stream': async (url: string) => {
    const session = await openSession(url)
    return { reopen: () => session.listen(), call: session.call.bind(session) }
  },
  'session that resumes its stream': async (url: string) => {
    const session = await openSession(url)
    let events = await session.listen()
    await events.primed()
    const reopen = async () => {
      events = await session.listen(events.lastId)
      return events
    }
    return { reopen, call: session.call.bind(session) }
  },
  'session of 2024-11-05': async (url: string) => {
    const session = await HttpSseSession.open(url)
    const reopen = async () => {
      await session.reconnect()
      return session.events
    }
    return { reopen, call: session.call.bind(session) }
  },
}

it.each(Object.entries(clients))(
  'a %s receives one notification for each list that a deployment has changed',
  async (_, connect) => {
    const server = await PersistentServer.start(onTestFinished)
    const { reopen, call } = await connect(server.url)
    const listChanges = async () => {
      const events = await reopen()
      // A later change of another list shows that nothing else was sent before it.
      await call('change_prompts')
      const changes = () =>
        events.messages.flatMap(({ method = '' }) => (/_changed$/.test(method) ? method : []))
      await events.until(() => changes().includes(PROMPTS), 'a change of the prompts')
      return changes()
    }
    const told: string[][] = []
    for (const variant of [undefined, 'b', 'b'] as const) {
      await server.kill()
      await server.startAgain({ samePort: true, variant })
      told.push(await listChanges())
    }
    expect(told).toEqual([[PROMPTS], [TOOLS, PROMPTS], [PROMPTS]])
  },
)
