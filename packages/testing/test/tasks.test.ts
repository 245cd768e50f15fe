/** Calls that become tasks, as a client of `edgeway/testing` sees them. */
// features: tasks, sessions
import { describe, expect, it } from 'vitest'
import { connectHeld } from '../../../test/support/held-server.ts'
import { keepHandler } from '../../../test/support/session-server.ts'
import type { ReportedProgress } from '../src/index.ts'

const report = () =>
  keepHandler(async (ctx) => {
    await ctx.progress(1, 2, 'half')
    await ctx.sleep('rest', 300)
    return 'report ready'
  })

describe.each(['claude-code', 'vscode'] as const)('a call that becomes a task of %s', (as) => {
  it('reports its states as progress, and its result is that of the tool', async () => {
    const client = await connectHeld({ as })
    const reported: ReportedProgress[] = []
    const onProgress = (progress: ReportedProgress) => reported.push(progress)
    const result = await client.callTool('work', report(), { onProgress })
    expect(result.text).toBe('report ready')
    const states = reported.filter(({ status }) => status !== undefined)
    expect(states[0]).toMatchObject({ progress: 1, status: 'working' })
    expect(states.map(({ message }) => message)).toContain('half')
    expect(states.map(({ progress }) => progress)).toEqual(states.map((_, index) => index + 1))
  })

  it('is the new task with follow: false', async () => {
    const client = await connectHeld({ as })
    const created = await client.callTool('work', report(), { follow: false })
    const { taskId, task } = created as { taskId?: string; task?: { taskId: string } }
    expect(taskId ?? task?.taskId).toEqual(expect.any(String))
    expect(created.text).toBe('')
  })
})

it('a raw tools/call is followed to its result, and with follow: false it returns the task', async () => {
  const client = await connectHeld({ as: 'claude-code' })
  const params = () => ({ name: 'work', arguments: report() })
  const statuses: unknown[] = []
  const onProgress = ({ status }: ReportedProgress) => statuses.push(status)
  const followed = await client.request('tools/call', params(), { onProgress })
  expect(followed).toMatchObject({ content: [{ type: 'text', text: 'report ready' }] })
  expect([statuses[0], statuses.at(-1)]).toEqual(['working', 'completed'])
  const created = await client.request('tools/call', params(), { follow: false })
  expect(created).toMatchObject({ resultType: 'task', status: 'working' })
})
