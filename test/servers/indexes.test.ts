/** What shared objects list of each server of a Worker: tasks, sessions, connections and requests. */

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { PrincipalsObject } from '../../durable-objects/keyring/principals-object.ts'
import { admin } from '../../packages/inspector/src/admin/index.ts'
import { openInspected } from '../../packages/inspector/test/inspect/support/inspected-server.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { objectsOfKind } from '../support/objects.ts'
import { keepHandler } from '../support/session-server.ts'
import { TASKS } from '../support/task-server.ts'
import { connectApp } from '../support/test-app.ts'
import { trusting } from '../support/trusting.ts'
import { createServer } from '../support/two-servers.ts'

/** Two servers with issuers of their own, which have people of the same name. */
function openServer(name: 'docs' | 'notes', path: string) {
  const edgeway = createFullEdgeway(createServer(name), {
    path,
    auth: trusting(`https://${name}.example.com`),
    admin: admin(),
    // A busy machine answers with JSON too.
    limits: { streamAfterMs: 5_000 },
    telemetry: () => undefined,
  })
  return { admin: edgeway.admin({ ...env }), app: connectApp(edgeway, { ...env }).at(path) }
}

const docs = openServer('docs', '/docs')
const notes = openServer('notes', '/mcp')

async function startTask({ app }: typeof docs, subject: string): Promise<string> {
  const handler = keepHandler(async (ctx) => {
    await ctx.sleep('nap', 3_600_000)
    return 'awake'
  })
  const options = { meta: TASKS, headers: { authorization: `Bearer ${subject}` } }
  const params = { name: 'work', arguments: handler }
  return (await app.modern('tools/call', params, options)).body.result.taskId
}

describe('the operator of one server', () => {
  it('lists and deletes the tasks of a person there, and leaves those of another server', async () => {
    const subject = crypto.randomUUID()
    const [own, foreign] = [await startTask(notes, subject), await startTask(docs, subject)]
    const idsOf = async (server: typeof docs) =>
      (await server.admin.tasks(subject)).map(({ taskId }) => taskId)
    expect([await idsOf(notes), await idsOf(docs)]).toEqual([[own], [foreign]])
    const place = { issuer: 'https://notes.example.com', resource: 'https://notes.example.com/mcp' }
    expect(await notes.admin.deletePerson(subject, [place])).toMatchObject({ tasks: 1 })
    expect([await idsOf(notes), await idsOf(docs)]).toEqual([[], [foreign]])
    expect((await docs.admin.tasks(subject)).map(({ status }) => status)).toEqual(['working'])
  })
})

describe('the keyring', () => {
  it('ends the sessions of a principal beyond the limit at their own server', async () => {
    const shard = objectsOfKind<PrincipalsObject>('principals').named(crypto.randomUUID())
    const enter = async (name: string, server: string) => {
      const excess = await shard.enterSession('anna', name, Date.now() + 60_000, 1, server)
      return excess.map((session) => session.name)
    }
    const listed = async (server?: string) =>
      (await shard.listSessions('anna', server)).map((session) => session.name)
    expect([await enter('one', 'docs'), await enter('two', 'notes')]).toEqual([[], []])
    expect([await listed('docs'), await listed('notes')]).toEqual([['one'], ['two']])
    expect(await enter('three', 'docs')).toEqual(['one'])
    expect((await listed()).sort()).toEqual(['three', 'two'])
  })
})

describe('the inspector of one server', () => {
  it('shows the requests and the connections of that server alone', async () => {
    const first = openInspected({ app: { audience: 'one' } })
    const second = openInspected({ app: { audience: 'two' }, bindings: first.bindings })
    await first.call('tools/list')
    expect((await first.entries()).length).toBeGreaterThan(0)
    expect(await second.entries()).toEqual([])
    const connectionsOf = async (server: typeof first) =>
      (await (await server.fetch('/inspect/timeline.json')).json<{ connections: object[] }>())
        .connections.length
    expect([await connectionsOf(first), await connectionsOf(second)]).toEqual([1, 0])
  })
})
