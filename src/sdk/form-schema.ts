/**
 * The schema of a form in JSON Schema, as handlers pass it. What a form can have is checked without the
 * validator of `jsonSchema()`, which an app would contain for it.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
 */
import type { JsonSchema } from '../protocol/content.ts'
import { isJsonObject } from '../protocol/json.ts'
import { checkFormat } from '../server/schema/check-format.ts'
import { findFaults } from '../server/schema/find-faults.ts'
import {
  type Issue,
  JSON_SCHEMA,
  MAX_ISSUES,
  type StandardSchema,
} from '../server/schema/standard-schema.ts'

/** A form without a schema of its fields is refused where it is sent. */
export function formSchema(schema: object): StandardSchema {
  const json = schema as JsonSchema
  const described = () => json
  return {
    '~standard': {
      version: 1,
      vendor: JSON_SCHEMA,
      validate: (value) => {
        const issues = [...findFaults(json, value, MAX_ISSUES + 1), ...formatFaults(json, value)]
        return issues.length === 0 ? { value } : { issues }
      },
      jsonSchema: { input: described, output: described },
    },
  }
}

/** The fields of a form are texts, numbers, booleans and lists of choices, so only its members have formats. */
function formatFaults({ properties }: JsonSchema, value: unknown): Issue[] {
  if (!isJsonObject(properties) || !isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, text]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    const message =
      isJsonObject(field) && typeof text === 'string' ? checkFormat(field, text) : undefined
    return message === undefined ? [] : [{ message, path: [name] }]
  })
}
