/** Kills the process while calls and tasks of a session wait. Each goes on, and no step runs twice. */
import { describe, expect, it } from 'vitest'
import { PersistentServer } from './persistent-server.ts'
import { openSession } from './session.ts'

describe.concurrent('a server that was killed while a session waited', () => {
  it('wakes a sleeping call at its time, and answers on its stream', async ({ onTestFinished }) => {
    const server = await PersistentServer.start(onTestFinished)
    const session = await openSession(server.url)
    const events = await session.stream('sleep_step', { name: 'napping', ms: 15_000 })
    await expect.poll(() => events.lastId).not.toBe('')
    await server.kill()
    await events.rest()
    session.url = await server.startAgain()
    const resumed = await session.listen(events.lastId)
    expect((await resumed.message(0)).result?.content?.[0]?.text).toBe('done')
    expect(await session.readCount('napping-before')).toBe(1)
    expect(await session.readCount('napping-after')).toBe(1)
  })

  it('keeps the ask of a task on the standalone stream, and takes its answer', async ({
    onTestFinished,
  }) => {
    const server = await PersistentServer.start(onTestFinished)
    const session = await openSession(server.url)
    const before = await session.listen()
    const call = { name: 'confirm_delete', arguments: { filename: 'a.txt' }, task: {} }
    const { result } = await session.request('tools/call', call)
    const { taskId } = (result as unknown as { task: { taskId: string } }).task
    const find = () => before.messages.find(({ method }) => method === 'elicitation/create')
    await expect.poll(find).toBeDefined()
    await server.kill()
    await before.rest()
    session.url = await server.startAgain()
    await session.listen(before.lastId)
    const asked = find()
    expect(asked !== undefined && (await session.answer(asked, { confirm: true }))).toBe(202)
    const ended = await session.request('tasks/result', { taskId })
    expect(ended.result?.content?.[0]?.text).toBe('a.txt is deleted.')
  })
})
