/** Changes of lists and of subscribed resources: on the standalone stream of a session, or on that of subscriptions/listen. */
import { describe, expect } from 'vitest'
import { UrlElicitationRequiredError } from '../../src/index.ts'
import type { FullContext } from '../support/full-server.ts'
import { verifies } from '../support/verifies.ts'
import { LISTS } from './client.ts'
import {
  ANY,
  eventually,
  everyRow,
  isModern,
  isOver,
  publish,
  type Stage,
  scenario,
} from './scenario.ts'
import { streamsOf } from './wire.ts'

/** Waits for the standalone stream of a session. */
async function listening({ row, wire, subscribe }: Stage, uris: readonly string[] = []) {
  const end = await subscribe(uris, LISTS)
  if (!isModern(row)) await eventually(() => streamsOf(wire).length).toBe(1)
  return end
}

describe('a client that listens', () => {
  scenario(
    'receives the changes of others and its own in order, and updates of its resources only',
    {
      cites: () => verifies('base-protocol/notification-has-no-id'),
      needs: ['changes'],
      does: async (stage) => {
        await listening(stage, ['note://a', 'item://b'])
        await publish.toolsChanged()
        await stage.run(async ({ notify }) => {
          await notify.promptsChanged()
          return 'done'
        })
        await publish.resourceUpdated('item://other')
        await publish.resourceUpdated('note://a')
        await publish.resourcesChanged()
        await stage.run(async ({ notify }) => {
          await notify.resourceUpdated('item://b')
          return 'done'
        })
        await eventually(() => stage.notices().length).toBe(5)
        return stage.notices()
      },
      returns: [
        { changed: 'tools' },
        { changed: 'prompts' },
        { updated: 'note://a' },
        { changed: 'resources' },
        { updated: 'item://b' },
      ],
      notified: ANY,
    },
  )

  scenario(
    'receives no update of a resource after it has unsubscribed, until it subscribes again',
    {
      needs: ['changes'],
      does: async (stage) => {
        await listening(stage, ['note://a'])
        const unsubscribe = await stage.subscribe(['item://b'], [])
        await publish.resourceUpdated('item://b')
        await eventually(() => stage.notices().length).toBe(1)
        await unsubscribe()
        await publish.resourceUpdated('item://b')
        // This change follows the one that must not be received.
        await publish.resourceUpdated('note://a')
        await eventually(() => stage.notices().length).toBe(2)
        await stage.subscribe(['item://b'], [])
        await publish.resourceUpdated('item://b')
        await eventually(() => stage.notices().length).toBe(3)
      },
      notified: ANY,
      reported: ANY,
    },
  )

  scenario('of several, each receives a change once', {
    needs: ['changes'],
    does: async (stage) => {
      const listeners = [stage, await stage.another(), await stage.another()]
      for (const each of listeners) await listening(each, ['note://a'])
      await publish.resourceUpdated('note://a')
      await publish.toolsChanged()
      const seen = () => listeners.map(({ notices }) => notices().length)
      await eventually(seen).toEqual([2, 2, 2])
    },
    notified: ['note://a', 'tools/list_changed'],
  })

  scenario('is refused a subscription to a resource that does not exist', {
    needs: ['changes', 'session'],
    does: ({ client }) =>
      client.subscribeResource({ uri: 'nothing://here' }).catch(({ data }) => data),
    returns: { uri: 'nothing://here' },
  })
})

describe('a completed elicitation', () => {
  const login = (elicitationId: string) => async (ctx: FullContext) =>
    (await ctx.elicit({ message: 'Log in', url: 'https://x.example/login', elicitationId })).action

  scenario('is reported once to the client that was asked, and to no other', {
    cites: () =>
      verifies('elicitation/completion-to-the-asked-client', 'elicitation/completion-has-the-id'),
    rows: everyRow,
    needs: ['changes', 'session'],
    answers: [{ action: 'accept' }],
    does: async (stage) => {
      const other = await stage.another()
      for (const each of [stage, other]) await listening(each)
      const id = `login-${crypto.randomUUID()}`
      await stage.run(login(id))
      await publish.elicitationComplete(id)
      await publish.elicitationComplete(id)
      await publish.toolsChanged()
      const seen = [stage, other].map(({ notices }) => notices)
      await eventually(() => seen.map((notices) => notices().length)).toEqual([
        isOver('2025-06-18', '2025-03-26')(stage.row) ? 1 : 2,
        1,
      ])
      return stage
        .notices()
        .map((notice) => ('completed' in notice ? notice.completed === id : notice))
    },
    returns: expect.arrayContaining([true, { changed: 'tools' }]),
    asked: ANY,
    notified: ANY,
    differs: [
      {
        on: isOver('2025-06-18', '2025-03-26'),
        because: 'the notification came with 2025-11-25',
        returns: [{ changed: 'tools' }],
      },
    ],
  })

  const REQUIRED = () => {
    throw new UrlElicitationRequiredError(
      [
        { elicitationId: 'one', message: 'Log in', url: 'https://x.example/login' },
        { elicitationId: 'two', message: 'Then', url: 'https://y.example' },
      ],
      'Do this first.',
    )
  }
  const AS_TEXT = {
    content: [
      {
        type: 'text',
        text: 'Do this first.\nLog in https://x.example/login\nThen https://y.example',
      },
    ],
    isError: true,
  }

  scenario('can be required by an error, which is a text for a client without the URL mode', {
    cites: () => {
      verifies('elicitation/url-required-error-only-when-required')
      verifies('elicitation/url-required-error-lists-elicitations')
      verifies('elicitation/url-required-error-has-url-elicitations')
      verifies('elicitation/url-required-error-code')
    },
    rows: everyRow,
    needs: ['session'],
    does: ({ run, wire }) =>
      run(REQUIRED).then(
        ({ content, isError }) => ({ content, isError }),
        () => wire.exchanges.flatMap(({ text }) => /"code":-32042.*$/m.exec(text) ?? []),
      ),
    returns: AS_TEXT,
    differs: [
      {
        on: isOver('2025-11-25'),
        because: 'the error came with 2025-11-25, and left with 2026-07-28',
        returns: [expect.stringContaining('"mode":"url"')],
      },
    ],
  })
})
