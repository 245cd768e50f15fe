/** Keywords of an `inputSchema` that Edgeway would publish otherwise, because hosts refuse or misread them. */
import type { JsonSchema } from '../../../../../src/protocol/content.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { mapSubschemas } from '../../../../../src/server/schema/keywords.ts'
import { publishSchema } from '../../../../../src/server/schema/published.ts'
import { isDeeperThan } from '../../../../text/src/json/json-text.ts'
import type { Members } from '../../../../text/src/json/members.ts'
import { quoted } from '../../../../text/src/quoted.ts'

/** Clients refuse deeper schemas as well. The functions of the server recurse. */
const MAX_DEPTH = 200

/** Each of them with its value, in the order of the schema. @param schema a valid one */
export function unportableKeywords(schema: Members): readonly string[] {
  if (isDeeperThan(schema, MAX_DEPTH)) return []
  const found: string[] = []
  const pending: [Members, Members][] = [[schema, publishSchema(schema as JsonSchema, 'input')]]
  for (const [before, after] of pending) {
    for (const [keyword, value] of Object.entries(before)) {
      const published = after[keyword]
      if (published === value) continue
      const changed: [unknown, unknown][] = []
      mapSubschemas(keyword, value, (child, key) => {
        const other = key === undefined ? published : Object(published)[key]
        if (child !== other) changed.push([child, other])
      })
      const subschemas = changed.filter((pair): pair is [Members, Members] =>
        pair.every(isJsonObject),
      )
      if (changed.length === 0 || subschemas.length < changed.length) {
        found.push(`${keyword} ${quoted(value)}`)
      } else pending.push(...subschemas)
    }
    if (before.items === undefined && after.items !== undefined)
      found.push('an array without items')
  }
  return found
}
