/** Whether two alternatives have no value in common, as those of a discriminated union. In doubt they have. */
import { canonicalText } from '../../../../../src/protocol/canonical-json.ts'
import type { Branch } from './branches.ts'
import type { Constraints } from './constraints.ts'
import { isForbidden, memberPlaces, namedTypes, namedValues } from './members.ts'

export function areDisjoint(a: Branch, b: Branch): boolean {
  if (a.type !== b.type) return true
  if (a.values !== undefined && b.values !== undefined) {
    const texts = new Set(a.values.map(canonicalText))
    return !b.values.some((value) => texts.has(canonicalText(value)))
  }
  const [x, y] = [a.constraints, b.constraints]
  switch (a.type) {
    case 'number':
      return isBelow(x, y) || isBelow(y, x)
    case 'string':
      return areApart(x.lengths, y.lengths)
    case 'array':
      return areApart(x.counts, y.counts)
    case 'object':
      return areApart(x.sizes, y.sizes) || [...x.required, ...y.required].some(tellsApart(x, y))
    default:
      return false
  }
}

const isBelow = ({ high }: Constraints, { low }: Constraints) =>
  high !== undefined &&
  low !== undefined &&
  (high.value < low.value || (high.value === low.value && (high.isOpen || low.isOpen)))

const areApart = (a: readonly [number, number], b: readonly [number, number]) =>
  a[1] < b[0] || b[1] < a[0]

/** A member that one of them requires and the other forbids, or that has no value in common. */
const tellsApart = (a: Constraints, b: Constraints) => (name: string) => {
  const [x, y] = [memberPlaces(a, name), memberPlaces(b, name)]
  if (isForbidden(x) || isForbidden(y)) return true
  if (!a.required.has(name) || !b.required.has(name)) return false
  return (
    haveNothingInCommon(namedValues(x), namedValues(y)) ||
    haveNothingInCommon(namedTypes(x), namedTypes(y))
  )
}

const haveNothingInCommon = (
  a: ReadonlySet<unknown> | undefined,
  b: ReadonlySet<unknown> | undefined,
) => a !== undefined && b !== undefined && ![...a].some((one) => b.has(one))
