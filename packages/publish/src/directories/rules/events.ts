/** Rules of event types, which are scanned beside the tools. */
import { quoted } from '../../../../text/src/quoted.ts'
import type { Detected, Rule } from '../finding.ts'
import type { DirectoryInput } from '../input.ts'

const NAME = /^[A-Za-z0-9._/-]{1,128}$/

export const events: Rule = ({ surface }) =>
  eventsOf(surface).flatMap(({ event, isRepeated }) => {
    const { name, description, inputSchema, payloadSchema } = event
    const found: Detected[] = []
    const add = (code: Detected['code'], seen: string) => found.push({ code, seen })
    if (!NAME.test(name)) add('event-name-invalid', `It is ${quoted(name)}`)
    else if (isRepeated) add('event-name-invalid', `${quoted(name)} comes twice`)
    if (description.trim() === '') add('event-description-missing', `It is ${quoted(name)}`)
    const schemas = { inputSchema, payloadSchema }
    for (const [member, schema] of Object.entries(schemas)) {
      if (schema.type === 'object') continue
      add('event-schema-not-object', `${quoted(name)} has the ${member} ${quoted(schema)}`)
    }
    if (inputSchema.type === 'object' && inputSchema.additionalProperties !== false) {
      add('event-schema-open', `It is that of ${quoted(name)}`)
    }
    return found
  })

function eventsOf(surface: DirectoryInput['surface']) {
  const names = new Set<string>()
  return (surface?.events ?? []).map((event) => {
    const isRepeated = names.has(event.name)
    names.add(event.name)
    return { event, isRepeated }
  })
}
