/** Scopes: inclusion is a closure, and a step-up keeps what the token has. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OAuthError } from '../../src/auth/oauth-error.ts'
import { createScopeTable, type ScopeOptions } from '../../src/auth/resource/scopes.ts'
import { grantableScopes, splitScopes } from '../../src/auth/server/requested-scopes.ts'
import { verifies } from '../support/verifies.ts'
import { runs } from './settings.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e', 'constructor', 'toString'] as const

/** Each scope includes only later ones, so there is no cycle. */
const options: fc.Arbitrary<ScopeOptions> = fc
  .tuple(...NAMES.map((_, index) => fc.subarray(NAMES.slice(index + 1))))
  .chain((included) =>
    fc.tuple(
      fc.shuffledSubarray(
        included.map((includes, index) => ({ includes, index })),
        { minLength: NAMES.length },
      ),
      fc.infiniteStream(fc.constantFrom(undefined, true, false)),
    ),
  )
  .map(([rows, initial]) =>
    Object.fromEntries(
      rows.map(({ includes, index }): [string, ScopeOptions[string]] => {
        const flag = initial.next().value
        const name = NAMES[index] ?? 'a'
        return [
          name,
          { description: name, includes, ...(flag === undefined ? {} : { initial: flag }) },
        ]
      }),
    ),
  )

const known = fc.subarray([...NAMES])
const scopes = fc.tuple(known, fc.subarray(['other', 'z:1'])).map((parts) => parts.flat())
const sorted = (values: Iterable<string>) => [...new Set(values)].sort()

describe('the inclusion of scopes', () => {
  it('is reflexive, transitive and independent of order', () => {
    fc.assert(
      fc.property(options, scopes, scopes, (table, one, other) => {
        const { expand } = createScopeTable(table)
        const all = sorted(expand([...one, ...other]))
        expect(all).toEqual(sorted([...expand(other), ...expand(one)]))
        expect(sorted(expand(expand(one)))).toEqual(sorted(expand(one)))
        for (const scope of one) expect(all).toContain(scope)
        expect(new Set(expand(one)).size).toBe(expand(one).length)
      }),
      runs(500),
    )
  })

  it('adds exactly the scopes that a path of inclusions reaches', () => {
    verifies('authorization/scope-hierarchies')
    fc.assert(
      fc.property(options, scopes, (table, granted) => {
        const reached = new Set(granted)
        for (const name of reached) {
          const option = Object.hasOwn(table, name) ? table[name] : undefined
          if (typeof option === 'object') for (const one of option.includes ?? []) reached.add(one)
        }
        expect(sorted(createScopeTable(table).expand(granted))).toEqual(sorted(reached))
      }),
      runs(500),
    )
  })

  it('is refused for a table with a cycle or an unknown scope', () => {
    fc.assert(
      fc.property(
        options,
        fc.constantFrom(...NAMES),
        fc.constantFrom(...NAMES),
        (table, from, to) => {
          const { expand } = createScopeTable(table)
          const option = table[to]
          const includes = [...(typeof option === 'object' ? (option.includes ?? []) : []), from]
          const closed = { ...table, [to]: { description: to, includes } }
          if (expand([from]).includes(to)) expect(() => createScopeTable(closed)).toThrow(TypeError)
          else expect(createScopeTable(closed).expand([to])).toContain(from)
          const unknown = { ...table, [to]: { description: to, includes: ['nowhere'] } }
          expect(() => createScopeTable(unknown)).toThrow(TypeError)
        },
      ),
      runs(300),
    )
  })
})

describe('a step-up', () => {
  it('requests what the call needs and every known scope that the token has, and nothing else', () => {
    fc.assert(
      fc.property(options, scopes, scopes, (table, needed, granted) => {
        const { forStepUp, names } = createScopeTable(table)
        const requested = forStepUp(needed, granted)
        const kept = granted.filter((name) => names.includes(name))
        expect(sorted(requested)).toEqual(sorted([...needed, ...kept]))
        expect(sorted(requested)).toHaveLength(requested.length)
        expect(sorted(forStepUp(needed, requested))).toEqual(sorted(requested))
      }),
      runs(500),
    )
  })
})

describe('grantableScopes', () => {
  it('grants only scopes that were requested, that the table has, and that the client may have', () => {
    const request = fc.option(
      scopes.filter((list) => list.length > 0),
      { nil: undefined },
    )
    fc.assert(
      fc.property(
        options,
        request,
        fc.option(known, { nil: undefined }),
        (table, wanted, allowed) => {
          const scopeTable = createScopeTable(table)
          const candidates = wanted ?? scopeTable.defaults
          const expected = candidates.filter(
            (name) =>
              scopeTable.names.includes(name) && (allowed?.some((own) => own === name) ?? true),
          )
          const grant = () => grantableScopes(scopeTable, wanted?.join(' '), allowed)
          const isGranted = expected.length > 0 || candidates.length === 0
          if (isGranted) expect(sorted(grant())).toEqual(sorted(expected))
          else expect(grant).toThrow(OAuthError)
        },
      ),
      runs(500),
    )
  })

  it('reads a scope parameter as the set of its tokens, or refuses it', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab: "\\\t'), maxLength: 8 })
    fc.assert(
      fc.property(text, (parameter) => {
        const isValid = /^[ab:]+(?: +[ab:]+)*$/.test(parameter)
        if (isValid)
          expect(sorted(splitScopes(parameter))).toEqual(sorted(parameter.match(/[ab:]+/g) ?? []))
        else expect(() => splitScopes(parameter)).toThrow(OAuthError)
      }),
      runs(500),
    )
  })
})
