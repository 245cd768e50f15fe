import { describe, expect, it } from 'vitest'
import { LruMap } from '../../src/platform/lru-map.ts'

function open() {
  const map = new LruMap<number>(2)
  map.set('a', 1)
  map.set('b', 2)
  return { map, keys: () => [...map].map(([key]) => key) }
}

describe('LruMap', () => {
  it('evicts the entry that was set first when a new one exceeds the capacity', () => {
    const { map, keys } = open()
    map.set('c', 3)
    expect(keys()).toEqual(['b', 'c'])
  })

  it('keeps an entry that get has read', () => {
    const { map, keys } = open()
    expect(map.get('a')).toBe(1)
    map.set('c', 3)
    expect(keys()).toEqual(['a', 'c'])
  })

  it('evicts an entry that only peek has read', () => {
    const { map, keys } = open()
    expect(map.peek('a')).toBe(1)
    map.set('c', 3)
    expect(keys()).toEqual(['b', 'c'])
  })

  it('replaces a value without evicting another entry', () => {
    const { map } = open()
    map.set('b', 3)
    expect([...map]).toEqual([
      ['a', 1],
      ['b', 3],
    ])
  })

  it('returns undefined for a key that was deleted, cleared or never set', () => {
    const { map } = open()
    map.delete('a')
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, 2, undefined])
    map.clear()
    expect(map.peek('b')).toBeUndefined()
  })
})
