/** What a call of `execute` returns is cut in steps that end, for any console output and any result. */
// features: code
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/property/settings.ts'
import type { CodeEnd } from '../../src/code/execution.ts'
import { cutText, toCodeResult } from '../../src/code/output.ts'

const bytesOf = (text: string) => new TextEncoder().encode(JSON.stringify(text)).byteLength

const rooms = Array.from({ length: 102 }, (_, index) => index - 1)

/** Characters of one to six bytes in JSON, and halves of pairs. */
const text = fc
  .array(fc.constantFrom('a', '"', '\n', '\u0001', 'é', '€', '😀', '\ud800', '\udc00', ''), {
    maxLength: 120,
  })
  .map((parts) => parts.join(''))

const END: CodeEnd = {
  result: undefined,
  resultLength: 0,
  error: undefined,
  advice: undefined,
  line: undefined,
  logs: [],
  logsCut: 0,
  calls: [],
  unawaited: [],
}

describe('a text that is cut', () => {
  it('is the longest beginning that fits but for one character, in every room from -1 to 100', () => {
    const property = fc.property(text, (whole) => {
      for (const room of rooms) {
        const shown = cutText(whole, room)
        expect(whole.startsWith(shown)).toBe(true)
        if (shown !== '') expect(bytesOf(shown)).toBeLessThanOrEqual(room)
        const next = whole.slice(0, shown.length + 2)
        if (shown !== whole && room >= 2) expect(bytesOf(next)).toBeGreaterThan(room - 6)
      }
    })
    fc.assert(property, runs(200))
  })
})

describe('the result of code', () => {
  it('is built for every console output, result and error, in every room', () => {
    const lines = fc.array(text, { maxLength: 20 })
    const property = fc.property(lines, fc.option(text), fc.nat(1500), (logs, result, room) => {
      const returned = result === null ? undefined : JSON.stringify(result)
      const end = { ...END, logs, result: returned, resultLength: returned?.length ?? 0 }
      const built = toCodeResult(end, room)
      expect((built.logs ?? []).every((line, index) => logs[index]?.startsWith(line))).toBe(true)
      expect(() => toCodeResult({ ...end, error: logs.join() }, room)).toThrow()
    })
    fc.assert(property, runs(300))
  })

  it.each([
    ['quotes, and one line more', ['"'.repeat(19_697), 'y']],
    ['empty lines', Array(20_000).fill('')],
    ['characters of six bytes', ['\u0001'.repeat(20_000)]],
  ])('has the first lines that fit, and says what is left out: %s', (_, logs) => {
    const built = toCodeResult({ ...END, logs }, 40_000)
    expect(bytesOf(JSON.stringify(built.logs))).toBeGreaterThan(10_000)
    expect(new TextEncoder().encode(JSON.stringify(built)).byteLength).toBeLessThanOrEqual(40_000)
    expect(built.cut).toMatch(/^\d+ characters of the console output are left out\.$/)
  })
})
