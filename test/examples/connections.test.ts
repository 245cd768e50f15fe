/** Tests the connections example: its tools act at the played services with the accounts of the caller. */
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { chat, posts, tracker } from '../../examples/connections/services.ts'
import { server } from '../../examples/connections/worker.ts'
import { connect, decline } from '../../packages/testing/src/index.ts'

beforeEach(() => {
  for (const service of [chat, tracker]) {
    service.listen()
    onTestFinished(() => service.close())
  }
})

describe('the connections example', () => {
  it('posts the issues of the account at the tracker as the account at the chat', async () => {
    const accounts = { chat: chat.connected('Ada at the club'), tracker: tracker.connected() }
    const client = await connect(server, { connections: accounts })
    const { text } = await client.callTool('post_standup', { greeting: 'Today:' })
    expect(text).toContain('Posted as Ada at the club.')
    expect(posts.at(-1)).toBe('Ada at the club: Today: Rename the button, Send the invoice twice')
  })

  it('lists the issues of the account that the argument names', async () => {
    const accounts = { tracker: [tracker.connected(), tracker.connected('ada-private')] }
    const client = await connect(server, { connections: accounts })
    const { structuredContent } = await client.callTool('list_issues', {
      account: 'ada@home.example',
    })
    expect(structuredContent).toEqual({ issues: ['Repair the bicycle'] })
  })

  it('passes the argument account to the connection of the tool alone', async () => {
    const accounts = {
      chat: [chat.connected('Ada at work'), chat.connected('Ada at the club')],
      tracker: tracker.connected(),
    }
    const client = await connect(server, { connections: accounts })
    const args = { greeting: 'Today:', account: 'Ada at the club' }
    expect((await client.callTool('post_standup', args)).text).toContain(
      'Posted as Ada at the club',
    )
  })

  it('posts nothing before both accounts are connected', async () => {
    const before = posts.length
    const client = await connect(server, {
      connections: { chat: chat.connected() },
      elicit: [decline],
    })
    const { text } = await client.callTool('post_standup', { greeting: 'Today:' })
    expect(text).toContain('The person has not connected Tracker.')
    expect(posts).toHaveLength(before)
  })
})
