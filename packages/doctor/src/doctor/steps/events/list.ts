/** The result of `events/list`: the pages, and the description of each event type. */
import { isJsonObject } from '../../../../../../src/protocol/json.ts'
import { firstOf, quoted } from '../../../../../text/src/quoted.ts'
import { answered, type Detected, detected } from '../../detected.ts'
import { isDelivery } from '../../probes/events/event-types.ts'
import { entriesOf, type ListObservation } from '../../probes/lists.ts'

export function listFaults(list: ListObservation): Detected[] {
  const { pages, isEndless } = list
  const failed = pages.find(({ kind }) => kind !== 'result')
  if (failed !== undefined) return [answered('events-list-failed', 'events/list', failed)]
  const invalid = (text: string) => [detected('events-list-invalid', text)]
  if (isEndless) return invalid(`events/list has a nextCursor on page ${pages.length}`)
  for (const page of pages) {
    const result = page.kind === 'result' ? page.result : undefined
    if (!isJsonObject(result) || !Array.isArray(result.events)) {
      return invalid(`events/list has the result ${quoted(result)}`)
    }
    const { nextCursor } = result
    if (nextCursor !== undefined && typeof nextCursor !== 'string') {
      return invalid(`events/list has the nextCursor ${quoted(nextCursor)}`)
    }
  }
  const types = entriesOf(list)
  const names = types.map((type) => (isJsonObject(type) ? type.name : undefined))
  const repeated = names.find((name, index) => name !== undefined && names.indexOf(name) < index)
  return [
    ...(repeated === undefined ? [] : invalid(`Two event types have the name ${quoted(repeated)}`)),
    ...types.flatMap((type) => typeFault(type) ?? []).slice(0, 1),
    ...descriptionFault(types),
  ]
}

function typeFault(type: unknown): Detected | undefined {
  const invalid = (text: string) => detected('events-type-invalid', text)
  if (!isJsonObject(type)) return invalid(`An event type is ${quoted(type)}`)
  const { name, delivery, description } = type
  if (typeof name !== 'string' || name === '')
    return invalid(`An event type has the name ${quoted(name)}`)
  const named = `The event type ${quoted(name)} has`
  if (!isDelivery(delivery)) {
    return invalid(`${named} the delivery ${quoted(delivery)}`)
  }
  if (description !== undefined && typeof description !== 'string') {
    return invalid(`${named} the description ${quoted(description)}`)
  }
  const schema = ['inputSchema', 'payloadSchema'].find((member) => !isSchema(type[member]))
  return schema === undefined
    ? undefined
    : invalid(`${named} the ${schema} ${quoted(type[schema])}`)
}

/** Without a type, a schema accepts objects too. */
const isSchema = (schema: unknown) =>
  isJsonObject(schema) && (schema.type === undefined || schema.type === 'object')

function descriptionFault(types: readonly unknown[]): Detected[] {
  const without = types.filter((type) => isJsonObject(type) && (type.description ?? '') === '')
  if (without.length === 0) return []
  const names = without.map((type) => quoted(isJsonObject(type) ? type.name : undefined))
  return [detected('events-description-missing', `Without one: ${firstOf(names)}`)]
}
