/** The JSON Schema of `directory.json`, by which editors complete and check the file. The build writes it. */
import * as z from 'zod'
import { listingSchema } from './listing.ts'

export function directorySchemaText(): string {
  const schema = z.toJSONSchema(listingSchema, { target: 'draft-7', io: 'input' })
  const { $schema, ...rest } = schema
  const titled = { $schema, title: 'directory.json of edgeway submit', ...rest }
  return `${JSON.stringify(titled, undefined, 2)}\n`
}
