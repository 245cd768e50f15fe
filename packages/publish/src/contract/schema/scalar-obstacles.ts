/** Numbers and texts: what the receiver demands and the sender does not guarantee. */
import type { Bound, Constraints } from './constraints.ts'
import type { Obstacle } from './obstacle.ts'

const keyword = (
  at: string,
  name: string,
  sent: string | undefined,
  received: string | undefined,
): Obstacle => ({ code: 'keyword', at, keyword: name, sent, received })

export function numberObstacles(
  sender: Constraints,
  receiver: Constraints,
  at: string,
): readonly Obstacle[] {
  const found: Obstacle[] = []
  const isInteger = sender.isInteger || sender.multiples.some(Number.isInteger)
  if (receiver.isInteger && !isInteger) found.push({ code: 'type', at, sent: 'number' })
  const [sentLow, sentHigh] = [
    integral(sender.low, isInteger, 1),
    integral(sender.high, isInteger, -1),
  ]
  const [low, high] = [integral(receiver.low, isInteger, 1), integral(receiver.high, isInteger, -1)]
  if (low !== undefined && !isWithin(sentLow, low, (a, b) => a > b)) {
    found.push(keyword(at, 'minimum', boundText(sender.low), boundText(receiver.low)))
  }
  if (high !== undefined && !isWithin(sentHigh, high, (a, b) => a < b)) {
    found.push(keyword(at, 'maximum', boundText(sender.high), boundText(receiver.high)))
  }
  const steps = isInteger ? [...sender.multiples, 1] : sender.multiples
  for (const step of receiver.multiples) {
    if (steps.some((sent) => isMultipleOf(sent, step))) continue
    found.push(keyword(at, 'multipleOf', sender.multiples.join(' and ') || undefined, String(step)))
  }
  return found
}

/** The closest integer inside of a bound. */
function integral(bound: Bound | undefined, isInteger: boolean, step: 1 | -1): Bound | undefined {
  if (bound === undefined || !isInteger) return bound
  const { value, isOpen } = bound
  const closest = step === 1 ? Math.ceil(value) : Math.floor(value)
  return { value: isOpen && closest === value ? value + step : closest, isOpen: false }
}

function isWithin(
  sent: Bound | undefined,
  received: Bound,
  isInside: (a: number, b: number) => boolean,
): boolean {
  if (sent === undefined) return false
  if (sent.value === received.value) return sent.isOpen || !received.isOpen
  return isInside(sent.value, received.value)
}

const boundText = (bound: Bound | undefined) =>
  bound && `${bound.value}${bound.isOpen ? ' (excluded)' : ''}`

/** Exact for decimals: the quotient of 0.3 and 0.1 is no integer of doubles. */
function isMultipleOf(value: number, divisor: number): boolean {
  const [a, b] = [decimal(value), decimal(divisor)]
  const exponent = Math.min(a.exponent, b.exponent)
  const scale = ({ digits, exponent: own }: typeof a) => digits * 10n ** BigInt(own - exponent)
  return scale(a) % scale(b) === 0n
}

function decimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [coefficient = '', exponent = '0'] = Math.abs(value).toString().split('e')
  const [whole = '', fraction = ''] = coefficient.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

export function textObstacles(
  sender: Constraints,
  receiver: Constraints,
  at: string,
): readonly Obstacle[] {
  const found = [...rangeObstacles(sender.lengths, receiver.lengths, 'Length', at)]
  const missing = [...receiver.texts].filter((text) => !sender.texts.has(text))
  for (const text of missing) {
    const [name = '', ...rest] = text.split(' ')
    const before = [...sender.texts].filter((one) => one.startsWith(`${name} `))
    const sent = before.map((one) => one.slice(name.length + 1)).join(', ') || undefined
    const obstacle = keyword(at, name, sent, rest.join(' '))
    // One expression may allow all texts of another.
    const isUndecided = name === 'pattern' && before.length > 0
    found.push(isUndecided ? { ...obstacle, isUndecided } : obstacle)
  }
  return found
}

type Range = readonly [number, number]

/** @param what the end of the keywords: `Items` for `minItems` and `maxItems` */
export function rangeObstacles(
  [sentLow, sentHigh]: Range,
  [low, high]: Range,
  what: string,
  at: string,
): readonly Obstacle[] {
  const text = (count: number) =>
    count === 0 || count === Number.POSITIVE_INFINITY ? undefined : String(count)
  return [
    ...(low > sentLow ? [keyword(at, `min${what}`, text(sentLow), text(low))] : []),
    ...(high < sentHigh ? [keyword(at, `max${what}`, text(sentHigh), String(high))] : []),
  ]
}

/** Keywords such as `not`, which are satisfied when the sender has the same one. */
export function opaqueObstacles(
  sender: Constraints,
  receiver: Constraints,
  at: string,
): readonly Obstacle[] {
  return [...receiver.opaque]
    .filter(([text, name]) => name !== 'nullable' && !sender.opaque.has(text))
    .map(([, name]) => ({ code: 'unknown', at, keyword: name, isUndecided: true }))
}
