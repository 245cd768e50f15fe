/** Kills the process after state was acknowledged, and during concurrent updates. */
import { expect, it } from 'vitest'
import { callTool } from '../../attacks/modern.ts'
import { PersistentServer } from '../sessions/persistent-server.ts'

it('state that was acknowledged survives a kill, and so does its deletion', async ({
  onTestFinished,
}) => {
  const server = await PersistentServer.start(onTestFinished)
  const call = async (name: string, args: object) => {
    const { result } = await callTool(server.url, name, args)
    return result as { isError?: boolean; structuredContent: Record<string, unknown> }
  }
  const create = async (value: unknown) =>
    (await call('state_create', { value })).structuredContent.handle
  const [kept, updated, deleted] = [await create('kept'), await create(0), await create('deleted')]
  await server.restart()
  await call('state_update', { handle: updated, value: 1, expected: 0 })
  await call('state_delete', { handle: deleted })
  await server.restart()
  const get = (handle: unknown) => call('state_get', { handle })
  expect((await get(kept)).structuredContent).toEqual({ value: 'kept' })
  expect((await get(updated)).structuredContent).toEqual({ value: 1 })
  expect((await get(deleted)).isError).toBe(true)
  expect((await call('state_update', { handle: updated, value: 2, expected: 0 })).isError).toBe(
    true,
  )
})
