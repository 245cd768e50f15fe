/**
 * Growth of every regular expression of the library and the examples. Each is applied to near misses: a
 * text that matches, with a part of it repeated, and an end that does not match. An expression that
 * backtracks takes time that grows with the square of the length, or faster.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import fc from 'fast-check'
import { parseAst } from 'vite'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

/** Where callers' text, or text of other servers, meets an expression. */
const FOLDERS = [
  'src',
  'durable-objects',
  'examples',
  ...globSync('packages/{agents,code,events,inspector,openapi,sdk}/src', { cwd: ROOT }),
]

/** A linear expression takes about 0.05 ms for the last length, and one that grows with the square 50 ms. */
const LENGTHS = [16, 20, 24, 28, 32, 40, 60, 120, 600, 6000]
const MAX_MS = 10

/** Pairs of a prefix and a repeated part for each expression. */
const MAX_PAIRS = 120

/** Expressions that grow, each with the reason why no text can be long enough to matter. */
const BOUNDED: Readonly<Record<string, string>> = {}

/** Texts that a class of the expression may contain, for expressions that fast-check cannot generate from. */
const TEXTS = [
  'a',
  '0',
  ' ',
  '-',
  '_',
  '.',
  '/',
  '"',
  '#',
  '`',
  '\n',
  '\\',
  '%',
  '=',
  ':',
  ',',
  'é',
]

/** Ends that hardly any expression matches. */
const ENDS = ['\u0000', '!', '\n\u0000']

interface Found {
  readonly at: string
  readonly expression: RegExp
}

function expressionsIn(folder: string): Found[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => {
      const found: RegExp[] = []
      collect(parseAst(readFileSync(path, 'utf8'), { lang: 'ts' }), found)
      return found.map((expression) => ({ at: relative(ROOT, path), expression }))
    })
}

/** Collects the literals below a node of the syntax tree. */
function collect(node: unknown, found: RegExp[]): void {
  if (typeof node !== 'object' || node === null) return
  const { regex } = node as {
    readonly regex?: { readonly pattern: string; readonly flags: string }
  }
  if (regex !== undefined) found.push(new RegExp(regex.pattern, regex.flags))
  else for (const child of Object.values(node)) collect(child, found)
}

/** Texts that match, or that have the characters of those that do. The seed makes them the same in every run. */
function samplesOf(expression: RegExp): readonly string[] {
  try {
    return fc.sample(fc.stringMatching(new RegExp(expression.source, 'u')), {
      seed: 1,
      numRuns: 12,
    })
  } catch {
    // fast-check supports no property classes and no assertions that look behind.
    return TEXTS.flatMap((text) => [text, `${text}a`, `a${text}`, ` ${text}`])
  }
}

/** A prefix, a part to repeat, and an end. */
function* nearMisses(expression: RegExp): Generator<readonly [string, string, string]> {
  const seen = new Set<string>()
  for (const sample of samplesOf(expression)) {
    const text = sample.slice(0, 40)
    for (let from = 0; from <= Math.min(text.length, 8); from++) {
      const parts = [1, 2, 3].map((length) => text.slice(from, from + length))
      for (const part of [...parts, ...TEXTS]) {
        const key = `${text.slice(0, from)}\u0001${part}`
        if (part === '' || seen.has(key) || seen.size >= MAX_PAIRS) continue
        seen.add(key)
        for (const end of ENDS) yield [text.slice(0, from), part, end]
      }
    }
  }
}

function apply(expression: RegExp, text: string): void {
  if (expression.global) text.replace(expression, '')
  else expression.test(text)
}

/** The shortest of several measurements, because another process may interrupt any of them. */
function millisecondsOf(expression: RegExp, text: string): number {
  let shortest = Number.POSITIVE_INFINITY
  for (let run = 0; run < 5 && shortest > MAX_MS; run++) {
    const start = performance.now()
    apply(expression, text)
    shortest = Math.min(shortest, performance.now() - start)
  }
  return shortest
}

/** Returns the near miss that takes too long, if there is one. */
function findGrowth(expression: RegExp): string | undefined {
  for (const [prefix, part, end] of nearMisses(expression)) {
    const textOf = (length: number) => prefix + part.repeat(Math.ceil(length / part.length)) + end
    // In small steps at first: an exponential expression would not end at the full length.
    for (const length of LENGTHS) {
      if (millisecondsOf(expression, textOf(length)) > MAX_MS) {
        return `${JSON.stringify(prefix)}, ${JSON.stringify(part)} repeated, ${JSON.stringify(end)}`
      }
    }
  }
  return undefined
}

const found = FOLDERS.flatMap(expressionsIn)
/** The time of an expression without an unbounded repetition is bounded. */
const repeating = found.filter(({ expression }) => /[*+]|\{\d+,\}/.test(expression.source))
const distinct = new Map(repeating.map(({ at, expression }) => [`${at} ${expression}`, expression]))

describe('a regular expression', () => {
  it.each([...distinct].filter(([name]) => BOUNDED[name] === undefined))(
    '%s takes linear time for near misses',
    (_, expression) => {
      expect(findGrowth(expression)).toBeUndefined()
    },
  )

  it('that may grow is still in the source', () => {
    expect(Object.keys(BOUNDED).filter((name) => !distinct.has(name))).toEqual([])
  })

  it.each([
    /^(?:(?:[a-z0-9]+-?)*[a-z0-9]+)(?:\.[a-z]{2,})$/,
    /^ {0,3}#(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/,
    /\s+$/,
    /^(a|a)*b$/,
  ])('%s is found to grow', (expression) => {
    expect(findGrowth(expression)).toBeDefined()
  })
})
