import { describe, expect, it } from 'vitest'
import { HonouredFilter, readListenFilter } from '../../src/features/changes/listen-filter.ts'

const read = (resourceSubscriptions: unknown) =>
  readListenFilter({
    kind: 'request',
    id: 1,
    method: 'subscriptions/listen',
    params: { notifications: { resourceSubscriptions: resourceSubscriptions as never } },
  })
const uris = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `a://${index}/`.padEnd(length, 'x'))

describe('readListenFilter', () => {
  it('accepts 1000 URIs and URIs of 8192 characters', () => {
    expect(read(uris(1000, 60)).uris).toHaveLength(1000)
    expect(read(uris(8, 8192)).uris).toHaveLength(8)
  })

  it.each([
    ['1001 URIs', uris(1001, 10)],
    ['10,000 URIs', uris(10_000, 10)],
    ['a URI of 8193 characters', uris(1, 8193)],
    ['URIs with more than 65,536 characters in total', uris(9, 8192)],
    ['1000 URIs of 4 kB', uris(1000, 4000)],
  ])('refuses %s', (_, subscriptions) => {
    expect(() => read(subscriptions)).toThrow(/resourceSubscriptions/)
  })
})

describe('HonouredFilter', () => {
  it('passes no completed elicitations, because the modern revision has no notification for them', () => {
    const lists = ['tools_list_changed', 'prompts_list_changed', 'resources_list_changed'] as const
    const offered = [...lists, 'resource_updated', 'elicitation_complete'] as const
    const filter = new HonouredFilter(
      { lists, uris: ['note://a'], taskIds: undefined },
      offered,
      () => true,
      undefined,
    )
    expect(filter.kinds).toEqual([
      'tools_list_changed',
      'prompts_list_changed',
      'resources_list_changed',
      'resource_updated',
    ])
    expect(
      filter.notificationFor({ kind: 'elicitation_complete', elicitationId: 'a' }),
    ).toBeUndefined()
  })
})
