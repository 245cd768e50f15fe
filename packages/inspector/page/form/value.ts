/** The values of a form: what they are at first, what is sent, and what is wrong with them. Pure. */
import type { Plan } from './plan.ts'
import type { Json } from './schema.ts'

/** What a control contains. Undefined where nothing was entered, and a number may be a text that is none. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | InvalidJson
  | readonly Value[]
  | { readonly [name: string]: Value }

/** Text of a JSON control that is not JSON. */
export class InvalidJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** @param isRequired whether the value must be sent, so that a control shows what would be sent */
export function initialOf(plan: Plan, isRequired: boolean): Value {
  if (plan.initial !== undefined) return plan.initial
  switch (plan.kind) {
    case 'boolean':
      return isRequired ? false : undefined
    case 'choice': {
      const [first] = plan.choices
      return isRequired && plan.choices.length === 1 ? first?.value : undefined
    }
    case 'list':
    case 'choices':
      return isRequired ? [] : undefined
    case 'group':
      return isRequired
        ? Object.fromEntries(
            plan.members.map(({ name, plan: member, isRequired: isNeeded }) => [
              name,
              initialOf(member, isNeeded),
            ]),
          )
        : undefined
    case 'variants': {
      const [first] = plan.variants
      return first && isRequired ? initialOf(first, true) : undefined
    }
    default:
      return undefined
  }
}

/** The value without what was not entered. */
export function sentOf(value: Value): Json | undefined {
  if (value instanceof InvalidJson) return undefined
  if (Array.isArray(value)) return (value as readonly Value[]).map((item) => sentOf(item) ?? null)
  if (typeof value !== 'object' || value === null) return value as Json | undefined
  const members = Object.entries(value as { readonly [name: string]: Value })
  return Object.fromEntries(
    members.flatMap(([name, member]) => {
      const sent = sentOf(member)
      return sent === undefined ? [] : [[name, sent]]
    }),
  )
}

/** Messages by the path of a control, whose parts are joined by `/`. */
export type Problems = ReadonlyMap<string, string>

/** What the browser can check. The server checks the whole schema. */
export function problemsOf(plan: Plan, value: Value): Problems {
  const problems = new Map<string, string>()
  check(plan, value, true, '', problems)
  return problems
}

export function pathOf(path: string, part: string | number): string {
  return `${path}/${part}`
}

function check(
  plan: Plan,
  value: Value,
  isRequired: boolean,
  path: string,
  problems: Map<string, string>,
): void {
  if (value === undefined) {
    if (isRequired) problems.set(path, 'A value is required')
    return
  }
  const problem = problemOf(plan, value)
  if (problem !== undefined) problems.set(path, problem)
  if (plan.kind === 'list' && Array.isArray(value)) {
    for (const [index, item] of (value as readonly Value[]).entries()) {
      check(plan.item, item, true, pathOf(path, index), problems)
    }
  }
  if (plan.kind === 'group') {
    const members = value as { readonly [name: string]: Value }
    for (const { name, isRequired: isNeeded, plan: member } of plan.members) {
      check(member, members[name], isNeeded, pathOf(path, name), problems)
    }
  }
}

function problemOf(plan: Plan, value: Value): string | undefined {
  if (value instanceof InvalidJson) return 'This is not JSON'
  switch (plan.kind) {
    case 'text':
      return textProblem(plan, String(value))
    case 'number':
      return numberProblem(plan, value)
    case 'list':
    case 'choices': {
      const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = plan
      const { length } = value as readonly Value[]
      if (length < minItems) return `At least ${minItems} are required`
      return length > maxItems ? `At most ${maxItems} are allowed` : undefined
    }
    default:
      return undefined
  }
}

type TextPlan = Extract<Plan, { kind: 'text' }>
type NumberPlan = Extract<Plan, { kind: 'number' }>

function textProblem({ minLength, maxLength, format }: TextPlan, text: string) {
  const { length } = [...text]
  if (minLength !== undefined && length < minLength) return `At least ${minLength} characters`
  if (maxLength !== undefined && length > maxLength) return `At most ${maxLength} characters`
  if (format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return 'Must be an email address'
  if (format === 'uri' && !URL.canParse(text)) return 'Must be a URI'
  if (format === 'date' && !/^\d{4}-\d\d-\d\d$/.test(text)) return 'Must be a date: 2026-07-28'
  if (format === 'date-time' && Number.isNaN(Date.parse(text))) {
    return 'Must be a time: 2026-07-28T12:00:00Z'
  }
  return undefined
}

function numberProblem({ isInteger, minimum, maximum }: NumberPlan, value: Value) {
  if (typeof value !== 'number') return 'Must be a number'
  if (isInteger && !Number.isInteger(value)) return 'Must be a whole number'
  if (minimum !== undefined && value < minimum) return `Must be at least ${minimum}`
  return maximum !== undefined && value > maximum ? `Must be at most ${maximum}` : undefined
}
