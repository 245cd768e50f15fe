/** The event types of a list, and arguments with which one of them can be asked for. */
import { DELIVERY_MODES, type DeliveryMode } from '../../../../../../src/protocol/events.ts'
import { isJsonObject } from '../../../../../../src/protocol/json.ts'
import type { Members } from '../../../../../text/src/json/members.ts'
import { entriesOf, type ListObservation } from '../lists.ts'

export interface EventType {
  readonly name: string
  readonly delivery: readonly DeliveryMode[]
  /** Undefined where a required argument has no value that can be made up. */
  readonly arguments: Members | undefined
  /** Arguments with a value of the wrong type; undefined where no property has a type. */
  readonly wrongArguments: Members | undefined
}

/** Types beyond these are not read. */
const MAX_TYPES = 1000

/** The types that can be named. What is wrong with the others, the step says. */
export function eventTypesOf(list: ListObservation): readonly EventType[] {
  return entriesOf(list)
    .slice(0, MAX_TYPES)
    .flatMap((entry) => {
      if (!isJsonObject(entry)) return []
      const { name, delivery, inputSchema } = entry
      if (typeof name !== 'string' || !isDelivery(delivery)) return []
      return {
        name,
        delivery,
        arguments: argumentsFor(inputSchema),
        wrongArguments: wrongArgumentsFor(inputSchema),
      }
    })
}

export function isDelivery(value: unknown): value is readonly DeliveryMode[] {
  const modes: readonly unknown[] = DELIVERY_MODES
  return Array.isArray(value) && value.length > 0 && value.every((mode) => modes.includes(mode))
}

/** The first type that offers a mode and can be asked for. */
export function typeFor(
  types: readonly EventType[],
  mode: DeliveryMode,
): (EventType & { readonly arguments: object }) | undefined {
  return types.find(
    (type): type is EventType & { readonly arguments: object } =>
      type.delivery.includes(mode) && type.arguments !== undefined,
  )
}

export const typeWithout = (types: readonly EventType[], mode: DeliveryMode) =>
  types.find(({ delivery }) => !delivery.includes(mode))

function argumentsFor(schema: unknown): Members | undefined {
  const required = isJsonObject(schema) && Array.isArray(schema.required) ? schema.required : []
  const values: Record<string, unknown> = {}
  for (const name of required) {
    const value = typeof name === 'string' ? valueFor(propertiesOf(schema)[name]) : undefined
    if (value === undefined) return undefined
    values[name] = value
  }
  return values
}

/** A value of a property as the conformance suite makes it up. */
function valueFor(property: unknown): unknown {
  if (!isJsonObject(property)) return undefined
  const { default: preset, const: constant, examples, type, minimum } = property
  const listed = [property.enum, examples].flatMap((list) =>
    Array.isArray(list) ? list.slice(0, 1) : [],
  )
  const given = [preset, constant, ...listed].find((value) => value !== undefined)
  if (given !== undefined) return given
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 1
  return ofType(MADE_UP_VALUES, type)
}

function wrongArgumentsFor(schema: unknown): Members | undefined {
  const args = argumentsFor(schema)
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const type = isJsonObject(property) ? property.type : undefined
    const wrong = ofType(WRONG_VALUES, type)
    if (wrong !== undefined && args !== undefined) return { ...args, [name]: wrong }
  }
  return undefined
}

const MADE_UP_VALUES: Members = {
  string: 'edgeway-doctor',
  boolean: false,
}

const WRONG_VALUES: Members = {
  string: { wrong: true },
  integer: 'wrong',
  number: 'wrong',
  boolean: 'wrong',
}

/** @param type the keyword: a name, or a list of names */
function ofType(values: Members, type: unknown): unknown {
  const [first] = [type].flat()
  return typeof first === 'string' && Object.hasOwn(values, first) ? values[first] : undefined
}

const propertiesOf = (schema: unknown): Members =>
  isJsonObject(schema) && isJsonObject(schema.properties) ? schema.properties : {}
