import { describe, expect, it } from 'vitest'
import { createScopeTable, type ScopeOptions } from '../../../src/auth/resource/scopes.ts'

const table = createScopeTable({
  read: 'Read your notes',
  write: { description: 'Write your notes', includes: ['read'] },
  admin: { description: 'Everything', includes: ['write', 'share'] },
  share: 'Share notes with others',
})

describe('createScopeTable', () => {
  it('keeps the order of the options', () => {
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
  ])('expands the scopes %j', (scopes, expanded) => {
    expect(table.expand(scopes)).toEqual(expanded)
  })

  it('requests initially the scopes that include no other', () => {
    expect(table.defaults).toEqual(['read', 'share'])
  })

  it('requests initially the scopes that are configured as initial', () => {
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
  ])('names for the needed scopes %j, with %j granted: %j', (needed, granted, named) => {
    expect(table.forStepUp(needed, granted)).toEqual(named)
  })

  it('accepts an empty table', () => {
    const { names, defaults, expand } = createScopeTable({})
    expect([names, defaults, expand(['x'])]).toEqual([[], [], ['x']])
  })
})

describe('createScopeTable with invalid options', () => {
  const TABLE: readonly [string, ScopeOptions][] = [
    ['is not a valid scope name', { 'a b': 'x' }],
    ['is not a valid scope name', { '': 'x' }],
    ['is not a valid scope name', { 'a"b': 'x' }],
    ['is not a valid scope name', { 'a\\b': 'x' }],
    ['is not a valid scope name', { é: 'x' }],
    ['offline_access', { offline_access: 'x' }],
    ['not defined', { a: { description: 'x', includes: ['b'] } }],
    ['includes itself', { a: { description: 'x', includes: ['a'] } }],
    [
      'includes itself',
      { a: { description: 'x', includes: ['b'] }, b: { description: 'x', includes: ['a'] } },
    ],
  ]
  it.each(TABLE)('throws: %s', (message, options) => {
    expect(() => createScopeTable(options)).toThrow(TypeError)
    expect(() => createScopeTable(options)).toThrow(message)
  })
})
