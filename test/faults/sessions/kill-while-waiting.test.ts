/** Kills the process while calls and tasks of a session wait. Each goes on, and no step runs twice. */
import { expect, it } from 'vitest'
import { POLL } from './bounded.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession } from './session.ts'

it('a server that was killed while sessions waited wakes a sleeping call at its time, and keeps the ask of a task on the standalone stream', async ({
  onTestFinished,
}) => {
  const server = await PersistentServer.start(onTestFinished)
  const [napping, asking] = [await openSession(server.url), await openSession(server.url)]
  const before = await asking.listen()
  const call = { name: 'confirm_delete', arguments: { filename: 'a.txt' }, task: {} }
  const { result } = await asking.request('tools/call', call)
  const { taskId } = (result as unknown as { task: { taskId: string } }).task
  const find = () => before.messages.find(({ method }) => method === 'elicitation/create')
  await expect.poll(find, POLL).toBeDefined()
  const events = await napping.stream('sleep_step', { name: 'napping', ms: 15_000 })
  await events.primed()
  await server.kill()
  await Promise.all([before.rest(), events.rest()])
  napping.url = asking.url = await server.startAgain()

  await asking.listen(before.lastId)
  const asked = find()
  expect(asked !== undefined && (await asking.answer(asked, { confirm: true }))).toBe(202)
  const ended = await asking.request('tasks/result', { taskId })
  expect(ended.result?.content?.[0]?.text).toBe('a.txt is deleted.')

  const resumed = await napping.listen(events.lastId)
  expect((await resumed.message(0)).result?.content?.[0]?.text).toBe('done')
  expect(await napping.readCount('napping-before')).toBe(1)
  expect(await napping.readCount('napping-after')).toBe(1)
})
