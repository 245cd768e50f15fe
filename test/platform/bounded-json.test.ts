import { describe, expect, it } from 'vitest'
import { parseBoundedJson } from '../../src/platform/bounded-json.ts'

const BOUNDS = { depth: 3, values: 6 }
const parse = (text: string) => parseBoundedJson(text, BOUNDS)

describe('parseBoundedJson', () => {
  it.each<[string, string, unknown]>([
    ['a literal', '1', 1],
    ['as many values as the bound', '[1,2,3,4,5]', [1, 2, 3, 4, 5]],
    ['as many levels as the bound', '[[[1]]]', [[[1]]]],
    ['brackets and commas inside a string', '["[[[[,,,,,,,,{{{{:::"]', ['[[[[,,,,,,,,{{{{:::']],
    ['an escaped quote before brackets', '["\\"[[[[,,,,,,,"]', ['"[[[[,,,,,,,']],
    ['an escaped backslash at the end of a string', '["\\\\",[1]]', ['\\', [1]]],
  ])('parses %s', (_, text, value) => {
    expect(parse(text)).toEqual({ ok: true, value })
  })

  it.each([
    ['too-many-values', '[1,2,3,4,5,6]'],
    ['too-many-values', '{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}'],
    ['too-many-values', '[[],[],[],[]]'],
    ['too-many-values', '[[1],[2],[3]]'],
    ['too-many-values', ',,,,,,,,,,'],
    ['too-deep', '[[[[1]]]]'],
    ['too-deep', '{"a":{"b":{"c":{}}}}'],
    ['too-deep', '[[[['],
    ['not-json', '['],
    ['not-json', '"open'],
    ['not-json', ''],
    ['duplicate-key', '{"a":1,"a":1}'],
    ['duplicate-key', '{"a":1,"\\u0061":1}'],
  ])('reports %s for %s', (fault, text) => {
    expect(parse(text)).toEqual({ ok: false, fault })
  })
})
