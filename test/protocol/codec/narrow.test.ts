/** The rules of the codecs: which revision sends which member. */
import { describe, expect, it } from 'vitest'
import { createModernCodec } from '../../../src/protocol/codec/modern.ts'
import { narrow, type Rules } from '../../../src/protocol/codec/narrow.ts'
import { createSessionCodec } from '../../../src/protocol/codec/session.ts'
import type { Tool } from '../../../src/protocol/primitives.ts'
import { MODERN, OLDEST_SESSION } from '../../../src/protocol/revisions.ts'

const INFO = { name: 'server', version: '1' }

interface Card {
  readonly name: string
  readonly icon?: string
  readonly size?: number
}

const RULES: Rules<Card> = {
  name: 'all',
  icon: 'icons',
  size: (size, features) => (features.icons ? size : undefined),
}

describe('an object', () => {
  it('is sent itself where the revision has all of its members', () => {
    const card = { name: 'a', icon: 'b', size: 1 }
    expect(narrow(card, RULES, MODERN.features)).toBe(card)
  })

  it('is sent without the members that the revision does not have, in their order', () => {
    const card = { icon: 'b', name: 'a', size: 1 }
    expect(narrow(card, RULES, OLDEST_SESSION.features)).toEqual({ name: 'a' })
    expect(Object.keys(narrow({ size: 2, name: 'a' }, RULES, MODERN.features))).toEqual([
      'size',
      'name',
    ])
  })

  it.each(['constructor', '__proto__', 'toString'])(
    'is sent without %s, which no rule names',
    (name) => {
      const card = JSON.parse(`{"name":"a","${name}":{"b":1}}`)
      expect(JSON.stringify(narrow(card, RULES, MODERN.features))).toBe('{"name":"a"}')
    },
  )
})

describe('a value that does not have the type of its member', () => {
  const codec = createSessionCodec(OLDEST_SESSION)

  it.each([
    ['annotations', 'high'],
    ['annotations', ['user']],
    ['annotations', null],
    ['icons', { src: 'a' }],
    ['icons', [null]],
    ['_meta', 1],
  ])('fails no list and no result: %s is %j', (member, value) => {
    const item = { uri: 'note://a', name: 'a', [member]: value }
    for (const { listItem, callToolResult } of [codec, createModernCodec(INFO)]) {
      expect(listItem('resources/list', item as never)).toMatchObject({ name: 'a' })
      const link = { type: 'resource_link', ...item }
      expect(callToolResult({ content: [link as never] })).toMatchObject({ content: [{}] })
    }
  })
})

describe('the rules of a type', () => {
  it('do not compile without a rule for each member', () => {
    // @ts-expect-error `size` has no rule.
    const incomplete: Rules<Card> = { name: 'all', icon: 'icons' }
    // @ts-expect-error No revision has a feature of this name.
    const misspelt: Rules<Card> = { ...RULES, icon: 'icon' }
    // @ts-expect-error A member of a definition without a rule.
    const tool: Rules<Tool & { readonly later?: string }> = {} as Rules<Tool>
    expect([incomplete, misspelt, tool]).toHaveLength(3)
  })
})
