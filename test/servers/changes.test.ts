/** The changes of one server of a Worker in the hub that several servers share. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { HttpSession } from '../support/http-session.ts'
import { keepHandler } from '../support/session-server.ts'
import { SseReader } from '../support/sse-reader.ts'
import { modernRequest, type TestApp } from '../support/test-app.ts'
import { openDocs } from '../support/two-servers.ts'

const environment = { ...env }
const one = openDocs({}, environment)
const other = openDocs({ path: '/other', otherPaths: [] }, environment, 'other')

async function listen(app: TestApp): Promise<SseReader> {
  const notifications = { toolsListChanged: true, resourceSubscriptions: ['note://a'] }
  const { body, headers } = modernRequest('subscriptions/listen', { notifications })
  const stream = new SseReader(await app.post(body, headers))
  await stream.message()
  return stream
}

/** A tool of a server publishes that a resource and the list of tools have changed. */
async function publish(app: TestApp, uri = 'note://a'): Promise<void> {
  const handler = keepHandler(async ({ notify }) => {
    await notify.resourceUpdated(uri)
    await notify.toolsChanged()
    return 'published'
  })
  await app.modern('tools/call', { name: 'run', arguments: handler })
}

const methodOf = async (stream: SseReader) => (await stream.message())?.method

describe('a change of one server', () => {
  it('reaches its listeners and those of no other server', async () => {
    const [own, foreign] = [await listen(one), await listen(other)]
    await publish(one)
    expect([await methodOf(own), await methodOf(own)]).toEqual([
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ])
    await publish(other, 'note://b')
    await publish(other, 'note://a')
    const received = [await methodOf(foreign), await methodOf(foreign), await methodOf(foreign)]
    expect(received).toEqual([
      'notifications/tools/list_changed',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ])
  })

  it('reaches no session of another server, at once and when its client returns', async () => {
    const session = await HttpSession.open({ url: 'http://localhost:8787/docs', fetch: one.fetch })
    await session.request('resources/subscribe', { uri: 'note://a' })
    const stream = await session.listen()
    while (stream.lastId === '') await stream.next()
    await publish(other)
    await publish(one, 'note://b')
    expect(await methodOf(stream)).toBe('notifications/tools/list_changed')
    const position = stream.lastId
    await stream.leave()
    await publish(other)
    await publish(one)
    const again = await session.listen(position)
    const received = [await methodOf(again), await methodOf(again)]
    expect(received).toEqual([
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ])
  })
})
