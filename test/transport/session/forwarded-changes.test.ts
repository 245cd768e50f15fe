/** What the Worker of a session stream forwards when the stream is replaced while changes wait. */
import { expect, it } from 'vitest'
import { ChangeForwarder } from '../../../src/features/sessions/transport/change-forwarder.ts'
import type { ListenOptions, PublishedChange } from '../../../src/ports/change-bus.ts'
import type { Election, StreamReader } from '../../../src/ports/sessions.ts'

const PRIMARY: Election = {
  kind: 'primary',
  since: undefined,
  uris: [],
  elicitations: [],
  version: 1,
}

function createForwarder() {
  const feeds: ListenOptions[] = []
  const forwarder = new ChangeForwarder({
    bus: {
      publish: async () => undefined,
      position: async () => '0',
      countListeners: async () => 0,
      listen: async (options) => {
        feeds.push(options)
        return { position: '0', close: () => undefined }
      },
    },
    kinds: ['tools_list_changed', 'prompts_list_changed'],
    subject: undefined,
    network: 'local',
    mayRead: () => true,
    onChange: () => undefined,
    whenCurrent: async () => undefined,
    onError: () => undefined,
  })
  return { forwarder, feeds }
}

function createReader() {
  const forwarded: (readonly PublishedChange[])[] = []
  const reader: StreamReader = {
    next: () => new Promise(() => undefined),
    nextEvent: () => undefined,
    onElection: (listener) => listener(PRIMARY),
    acknowledge: () => undefined,
    filterApplied: () => undefined,
    changesBeginAt: () => undefined,
    forward: (changes) => void forwarded.push(changes),
    changesLost: () => undefined,
    close: () => undefined,
  }
  return { reader, forwarded }
}

const settled = () => new Promise((resolve) => setTimeout(resolve))

it('drops changes that wait when another reader follows, which begins at the position of the session', async () => {
  const { forwarder, feeds } = createForwarder()
  const first = createReader()
  await forwarder.follow(first.reader)
  feeds[0]?.onChange({ kind: 'tools_list_changed' }, '1', false)
  const second = createReader()
  await forwarder.follow(second.reader)
  expect([first.forwarded, second.forwarded]).toEqual([[], []])

  feeds[1]?.onChange({ kind: 'tools_list_changed' }, '3', false)
  feeds[1]?.onChange({ kind: 'prompts_list_changed' }, '4', false)
  await settled()
  feeds[1]?.onChange({ kind: 'tools_list_changed' }, '5', false)
  await settled()
  expect(second.forwarded).toEqual([
    [
      { change: { kind: 'tools_list_changed' }, position: '3' },
      { change: { kind: 'prompts_list_changed' }, position: '4' },
    ],
    [{ change: { kind: 'tools_list_changed' }, position: '5' }],
  ])
})
