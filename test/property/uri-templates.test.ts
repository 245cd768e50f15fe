/** URI templates: expansion and matching are inverse to each other, for templates of every operator. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ExpandValues, expandUriTemplate } from '../../src/server/uri-template/expand.ts'
import { matchUriTemplate } from '../../src/server/uri-template/match.ts'
import { parseUriTemplate, type UriTemplate } from '../../src/server/uri-template/parse.ts'
import { runs } from './settings.ts'

/** One expression and the values of its variables. */
interface Part {
  readonly text: string
  readonly values: ExpandValues
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
/** A dot begins a value of a `{.name}` expression, which may also follow. */
const undotted = text.filter((value) => !value.includes('.'))
const list = (value: fc.Arbitrary<string>) => fc.array(value, { maxLength: 3 })

/** An expression. Its values cannot contain the beginning of the next part. */
function part(operator: string, index: number): fc.Arbitrary<Part> {
  const [one, two] = [`a${index}`, `b${index}`]
  const value = operator === '.' || operator === '' ? undotted : text
  const single = value.map((own) => ({ text: `{${operator}${one}}`, values: { [one]: own } }))
  const pair = fc
    .tuple(value.filter(hasNoComma), value.filter(hasNoComma))
    .map(([a, b]) => ({ text: `{${operator}${one},${two}}`, values: { [one]: a, [two]: b } }))
  const exploded = list(value).map((items) => ({
    text: `{${operator}${one}*}`,
    values: { [one]: items },
  }))
  if (operator === '') return fc.oneof(single, pair)
  return fc.oneof(single, pair, exploded)
}

const isGiven = (value: ExpandValues[string]) => !Array.isArray(value) || value.length > 0
const hasNoComma = (value: string) => !value.includes(',')

const template = fc
  .subarray(['', '.', '/', ';', '?', '&'])
  .chain((operators) => fc.tuple(...operators.map(part)))
  // Without the expression between them, a value could contain the beginning of the next one.
  .filter((parts) => parts.slice(1, -1).every(({ values }) => Object.values(values).every(isGiven)))
  .map((parts) => ({
    source: `note://host/${parts.map((each) => each.text).join('')}`,
    values: Object.assign({}, ...parts.map((each) => each.values)) as ExpandValues,
  }))

function parses(source: string): boolean {
  try {
    parseUriTemplate(source)
    return true
  } catch (error) {
    if (error instanceof TypeError) return false
    throw error
  }
}

const match = (parsed: UriTemplate, uri: string) => {
  const found = matchUriTemplate(parsed, uri)
  return found === undefined ? undefined : { ...found }
}

describe('matchUriTemplate', () => {
  it('recovers the values of every expansion', () => {
    fc.assert(
      fc.property(template, ({ source, values }) => {
        const parsed = parseUriTemplate(source)
        expect(match(parsed, expandUriTemplate(parsed, values))).toEqual(values)
      }),
      runs(1500),
    )
  })

  it('finds values that expand to a URI with the same values, in any URI that it accepts', () => {
    const symbol = fc.constantFrom('', '+', '#', '.', '/', ';', '?', '&')
    const modifier = fc.constantFrom('', '*', ':2')
    const expression = fc.tuple(symbol, modifier, fc.option(modifier))
    const literal = fc.constantFrom('', '/', 'x', '-', '.', '?', 'a/b')
    const source = fc
      .array(fc.tuple(literal, expression), { minLength: 1, maxLength: 3 })
      .map((parts) =>
        parts
          .map(([before, [operator, one, two]], index) => {
            const more = two === null ? '' : `,w${index}${two}`
            return `${before}{${operator}v${index}${one}${more}}`
          })
          .join(''),
      )
      // A value of `{+a}` or `{#a}` may contain the beginning of any expression after it.
      .filter((text) => parses(text) && !/\{[+#].*\{/.test(text))
    const word = fc.string({ unit: fc.constantFrom(...'ab/.&é'), maxLength: 3 })
    const edit = fc.record({
      at: fc.nat({ max: 20 }),
      remove: fc.nat({ max: 1 }),
      insert: fc.constantFrom('', ...'a/?#&;=.,', '%20'),
    })
    let matched = 0
    fc.assert(
      fc.property(
        source,
        fc.array(word, { minLength: 6, maxLength: 6 }),
        edit,
        (text, words, change) => {
          const parsed = parseUriTemplate(text)
          const values = Object.fromEntries(parsed.variables.map((name, at) => [name, words[at]]))
          const uri = expandUriTemplate(parsed, values)
          const edited =
            uri.slice(0, change.at) + change.insert + uri.slice(change.at + change.remove)
          const found = match(parsed, edited)
          if (found === undefined) return
          matched++
          expect(match(parsed, expandUriTemplate(parsed, found))).toEqual(found)
        },
      ),
      runs(2000),
    )
    expect(matched).toBeGreaterThan(100)
  })

  it('accepts for a template without variables only the template itself', () => {
    const uri = fc.string({ unit: fc.constantFrom(...'ab:/?'), minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(uri, uri, (one, other) => {
        expect(match(parseUriTemplate(one), other)).toEqual(one === other ? {} : undefined)
      }),
      runs(500),
    )
  })
})

describe('parseUriTemplate', () => {
  it('names every variable once, in order, or throws a TypeError', () => {
    const source = fc.string({ unit: fc.constantFrom(...'{}ab,*:12?/+&;.#|!'), maxLength: 14 })
    fc.assert(
      fc.property(source, (text) => {
        if (!parses(text)) return
        const { variables, parts } = parseUriTemplate(text)
        expect(new Set(variables).size).toBe(variables.length)
        const literals = parts.map((each) => (each.kind === 'literal' ? each.text : ''))
        expect(literals.join('')).toBe(text.replace(/\{[^}]*\}/g, ''))
      }),
      runs(2000),
    )
  })
})
