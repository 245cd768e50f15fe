import { describe, expect, it } from 'vitest'
import { HonouredFilter, readListenFilter } from '../../src/transport/modern/listen-filter.ts'

const read = (resourceSubscriptions: unknown) =>
  readListenFilter({
    kind: 'request',
    id: 1,
    method: 'subscriptions/listen',
    params: { notifications: { resourceSubscriptions: resourceSubscriptions as never } },
  })
const uris = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => `a://${index}/`.padEnd(length, 'x'))

describe('the URIs of a filter', () => {
  it('may be many, or long', () => {
    expect(read(uris(1000, 60)).uris).toHaveLength(1000)
    expect(read(uris(8, 8192)).uris).toHaveLength(8)
  })

  it.each([
    ['more than 1000', uris(1001, 10)],
    ['10 000', uris(10_000, 10)],
    ['one of 8193 characters', uris(1, 8193)],
    ['more than 65536 characters together', uris(9, 8192)],
    ['1000 of 4 kB', uris(1000, 4000)],
  ])('are refused when there are %s', (_, subscriptions) => {
    expect(() => read(subscriptions)).toThrow(/resourceSubscriptions/)
  })
})

describe('a filter of everything', () => {
  it('tells nobody that an elicitation is over, which this revision has no word for', () => {
    const lists = ['tools_list_changed', 'prompts_list_changed', 'resources_list_changed'] as const
    const offered = [...lists, 'resource_updated', 'elicitation_complete'] as const
    const filter = new HonouredFilter({ lists, uris: ['note://a'] }, offered, () => true)
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
