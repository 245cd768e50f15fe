/** What the Worker of a session stream forwards to the session object, and when its feed fails. */

import { describe, expect, it } from 'vitest'
import { ChangeForwarder } from '../../../src/features/sessions/transport/change-forwarder.ts'
import { valid } from '../../../src/platform/result.ts'
import type { ListenOptions, PublishedChange } from '../../../src/ports/change-bus.ts'
import type { ListChangeKind } from '../../../src/ports/change-kinds.ts'
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
  const errors: unknown[] = []
  const forwarder = new ChangeForwarder({
    bus: {
      publish: async () => undefined,
      position: async () => '0',
      countListeners: async () => 0,
      listen: async (options) => {
        feeds.push(options)
        return valid({ position: '0', close: () => undefined })
      },
    },
    kinds: ['tools_list_changed', 'prompts_list_changed'],
    subject: undefined,
    network: 'local',
    definition: {
      mayRead: () => true,
      observe: () => undefined,
      renewed: Promise.resolve(),
    },
    onError: (error) => errors.push(error),
  })
  return { forwarder, feeds, errors }
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

function published(kind: ListChangeKind, position: string): PublishedChange {
  return { change: { kind }, position, isOwn: false }
}

describe('the change forwarder of a session stream', () => {
  it('forwards the changes of one message of the hub together, to the reader that it follows', async () => {
    const { forwarder, feeds } = createForwarder()
    const first = createReader()
    await forwarder.follow(first.reader)
    const one = [published('tools_list_changed', '1')]
    feeds[0]?.onChanges(one)
    expect(first.forwarded).toEqual([one])

    const second = createReader()
    await forwarder.follow(second.reader)
    const two = [published('tools_list_changed', '3'), published('prompts_list_changed', '4')]
    const three = [published('tools_list_changed', '5')]
    feeds[1]?.onChanges(two)
    feeds[1]?.onChanges(three)
    expect(second.forwarded).toEqual([two, three])
    expect(first.forwarded).toEqual([one])
  })

  it('forwards nothing when no change of a message passes the filter', async () => {
    const { forwarder, feeds } = createForwarder()
    const { reader, forwarded } = createReader()
    await forwarder.follow(reader)
    const change = { kind: 'resource_updated', uri: 'note://a' } as const
    feeds[0]?.onChanges([{ change, position: '1', isOwn: false }])
    expect(forwarded).toEqual([])
  })

  it('ends the stream when its feed is lost, and reports an error that has ended it', async () => {
    const { forwarder, feeds, errors } = createForwarder()
    await forwarder.follow(createReader().reader)
    let losses = 0
    forwarder.onLost = () => losses++
    feeds[0]?.onLost()
    expect([losses, errors]).toEqual([1, []])
    feeds[0]?.onLost(new Error('broken'))
    expect([losses, errors]).toEqual([2, [new Error('broken')]])
  })
})
