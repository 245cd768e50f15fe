/** Scopes that include one another, and which of them are named when. */
import { describe, expect, it } from 'vitest'
import { createScopeTable, type ScopeOptions } from '../../../src/auth/resource/scopes.ts'

const table = createScopeTable({
  read: 'Read your notes',
  write: { description: 'Write your notes', includes: ['read'] },
  admin: { description: 'Everything', includes: ['write', 'share'] },
  share: 'Share notes with others',
})

describe('a table of scopes', () => {
  it('keeps the order in which they were written', () => {
    expect(table.names).toEqual(['read', 'write', 'admin', 'share'])
    expect(table.names.map(table.describe)).toEqual([
      'Read your notes',
      'Write your notes',
      'Everything',
      'Share notes with others',
    ])
    expect(table.describe('constructor')).toBe('constructor')
  })

  it.each([
    [['read'], ['read']],
    [['write'], ['write', 'read']],
    [['admin'], ['admin', 'write', 'read', 'share']],
    [
      ['read', 'write'],
      ['read', 'write'],
    ],
    [
      ['openid', 'write', 'openid'],
      ['openid', 'write', 'read'],
    ],
    [[], []],
    [['__proto__'], ['__proto__']],
    [['READ'], ['READ']],
  ])('expands %j', (held, expanded) => {
    expect(table.expand(held)).toEqual(expanded)
  })

  it('asks from the start for those that include no other', () => {
    expect(table.defaults).toEqual(['read', 'share'])
  })

  it('asks from the start for what its author says', () => {
    const { defaults } = createScopeTable({
      read: { description: 'Read', initial: false },
      write: { description: 'Write', includes: ['read'], initial: true },
    })
    expect(defaults).toEqual(['write'])
  })

  it.each([
    [['write'], [], ['write']],
    [['write'], ['read'], ['read', 'write']],
    [['write'], ['openid', 'offline_access', 'share', 'read'], ['read', 'write', 'share']],
    [['extra'], ['read'], ['read', 'extra']],
    [
      ['write', 'share'],
      ['write', 'read'],
      ['read', 'write', 'share'],
    ],
  ])('names for %j, with %j held: %j', (needed, held, named) => {
    expect(table.forStepUp(needed, held)).toEqual(named)
  })

  it('may be empty', () => {
    const { names, defaults, expand } = createScopeTable({})
    expect([names, defaults, expand(['x'])]).toEqual([[], [], ['x']])
  })
})

describe('a table that makes no sense', () => {
  const TABLE: readonly [string, ScopeOptions][] = [
    ['cannot be the name', { 'a b': 'x' }],
    ['cannot be the name', { '': 'x' }],
    ['cannot be the name', { 'a"b': 'x' }],
    ['cannot be the name', { 'a\\b': 'x' }],
    ['cannot be the name', { é: 'x' }],
    ['offline_access', { offline_access: 'x' }],
    ['not defined', { a: { description: 'x', includes: ['b'] } }],
    ['includes itself', { a: { description: 'x', includes: ['a'] } }],
    [
      'includes itself',
      { a: { description: 'x', includes: ['b'] }, b: { description: 'x', includes: ['a'] } },
    ],
  ]
  it.each(TABLE)('is refused: %s', (message, options) => {
    expect(() => createScopeTable(options)).toThrow(TypeError)
    expect(() => createScopeTable(options)).toThrow(message)
  })
})
